// Continues a run whose earlier attempt was interrupted. The handlers that shaped the request are not asked again: its
// bytes are in the store, and so is everything that was said since.

import type { WireRequest } from '../models/model.ts';
import type { AssistantMessage, Message } from '../protocol/message.ts';
import { toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { ToolOutput } from '../tools/tool.ts';
import { isChosenByPerson, modelsOfRun } from './asked-models.ts';
import type { Conversation, PendingCalls } from './conversation.ts';
import { type JournalStep, stepsOf } from './journal.ts';
import type { OpenRun } from './open-run.ts';
import { readFrame } from './request-frame.ts';
import type { KeptRequest, RunParts } from './run-parts.ts';

/** Undefined when no earlier attempt has committed its request. */
export async function recoverRequest(parts: RunParts, run: OpenRun): Promise<Conversation | undefined> {
  const steps = stepsOf(run.journal);
  const last = steps.findLast((step) => step.kind === 'request');
  if (!last) return undefined;
  // Stored requests of open runs are never pruned. If they are missing all the same, the request must be drafted again.
  const [frame, kept] = await Promise.all([readFrame(parts, run.runId), parts.readCapture(run.runId, last.call)]);
  if (!frame || !kept) return undefined;
  void parts.tell('gate-passed', { run });
  const model = await parts.models.model({ provider: last.provider, model: last.model }, run.agentId);
  const candidates = isChosenByPerson(parts.models, run, last) ? [] : modelsOfRun(parts.models, run);
  const since = steps.slice(steps.lastIndexOf(last) + 1);
  const pending = pendingOf(since, run.ownEntries.at(-1));
  const asked = pending ? undefined : since.find((step) => step.kind === 'ask')?.message;
  const [unkept] = steps.flatMap((step) => (step.kind === 'request' && step.unkept ? [step.unkept] : []));
  const said = pending ? run.ownTold.slice(0, -1) : run.ownTold;
  const messages: readonly Message[] = [...run.history, ...(unkept ? [unkept] : []), ...said];
  // The stored address has no secrets in it, so the model prepares a new one; the words are the stored ones.
  const { wishes } = run.client ?? {};
  const prepared = await model.prepare({ system: frame.system, tools: frame.tools, messages, wishes });
  return {
    model,
    fallbacks: candidates.filter((ref) => ref.provider !== last.provider || ref.model !== last.model),
    frame: { system: frame.system, tools: frame.tools, wishes },
    messages,
    wire: { ...prepared, ...(await keptWords(parts, kept, prepared)) },
    call: last.call,
    pending,
    asked,
    because: last.because,
    toolCalls: run.ownEntries.reduce((sum, { message }) => sum + (message.role === 'tool' ? 1 : 0), 0),
    unkept,
  };
}

/** The tool calls that were started after the last request. The assistant's message with them is the last entry. */
function pendingOf(steps: readonly JournalStep[], entry: TranscriptRow | undefined): PendingCalls | undefined {
  const start = steps.find((step) => step.kind === 'tool-start');
  const message = entry?.message;
  if (!start || message?.role !== 'assistant' || toolCallsOf(message).length === 0) return undefined;
  const results = new Map<string, ToolOutput>();
  for (const step of steps) {
    if (step.kind !== 'tool-result') continue;
    const { toolCallId, content, isError, details } = step;
    results.set(toolCallId, {
      content,
      ...(isError ? { isError: true } : {}),
      ...(details === null ? {} : { details }),
    });
  }
  return {
    kind: 'pending',
    message: message as AssistantMessage,
    meta: entry?.meta ?? {},
    calls: start.calls,
    results,
    isResumed: true,
  };
}

/** An image that is gone meanwhile cannot be sent; the request that is prepared now says so in its place. */
async function keptWords(
  { attachments }: RunParts,
  { wire: { body, images } }: KeptRequest,
  prepared: WireRequest,
): Promise<Pick<WireRequest, 'body' | 'images'>> {
  for (const { hash } of images ?? []) if (!(await attachments.has(hash))) return prepared;
  return { body, images };
}
