// The loop of model and tools: ask the model, run the tools that it calls, ask again, until it answers in words. Inside
// this loop only messages are added; system blocks and tools stay as they were first sent.

import { type AssistantMessage, textOf, toolCallsOf } from '../protocol/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.ts';
import type { TriggerKind } from '../store/tables.ts';
import { normalizeToolName } from '../tools/tool-name.ts';
import { callModel } from './call-model.ts';
import { fitConversation } from './compaction/fit-conversation.ts';
import type { Conversation } from './conversation.ts';
import { ModelAnsweredNothingError, ToolRoundsExceededError } from './errors.ts';
import { Finalizer, type Revision } from './finalize-answer.ts';
import { hasWords } from './has-words.ts';
import { idsOf } from './ids-of.ts';
import { LoopWatch } from './loop-watch.ts';
import { type SaidMessage, spansOfEntry } from './message-spans.ts';
import { nextRequest } from './next-request.ts';
import type { OpenRun } from './open-run.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';
import { settleToolCalls } from './settle-tool-calls.ts';
import { startToolCalls } from './start-tool-calls.ts';
import type { Suspension, WaitSuspension } from './suspend-run.ts';
import { writeMessage } from './write-message.ts';

export async function converse(parts: RunParts, run: OpenRun, begun: Conversation): Promise<RunAnswer | Suspension> {
  const finalizer = new Finalizer(parts, run);
  const loops = new LoopWatch(parts.loops(run.agentId));
  loops.add(
    run.ownEntries.map(({ message }) => message),
    toolNamesOf(begun),
  );
  const taken = begun.asked ? await startToolCalls(parts, run, begun, { message: begun.asked }, loops) : begun.pending;
  if (taken?.kind === 'suspension') return taken;
  const first = taken ? await settle(parts, run, begun, taken, loops) : begun;
  if (isSuspension(first)) return first;
  let conversation = first;
  let usage = await usageBefore(parts, run);
  const before = answersBefore(run, begun);
  let modelCalls = before.length;
  let lastText = before.map(textOf).findLast(hasWords) ?? '';
  const notes: string[] = [];
  for (let round = 1 + before.length; ; round++) {
    const called = await callModel(parts, run, conversation);
    conversation = called.conversation;
    usage = addUsage(usage, called.usage);
    modelCalls += called.attempts;
    const { message } = called;
    notes.push(...called.notes);
    lastText = hasWords(textOf(message)) ? textOf(message) : lastText;

    if (toolCallsOf(message).length === 0) {
      const revision = await finalizer.ask(conversation, message);
      if (revision === undefined) {
        const { provider, model } = conversation.model;
        const { toolCalls, because } = conversation;
        const told = { provider, model, because, usage, modelCalls, toolCalls, stop: called.stop, notes };
        if (called.stop === 'refusal' && !hasWords(textOf(message))) {
          const reply = withheldSentence(`${provider}/${model}`, called.withheld);
          parts.warn(`An answer was withheld (run ${run.runId}): ${reply}`, idsOf(run));
          return { kind: 'answer', reply, ...told };
        }
        // A person who asked must get an answer; a run that no person waits for may end without words.
        if (lastText === '' && !WORDLESS.has(run.kind) && !isCutAsWished(conversation, called.stop))
          throw new ModelAnsweredNothingError({ provider, model, stop: called.stop });
        return { kind: 'answer', reply: lastText, message, thoughts: called.thoughts, ...told };
      }
      conversation = await goOn(parts, run, conversation, await revise(parts, run, message, revision), 'revision');
      continue;
    }

    if (round > parts.settings.maxToolRounds)
      throw new ToolRoundsExceededError({ limit: parts.settings.maxToolRounds });
    const started = await startToolCalls(parts, run, conversation, called, loops);
    if (started.kind === 'suspension') return started;
    const settled = await settle(parts, run, conversation, started, loops);
    if (isSuspension(settled)) return settled;
    conversation = settled;
  }
}

/** The person is told so in place of an answer. The model is not: these are no words of the conversation. */
function withheldSentence(model: string, reason: string | undefined): string {
  return `The provider of ${model} withheld the answer${reason === undefined ? '' : ` (${reason})`}. Ask in other words.`;
}

/** An API client that sets a limit, or a text at which the answer ends, may have cut all words off. That is no failure. */
function isCutAsWished({ frame: { wishes } }: Conversation, stop: RunAnswer['stop']): boolean {
  if (stop === 'length') return wishes?.maxTokens !== undefined;
  return stop === 'stop' && wishes?.stop !== undefined;
}

const WORDLESS: ReadonlySet<TriggerKind> = new Set(['cron', 'heartbeat', 'webhook', 'completion']);

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

function toolNamesOf({ frame }: Conversation): (name: string) => boolean {
  const names = new Set(frame.tools.map(({ name }) => normalizeToolName(name)));
  return (name) => names.has(name);
}

function isSuspension(value: Conversation | WaitSuspension): value is WaitSuspension {
  return 'kind' in value;
}

/** Settles the started tool calls, and prepares the next request with their results. */
async function settle(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  pending: NonNullable<Conversation['pending']>,
  loops: LoopWatch,
): Promise<Conversation | WaitSuspension> {
  const results = await settleToolCalls(parts, run, conversation, pending);
  if ('kind' in results) return results;
  loops.add([pending.message, ...results.map(({ message }) => message)], toolNamesOf(conversation));
  const next = {
    ...conversation,
    pending: undefined,
    asked: undefined,
    toolCalls: conversation.toolCalls + results.length,
  };
  return goOn(parts, run, next, [{ message: pending.message, meta: pending.meta }, ...results], 'tools');
}

/** The next request, with these messages added, made shorter where it would not fit. */
async function goOn(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  added: readonly SaidMessage[],
  why: 'tools' | 'revision',
): Promise<Conversation> {
  const { ledger } = run;
  const said = added.map(({ message }) => message);
  const grown = {
    messages: [...conversation.messages, ...said],
    spans: added.flatMap((entry, index) => spansOfEntry(entry, conversation.messages.length + index)),
  };
  // The assistant's message with tool calls was written to the transcript before the calls started.
  const fresh = why === 'tools' ? added.slice(1) : added;
  const entries = fresh.map(({ message, meta }) => ledger.entry(message, { meta }));
  try {
    const retold = await fitConversation(parts, run, conversation, said, entries);
    const { messages, spans } = retold ?? grown;
    return await nextRequest(parts, run, conversation, { messages, spans, entries, made: retold?.made });
  } catch (error) {
    // The run ends here, and the results of its tools are stored with its end. A run that is taken up again stores them
    // then.
    for (const entry of entries) ledger.attach(entry);
    throw error;
  }
}
