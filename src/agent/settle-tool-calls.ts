// Settles the tool calls of one model answer: they run in parallel, a few at a time, and their results are in the order
// of the calls. A call that started is not started again: after a crash the model is told that it was interrupted,
// unless the tool says that running it twice does no harm. Calls that wait for other sessions come last, so that they can
// wait for what the other calls of the step have begun; while one of them waits, the run is suspended.

import { type HookToolResult, hookMessageOf, messageOf } from '../hooks/hook-message.ts';
import { inStep } from '../hooks/hook-trace.ts';
import type { Message, ToolMessage } from '../protocol/message.ts';
import type { WaitRow } from '../store/tables.ts';
import { boundDetails } from '../tools/bound-details.ts';
import { runTool } from '../tools/run-tool.ts';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import type { Conversation, PendingCalls } from './conversation.ts';
import type { StartedCall } from './journal.ts';
import { rewriterOf, type SaidMessage } from './message-spans.ts';
import { offeredTools, toolCallerOf } from './offered-tools.ts';
import type { OpenRun } from './open-run.ts';
import { requirePlugins } from './require-plugins.ts';
import type { RunParts } from './run-parts.ts';
import { seekWaits } from './seek-waits.ts';
import type { WaitSuspension } from './suspend-run.ts';
import { withheldResult } from './withheld-message.ts';
import { rewritersOf, writeMessage } from './write-message.ts';

/** How many tools of one run work at the same time. */
const MOST_AT_ONCE = 8;

/** Runs the calls that have no result yet. */
export async function settleToolCalls(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  pending: PendingCalls,
): Promise<readonly SaidMessage[] | WaitSuspension> {
  const tools = await offeredTools(parts, run, conversation);
  const { isResumed } = pending;
  // Positions and not ids, because some providers give several calls of a step the same id.
  const outputs = pending.calls.map(({ id }) => pending.results.get(id));
  const open = pending.calls.flatMap((call, index) => {
    const tool = call.veto === null ? tools.find(({ name }) => name === call.name) : undefined;
    return outputs[index] ? [] : [{ index, call, tool }];
  });
  /** How long each call took; a call that an earlier attempt has settled is not in it. */
  const times = new Map<number, number>();
  /** Results are shown only after handlers have looked at them. */
  const isUnchecked = mayChange(parts);
  const settle = async ({ index, call }: (typeof open)[number], waited?: WaitRow) => {
    const { output, ms } = await settleOne(parts, run, { call, tools, isResumed, waited });
    outputs[index] = output;
    const { content, isError = false } = output;
    times.set(index, ms);
    if (!isUnchecked) void parts.tell('tool-ended', { run, call, content, isError, ms });
  };
  await sideBySide(
    open.filter(({ tool }) => !tool?.awaits),
    (each) => settle(each),
  );
  const awaiting = open.filter(({ tool }) => tool?.awaits);
  if (awaiting.length > 0) {
    const { waiting, ready } = await seekWaits(parts, run, conversation, awaiting, pending.message);
    await sideBySide(ready, ({ waited, ...each }) => settle(each, waited));
    if (waiting.length > 0) return { kind: 'suspension', cause: 'waits', waiting };
  }
  // A stopped run writes no results, because no later step reads them.
  run.signal.throwIfAborted();
  // A plugin that is required may have been unloaded while the tools ran, and what it guards was then not checked.
  requirePlugins(parts);
  const messages: SaidMessage[] = [];
  for (const [index, call] of pending.calls.entries()) {
    const output = outputs[index];
    if (!output) continue;
    const ms = times.get(index);
    const said = await persist(parts, run, call, { output, ms });
    messages.push(said);
    if (!isUnchecked || ms === undefined || said.message.role !== 'tool') continue;
    const { content, isError = false } = said.message;
    void parts.tell('tool-ended', { run, call, content, isError, ms });
  }
  return messages;
}

/** Once one has failed, no further one begins. */
async function sideBySide<T>(given: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  const waiting = given.values();
  let hasFailed = false;
  const takeTurns = async () => {
    for (const each of waiting) {
      if (hasFailed) return;
      try {
        await work(each);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, given.length) }, takeTurns));
}

