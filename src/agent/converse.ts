// The loop of model and tools: ask the model, run the tools that it calls, ask again, until it answers in words. Inside
// this loop only messages are added; system blocks and tools stay as they were first sent.

import { type AssistantMessage, textOf, toolCallsOf } from '../protocol/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.ts';
import type { TriggerKind } from '../store/tables.ts';
import { callModel } from './call-model.ts';
import { commitCompaction } from './compaction/compact.ts';
import { fitConversation } from './compaction/fit-conversation.ts';
import type { Conversation } from './conversation.ts';
import { ModelAnsweredNothingError, ToolRoundsExceededError } from './errors.ts';
import { Finalizer, type Revision } from './finalize-answer.ts';
import { type SaidMessage, spansOfEntry } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';
import { settleToolCalls } from './settle-tool-calls.ts';
import { startToolCalls } from './start-tool-calls.ts';
import type { Suspension } from './suspend-run.ts';
import { writeMessage } from './write-message.ts';

export async function converse(parts: RunParts, run: OpenRun, begun: Conversation): Promise<RunAnswer | Suspension> {
  const finalizer = new Finalizer(parts, run);
  const taken = begun.asked ? await startToolCalls(parts, run, begun, begun.asked) : begun.pending;
  if (taken?.kind === 'suspension') return taken;
  let conversation = taken ? await settle(parts, run, begun, taken) : begun;
  let usage = await usageBefore(parts, run);
  const before = answersBefore(run, begun);
  let modelCalls = before.length;
  let lastText = before.map(textOf).findLast(hasWords) ?? '';
  for (let round = 1 + before.length; ; round++) {
    const called = await callModel(parts, run, conversation);
    conversation = called.conversation;
    usage = addUsage(usage, called.usage);
    modelCalls += called.attempts;
    const { message } = called;
    lastText = hasWords(textOf(message)) ? textOf(message) : lastText;

    if (toolCallsOf(message).length === 0) {
      const revision = await finalizer.ask(conversation, message);
      if (revision === undefined) {
        const { provider, model } = conversation.model;
        const { toolCalls } = conversation;
        // Whoever asked must get an answer; a run that nobody waits for may end without words.
        if (lastText === '' && !WORDLESS.has(run.kind))
          throw new ModelAnsweredNothingError({ provider, model, stop: called.stop });
        return {
          kind: 'answer',
          reply: lastText,
          message,
          provider,
          model,
          usage,
          modelCalls,
          toolCalls,
          stop: called.stop,
        };
      }
      conversation = await goOn(parts, run, conversation, await revise(parts, run, message, revision), 'revision');
      continue;
    }

    if (round > parts.settings.maxToolRounds)
      throw new ToolRoundsExceededError({ limit: parts.settings.maxToolRounds });
    const started = await startToolCalls(parts, run, conversation, message);
    if (started.kind === 'suspension') return started;
    conversation = await settle(parts, run, conversation, started);
  }
}

const WORDLESS: ReadonlySet<TriggerKind> = new Set(['cron', 'heartbeat', 'completion']);

/** Spaces and characters that have no width are nothing to a reader. */
function hasWords(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]/u.test(text);
}

/** What earlier attempts of this run have cost. */
async function usageBefore({ store }: RunParts, { runId, attempt }: OpenRun): Promise<Usage> {
  if (attempt === 1) return NO_USAGE;
  const rows = await store.select('usage', { where: { runId, purpose: 'run' } });
  return rows.reduce(addUsage, NO_USAGE);
}

/**
 * The model's answers in earlier attempts of this run; an answer that waits for a person is not in the transcript yet.
 * All of them count, because a run that keeps crashing would otherwise never reach its limit.
 */
function answersBefore({ ownEntries }: OpenRun, { asked }: Conversation): readonly AssistantMessage[] {
  const said = ownEntries.flatMap(({ message }) => (message.role === 'assistant' ? [message] : []));
  return asked ? [...said, asked] : said;
}

/** The rejected answer, and what is wrong with it. An empty message is left out, because no provider accepts one. */
async function revise(
  parts: RunParts,
  run: OpenRun,
  answer: AssistantMessage,
  { text, retryKey }: Revision,
): Promise<readonly SaidMessage[]> {
  const written = await writeMessage(parts, run, answer);
  const asked = await writeMessage(parts, run, { role: 'user', content: text });
  const said: readonly SaidMessage[] = [
    { message: written.message, meta: { revision: true } },
    { message: asked.message, meta: { revision: true, retryKey } },
  ];
  return said.filter(({ message }) => message.content.length > 0);
}

/** Settles the started tool calls, and prepares the next request with their results. */
async function settle(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  pending: NonNullable<Conversation['pending']>,
): Promise<Conversation> {
  const results = await settleToolCalls(parts, run, conversation, pending);
  const next = {
    ...conversation,
    pending: undefined,
    asked: undefined,
    toolCalls: conversation.toolCalls + results.length,
  };
  return goOn(parts, run, next, [{ message: pending.message, meta: pending.meta }, ...results], 'tools');
}

/**
 * The next request, with these messages added. It can be derived again from what is stored, so the run does not wait
 * for its commit, unless the conversation was compacted to fit.
 */
async function goOn(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  added: readonly SaidMessage[],
  why: 'tools' | 'revision',
): Promise<Conversation> {
  const { ledger, runId } = run;
  const { model, frame } = conversation;
  const said = added.map(({ message }) => message);
  const grown = {
    messages: [...conversation.messages, ...said],
    spans: added.flatMap((entry, index) => spansOfEntry(entry, conversation.messages.length + index)),
  };
  // The assistant's message with tool calls was written to the transcript before the calls started.
  const fresh = why === 'tools' ? added.slice(1) : added;
  const entries = fresh.map(({ message, meta }) => ledger.entry(message, { meta }));
  const retold = await fitConversation(parts, run, conversation, said, entries).catch((error: unknown) => {
    // The run ends here, and the results of its tools are stored with its end.
    for (const entry of entries) ledger.attach(entry);
    throw error;
  });
  const { messages, spans } = retold ?? grown;
  const wire = await model.prepare({ ...frame, messages });
  const call = conversation.call + 1;
  const request = [
    ledger.step('request', { call, provider: model.provider, model: model.model }),
    ...parts.capture({ runId, call, at: parts.now(), provider: model.provider, model: model.model, wire, spans }),
  ];
  if (retold) await commitCompaction(parts, run, retold.made, { before: entries, behind: request });
  else ledger.commitLater('next-request', [...entries, ...request]);
  return { ...conversation, messages, wire, call };
}
