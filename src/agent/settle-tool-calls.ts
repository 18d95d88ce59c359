// Settles the tool calls of one model answer: they run in parallel, a few at a time, and their results are in the order
// of the calls. A call that started is not started again: after a crash the model is told that it was interrupted,
// unless the tool says that running it twice does no harm.

import { type HookToolResult, hookMessageOf, messageOf } from '../hooks/hook-message.ts';
import { inStep } from '../hooks/hook-trace.ts';
import type { Message, ToolMessage } from '../protocol/message.ts';
import { boundDetails } from '../tools/bound-details.ts';
import { runTool } from '../tools/run-tool.ts';
import type { Tool, ToolOutput } from '../tools/tool.ts';
import type { Conversation, PendingCalls } from './conversation.ts';
import type { StartedCall } from './journal.ts';
import { rewriterOf, type SaidMessage } from './message-spans.ts';
import { offeredTools, toolCallerOf } from './offered-tools.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
import { rewritersOf, writeMessage } from './write-message.ts';

/** How many tools of one run work at the same time. */
const MOST_AT_ONCE = 8;

/** Runs the calls that have no result yet. */
export async function settleToolCalls(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  pending: PendingCalls,
): Promise<readonly SaidMessage[]> {
  const tools = await offeredTools(parts, run, conversation);
  const outputs = await sideBySide(
    pending.calls,
    async (call) => pending.results.get(call.id) ?? (await settleOne(parts, run, call, tools, pending.isResumed)),
  );
  // A stopped run writes no results, because no later step reads them.
  run.signal.throwIfAborted();
  const messages: SaidMessage[] = [];
  for (const [index, call] of pending.calls.entries()) {
    const output = outputs[index];
    if (output) messages.push(await persist(parts, run, call, output));
  }
  return messages;
}

/** The results are in the order of `given`. Once one has failed, no further one begins. */
async function sideBySide<T, R>(given: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = given.entries();
  let hasFailed = false;
  const takeTurns = async () => {
    for (const [index, each] of waiting) {
      if (hasFailed) return;
      try {
        results[index] = await work(each);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, given.length) }, takeTurns));
  return results;
}

async function settleOne(
  parts: RunParts,
  run: OpenRun,
  call: StartedCall,
  tools: readonly Tool[],
  isResumed: boolean,
): Promise<ToolOutput> {
  const startedAt = parts.now();
  void parts.tell('tool-started', { run, call });
  const output = await outputOf(parts, run, call, tools, isResumed);
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
  ]);
  void parts.tell('tool-settled', { run, call, output, ms });
  return output;
}

const INTERRUPTED =
  'This call was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.';

async function outputOf(
  parts: RunParts,
  run: OpenRun,
  call: StartedCall,
  tools: readonly Tool[],
  isResumed: boolean,
): Promise<ToolOutput> {
  if (call.veto !== null) return call.veto;
  const tool = tools.find(({ name }) => name === call.name);
  if (isResumed && !tool?.idempotent)
    return { content: INTERRUPTED, isError: true, details: { status: 'interrupted' } };
  if (!tool) return { content: `There is no tool "${call.name}" any more.`, isError: true };
  return runTool(
    tool,
    call.params,
    { ...toolCallerOf(run, call.id), signal: run.signal, grant: call.grant ?? undefined },
    { timeoutMs: tool.timeoutMs ?? parts.settings.toolTimeoutMs },
  );
}

/** The result as the transcript keeps it and the model reads it. Handlers see its details before they are cut. */
async function persist(parts: RunParts, run: OpenRun, call: StartedCall, output: ToolOutput): Promise<SaidMessage> {
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
    const { result, calls } = await parts.hooks.run(
      'tool_result_persist',
      {
        toolName: call.name,
        toolCallId: call.id,
        message: hookMessageOf(message, parts.now()) as HookToolResult,
        isSynthetic: call.veto !== null,
      },
      { ...inStep(run.context, `tool ${call.id}`), toolName: call.name, toolCallId: call.id },
    );
    if (result.message) {
      kept = messageOf(message, { ...result.message });
      rewriters.push(rewritersOf(calls, 'tool_result_persist'));
    }
  }
  const written = await writeMessage(parts, run, kept);
  const by = [...rewriters, written.rewrittenBy].filter((each) => each !== undefined).join(' and ');
  return {
    message: withBoundDetails(written.message),
    meta: rewriterOf(`tool ${call.name}`, by === '' ? undefined : by),
  };
}

function withBoundDetails(message: Message): Message {
  if (message.role !== 'tool' || message.details === undefined) return message;
  return { ...message, details: boundDetails(message.details) };
}
