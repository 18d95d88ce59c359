// What the log file says about the facts of the product's life: a table from facts to lines. A line has names, counts and
// ids, and no words of a person or a model, because those belong to the trajectory, behind the gate.

import type { FactName, Facts } from '../facts/facts.ts';
import type { FactListener } from '../facts/teller.ts';
import type { Log, LogFields } from '../protocol/log.ts';

interface FactLine {
  readonly level: 'debug' | 'info';
  readonly sentence: string;
  readonly about: LogFields;
}

type FactLines = { readonly [Name in FactName]?: (fact: Facts[Name]) => FactLine | undefined };

/** A listener that writes the line of each fact that has one. */
export function logFacts(log: Pick<Log, 'debug' | 'info'>): FactListener {
  return (name, fact) => {
    const line = (FACT_LINES[name] as ((fact: unknown) => FactLine | undefined) | undefined)?.(fact);
    if (line) log[line.level](line.sentence, line.about);
  };
}

export const FACT_LINES: FactLines = {
  'message-accepted': ({ inbound: { surface, messageId }, runId, sessionKey }) => ({
    level: 'debug',
    sentence: `A message from ${surface.channel} was accepted.`,
    about: { runId, sessionKey, channel: surface.channel, accountId: surface.accountId, inboundId: messageId },
  }),
  'run-started': ({ run: { runId, sessionKey, agentId, attempt } }) => ({
    level: 'debug',
    sentence: attempt === 1 ? 'The run has begun.' : `The run goes on, attempt ${attempt}.`,
    about: { runId, sessionKey, agentId },
  }),
  'gate-blocked': ({ run: { runId, sessionKey, agentId }, by }) => ({
    level: 'info',
    sentence: `The message was blocked by ${by}.`,
    about: { runId, sessionKey, agentId, pluginId: by },
  }),
  'reply-claimed': ({ run: { runId, sessionKey, agentId }, by }) => ({
    level: 'debug',
    sentence: `${by} answers in the place of the model.`,
    about: { runId, sessionKey, agentId, pluginId: by },
  }),
  'model-ended': ({ run: { runId, sessionKey, agentId }, model, completed, end }) => ({
    level: 'debug',
    sentence: `The model ${model.provider}/${model.model} ended with ${end.error?.kind ?? end.stop} after ${completed.ms} ms: ${completed.usage.input} tokens in, ${completed.usage.output} out.`,
    about: { runId, sessionKey, agentId },
  }),
  'tool-ended': ({ run: { runId, sessionKey, agentId }, call, isError, ms }) => ({
    level: 'debug',
    sentence: `The tool ${call.name} ${isError ? 'failed' : 'is done'} after ${Math.round(ms)} ms.`,
    about: { runId, sessionKey, agentId, toolCallId: call.id },
  }),
  'approval-asked': ({ runId, sessionKey, approval: { approvalId, toolName } }) => ({
    level: 'info',
    sentence: `The run waits until a person decides about the tool ${toolName}.`,
    about: { runId, sessionKey, approvalId },
  }),
  'approval-answered': ({ runId, sessionKey, approvalId, decision, by }) => ({
    level: 'info',
    sentence: `The decision about the tool is ${decision}, by ${by}.`,
    about: { runId, sessionKey, approvalId },
  }),
  'child-spawned': ({ child: { parentRunId, parentKey, childKey, agentId } }) => ({
    level: 'info',
    sentence: `The child ${childKey} of the agent ${agentId} was spawned.`,
    about: { runId: parentRunId, sessionKey: parentKey },
  }),
  'child-ended': ({ child: { parentKey, childKey, outcome }, runId }) => ({
    level: 'info',
    sentence: `The child ${childKey} of ${parentKey} has ended: ${outcome ?? 'ok'}.`,
    about: { runId, sessionKey: childKey },
  }),
  'compaction-done': ({ run: { runId, sessionKey, agentId }, left }) => ({
    level: 'info',
    sentence: `${left.compactedCount} messages were summarised; ${left.messageCount} are left.`,
    about: { runId, sessionKey, agentId },
  }),
  'run-ended': ({ runId, sessionKey, status, errorCode, usage, ms }) => ({
    level: 'info',
    sentence: [
      `The run is ${status}${errorCode === undefined ? '' : ` (${errorCode})`}`,
      ms === undefined ? '' : ` after ${Math.round(ms)} ms`,
      usage ? `: ${usage.input} tokens in, ${usage.output} out.` : '.',
    ].join(''),
    about: { runId, sessionKey },
  }),
  'session-ended': ({ session: { sessionKey, agentId }, reason, messageCount }) => ({
    level: 'info',
    sentence: `The session has ended (${reason}) with ${messageCount} messages.`,
    about: { sessionKey, agentId },
  }),
  'delivery-ended': ({ runId, sessionKey, part, surface, outcome }) => ({
    level: outcome === 'sent' ? 'debug' : 'info',
    sentence: `Part ${part} of the answer to ${surface.channel} is ${outcome}.`,
    about: {
      runId,
      sessionKey,
      channel: surface.channel,
      accountId: surface.accountId,
      delivery: `${runId}/${part}`,
    },
  }),
  'gateway-started': ({ port }) => ({ level: 'info', sentence: `The gateway listens on port ${port}.`, about: {} }),
  'gateway-stopping': ({ reason }) => ({ level: 'info', sentence: `The gateway stops (${reason}).`, about: {} }),
};