/** A handler may take something out of a result, which must not be seen or recorded before. */
function mayChange({ hooks }: RunParts): boolean {
  return hooks.has('tool_result_persist') || hooks.has('before_message_write');
}

interface OpenCall {
  readonly call: StartedCall;
  readonly tools: readonly Tool[];
  readonly isResumed: boolean;
  /** Set when the call has waited; its start was told when the wait began. */
  readonly waited: WaitRow | undefined;
}

async function settleOne(
  parts: RunParts,
  run: OpenRun,
  { call, tools, isResumed, waited }: OpenCall,
): Promise<{ readonly output: ToolOutput; readonly ms: number }> {
  const startedAt = waited?.createdAt ?? parts.now();
  if (!waited) void parts.tell('tool-started', { run, call });
  const output = await outputOf(parts, run, { call, tools, isResumed, waited });
  // A result that came after the run was stopped is dropped; the next attempt tells the model that the call was
  // interrupted.
  run.signal.throwIfAborted();
  const ms = parts.now() - startedAt;
  await run.ledger.commit('tool-result', [
    run.ledger.step('tool-result', {
      toolCallId: call.id,
      content: output.content,
      isError: output.isError === true,
      details: output.details === undefined ? null : boundDetails(output.details),
    }),
    ...(waited ? [{ remove: 'waits', where: { runId: run.runId, place: waited.place } } as const] : []),
    ...(output.writes ?? []),
  ]);
  void parts.tell('tool-settled', { run, call, output, ms });
  return { output, ms };
}

const INTERRUPTED =
  'This call was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.';

async function outputOf(
  parts: RunParts,
  run: OpenRun,
  { call, tools, isResumed, waited }: OpenCall,
): Promise<ToolOutput> {
  if (call.veto !== null) return call.veto;
  const tool = tools.find(({ name }) => name === call.name);
  if (isResumed && !tool?.idempotent)
    return { content: INTERRUPTED, isError: true, details: { status: 'interrupted' } };
  if (!tool) return { content: `There is no tool "${call.name}" any more.`, isError: true };
  return runTool(
    tool,
    call.params,
    {
      ...toolCallerOf(run, call.id),
      signal: run.signal,
      grant: call.grant ?? undefined,
      waitedFor: waited?.awaited,
      given: waited?.given,
    },
    { timeoutMs: tool.timeoutMs ?? parts.settings.toolTimeoutMs },
  );
}

/** The result as the transcript keeps it and the model reads it. Handlers see its details before they are cut. */
async function persist(
  parts: RunParts,
  run: OpenRun,
  call: StartedCall,
  { output, ms }: { readonly output: ToolOutput; readonly ms: number | undefined },
): Promise<SaidMessage> {
  const message: ToolMessage = {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    content: output.content,
    ...(output.isError ? { isError: true } : {}),
    ...(output.details === undefined ? {} : { details: output.details }),
  };
  let kept: Message = message;
  const rewriters: (string | undefined)[] = [];
  if (parts.hooks.has('tool_result_persist')) {
    const { result, refusal, calls } = await parts.hooks.run(
      'tool_result_persist',
      {
        toolName: call.name,
        toolCallId: call.id,
        message: hookMessageOf(message, parts.now()) as HookToolResult,
        isSynthetic: call.veto !== null,
      },
      { ...inStep(run.context, `tool ${call.id}`), toolName: call.name, toolCallId: call.id },
    );
    if (refusal?.cause === 'failure') {
      kept = withheldResult(message, refusal.reason);
      rewriters.push(`tool_result_persist of ${refusal.owner}`);
    } else if (result.message) {
      kept = messageOf(message, { ...result.message });
      rewriters.push(rewritersOf(calls, 'tool_result_persist'));
    }
  }
  const written = await writeMessage(parts, run, kept);
  const by = [...rewriters, written.rewrittenBy].filter((each) => each !== undefined).join(' and ');
  return {
    message: withBoundDetails(written.message),
    meta: { ...rewriterOf(`tool ${call.name}`, by === '' ? undefined : by), ...(ms === undefined ? {} : { ms }) },
  };
}

function withBoundDetails(message: Message): Message {
  if (message.role !== 'tool' || message.details === undefined) return message;
  return { ...message, details: boundDetails(message.details) };
}
