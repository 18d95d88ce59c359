// Runs a command of a plugin, such as `/dice 2d6`. It waits for its turn in the lane like a message, and the plugin's
// handler answers instead of the agent. A person who may not use it is told so, and so is a person whose command was
// removed after it was accepted. The start of the command is recorded first: a handler that was interrupted is not
// called again, and the person is told so. Neither the command nor its answer is shown to a model, now or later, unless
// the handler lets the message go on to the agent.

import type { CommandAnswer, LanePlace, PluginWork } from '../commands/chat-command.ts';
import { newId } from '../protocol/new-id.ts';
import type { NewRow, Write } from '../store/store.ts';
import { answerOf } from './end-finished.ts';
import { idsOf } from './ids-of.ts';
import { stepsOf } from './journal.ts';
import type { OpenRun } from './open-run.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';

/** Undefined when the agent must answer: the message is not a command, or its handler lets the message go on. */
export async function runCommand(parts: RunParts, run: OpenRun): Promise<RunAnswer | undefined> {
  const steps = stepsOf(run.journal);
  const started = steps.find((step) => step.kind === 'command-start');
  if (started) {
    const isOver = steps.some((step) => step.kind === 'command-end');
    return isOver ? undefined : answer(interrupted(started.name));
  }
  // An earlier attempt treated it as a message, so it stays a message.
  if (steps.length > 0) return undefined;
  const { command, work, reply } = run.said;
  if (reply !== undefined) return answer(reply);
  if (!command || work?.kind !== 'plugin') return undefined;

  const { ledger } = run;
  const { name } = command;
  await ledger.commit('tool-start', [ledger.step('command-start', { name, owner: work.owner })]);
  const given = await call(parts, run, name, work);
  if (!given.continueAgent) return answer(given.text ?? '');
  const rows = await saidBefore(parts, run, given.text ?? '');
  await ledger.commit('tool-result', [
    ledger.step('command-end', {}),
    ...rows.map((row): Write => ({ insert: 'outbox', row })),
  ]);
  parts.delivery.wake();
  return undefined;
}

/** The handler's text is sent before the agent's answer, as a message of its own. */
async function saidBefore(parts: RunParts, run: OpenRun, text: string): Promise<readonly NewRow<'outbox'>[]> {
  if (text.trim() === '') return [];
  return (await parts.delivery.plan({ ...answerOf(run, text), runId: newId('note', parts.now()) })).rows;
}

async function call(parts: RunParts, run: OpenRun, name: string, work: PluginWork): Promise<CommandAnswer> {
  const { agentId, sessionKey, inbound, session, signal } = run;
  const place: LanePlace = { agentId, sessionKey, inbound, sessionId: session.sessionId };
  try {
    return (await untilAborted(signal, work.run(place))) ?? {};
  } catch (error) {
    signal.throwIfAborted();
    parts.warn(`The command /${name} of the plugin "${work.owner}" failed: ${(error as Error)?.message}`, {
      ...idsOf(run),
      pluginId: work.owner,
    });
    return { text: work.describeFailure(error, place) };
  }
}

/** A handler that ignores its signal must not keep a stopped run going. */
function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function answer(reply: string): RunAnswer {
  return { kind: 'answer', reply };
}

function interrupted(name: string): string {
  return `The command /${name} was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.`;
}
