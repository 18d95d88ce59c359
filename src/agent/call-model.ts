// Gets one answer from a model: it sends the prepared bytes, gathers the stream, and tries again where that makes
// sense: later when the provider is busy, without images when they may be why it refuses, with the next model when this
// one fails. What was streamed of a failed attempt does not count; what was streamed until a person stopped the run does.
// Errors: throws ModelCallError when no model answered, and the reason of the signal when the run was stopped.

import { AnswerWishError } from '../models/errors.ts';
import type { ModelEnd, ModelFailure, WireRequest } from '../models/model.ts';
import { retryDelayMs } from '../models/retry-delay.ts';
import { sentBytes } from '../models/wire-images.ts';
import type { AttachmentRef } from '../protocol/attachment.ts';
import { isAtriumError, RunStoppedError } from '../protocol/errors.ts';
import { type AssistantMessage, type AssistantPart, type Message, toolCallsOf } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.ts';
import { isChosenByPerson } from './asked-models.ts';
import { shortenRefused } from './compaction/fit-conversation.ts';
import type { Conversation } from './conversation.ts';
import { ModelCallError } from './errors.ts';
import { hideImages } from './hide-images.ts';
import { keepCutAnswer } from './keep-cut-answer.ts';
import { keepUsage } from './keep-usage.ts';
import { exchangeOf, modelEnd, warnOfNotes } from './model-exchange.ts';
import { mustBeTakenUpAgain } from './must-be-taken-up-again.ts';
import { nextRequest } from './next-request.ts';
import type { OpenRun } from './open-run.ts';
import { parseToolInput } from './parse-tool-input.ts';
import type { RunParts } from './run-parts.ts';
import { reserveAgain } from './spend/reserve-call.ts';
import { settleCall } from './spend/settle-call.ts';

export interface CalledModel {
  readonly message: AssistantMessage;
  /** What the model told of its thoughts before the message; empty when it told none. */
  readonly thoughts: string;
  readonly stop: ModelEnd['stop'];
  /** Why the provider withholds the answer, in its own words. */
  readonly withheld?: string | undefined;
  /** What of the answer could not be read and was left out. */
  readonly notes: readonly string[];
  readonly usage: Usage;
  readonly attempts: number;
  /** The conversation with the model and the request that were answered in the end. */
  readonly conversation: Conversation;
}

export async function callModel(parts: RunParts, run: OpenRun, asked: Conversation): Promise<CalledModel> {
  let conversation = asked;
  let usage = NO_USAGE;
  let attempts = 0;
  let hasShortened = false;
  const untold: AnswerWishError[] = [];
  for (;;) {
    const attempt = await attemptWithRetries(parts, run, conversation);
    usage = addUsage(usage, attempt.usage);
    attempts += attempt.attempts;
    if (attempt.failure === undefined) return { ...attempt, usage, attempts, conversation };
    const shorter: Conversation | undefined = hasShortened
      ? undefined
      : await shorterConversation(parts, run, conversation, attempt.failure);
    hasShortened ||= shorter !== undefined;
    const unseen = shorter ? undefined : await hideImages(parts, run, conversation, attempt.failure);
    if (unseen) reset(parts, run, conversation, `${attempt.failure.message}; asked again without images`);
    const next = shorter ?? unseen ?? (await nextModel(parts, run, conversation, attempt.failure, untold));
    if (!next)
      throw new ModelCallError({
        provider: conversation.model.provider,
        model: conversation.model.model,
        kind: attempt.failure.kind,
        detail: attempt.failure.message,
        isChosen: isChosenByPerson(parts.models, run, conversation.model),
        untold: untold.map(({ model, param }) => ({ model, param })),
      });
    run.useModel(next.model);
    conversation = next;
  }
}

interface Attempt {
  readonly message: AssistantMessage;
  readonly thoughts: string;
  readonly stop: ModelEnd['stop'];
  readonly withheld?: string | undefined;
  readonly notes: readonly string[];
  readonly usage: Usage;
  readonly attempts: number;
  readonly failure?: ModelFailure | undefined;
}

async function attemptWithRetries(parts: RunParts, run: OpenRun, conversation: Conversation): Promise<Attempt> {
  let usage = NO_USAGE;
  for (let attempts = 1; ; attempts++) {
    await reserveAgain(parts, run, conversation, (writes) => run.ledger.commitApart('spend', writes));
    const streamed = await streamOnce(parts, run, conversation, attempts);
    usage = addUsage(usage, streamed.end.usage);
    if (run.signal.reason instanceof RunStoppedError) await keepCutAnswer(parts, run, streamed);
    run.signal.throwIfAborted();
    const { stop, error, withheld, notes = [] } = streamed.end;
    warnOfNotes(parts, run, conversation.model, streamed.end);
    if (stop !== 'error' && stop !== 'aborted')
      return { message: streamed.message, thoughts: streamed.thoughts, stop, withheld, notes, usage, attempts };
    const failure: ModelFailure = error ?? {
      kind: 'unknown',
      message: 'the stream ended without a reason',
      retryable: false,
    };
    const delay = failure.retryable ? retryDelayMs(failure, attempts, Math.random) : undefined;
    if (streamed.message.content.length > 0 || streamed.thoughts !== '')
      reset(parts, run, conversation, failure.message);
    if (delay === undefined) return { message: streamed.message, thoughts: '', stop, notes, usage, attempts, failure };
    await parts.sleep(delay, run.signal);
  }
}

async function streamOnce(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  attempts: number,
): Promise<{ message: AssistantMessage; end: ModelEnd; thoughts: string }> {
  const { model, call, wire } = conversation;
  const { runId, sessionKey, attempt } = run;
  const startedAt = parts.now();
  // The step differs for each request to a provider, also after a crash.
  const step = `${attempt}.${call}.${attempts}`;
  const exchange = exchangeOf(parts, run, model, step);
  const { frame, messages } = conversation;
  const imagesCount = imagesShown(run.inbound.attachments ?? [], wire);
  void parts.tell('prompt-sent', { ...exchange, ...frame, messages, prompt: run.text, imagesCount });
  void parts.tell('model-called', {
    ...exchange,
    call,
    body: wire.body,
    sentBytes: sentBytes(wire),
    system: frame.system,
    prompt: run.text,
    messages,
  });
  const content: AssistantPart[] = [];
  const takenIds = callIdsOf(messages);
  let text = '';
  let thinking = '';
  let end: ModelEnd = { type: 'end', stop: 'error', usage: NO_USAGE };
  let firstByteAt: number | undefined;
  for await (const event of model.stream(wire, run.signal)) {
    firstByteAt ??= parts.now();
    if (event.type === 'text-delta') {
      text += event.text;
      void parts.tell('text-streamed', { runId, sessionKey, attempt, call, text: event.text });
    } else if (event.type === 'tool-call') {
      if (text !== '') content.push({ type: 'text', text });
      text = '';
      const id = ownCallId(event.id, takenIds, startedAt);
      takenIds.add(id);
      content.push({ type: 'tool-call', id, name: event.name, params: parseToolInput(event.input) });
    } else if (event.type === 'reasoning-delta') {
      thinking += event.text;
      void parts.tell('thought-streamed', { runId, sessionKey, attempt, call, text: event.text });
    } else if (event.type === 'end') end = event;
  }
  if (text !== '') content.push({ type: 'text', text });
  const message: AssistantMessage = { role: 'assistant', content };
  keepUsage(parts, run, model, end.usage, 'run');
  settleCall(run, { model, wire, end, heard: [thinking, ...content.map(wordsOf)].join('') });
  const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const ended = modelEnd(exchange, {
    call,
    wire,
    end,
    text: said,
    thinking,
    toolCalls: toolCallsOf(message),
    ms: parts.now() - startedAt,
    startedAt,
    firstByteAt,
  });
  void parts.tell('model-ended', ended);
  if (end.stop !== 'error' && end.stop !== 'aborted')
    void parts.tell('answer-received', { ...exchange, prompt: run.text, message, text: said, usage: end.usage });
  return { message, end, thoughts: thinking };
}

/** Everything that the model wrote counts, also what it wants a tool to do. */
function wordsOf(part: AssistantPart): string {
  return part.type === 'text' ? part.text : JSON.stringify(part);
}

/** How many files of the message are images of this request. */
function imagesShown(attachments: readonly AttachmentRef[], { images = [] }: WireRequest): number {
  const shown = new Set(images.map(({ hash }) => hash));
  return attachments.filter(({ hash }) => shown.has(hash)).length;
}

/**
 * Some servers number their calls from the start in every answer, and results are matched to calls by id. So an id that
 * was used before is replaced.
 */
function ownCallId(id: string, taken: ReadonlySet<string>, now: number): string {
  return id === '' || taken.has(id) ? newId('call', now) : id;
}

function callIdsOf(messages: readonly Message[]): Set<string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []));
  return new Set(calls.map(({ id }) => id));
}

/**
 * A request that is too long is shortened once. Another model is not tried first, although it might accept the long
 * request.
 */
async function shorterConversation(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  failure: ModelFailure,
): Promise<Conversation | undefined> {
  if (failure.kind !== 'context-length') return undefined;
  const retold = await shortenRefused(parts, run, conversation);
  if (!retold) return undefined;
  const next = await nextRequest(parts, run, conversation, retold);
  reset(parts, run, conversation, `${failure.message}; the conversation was shortened`);
  return next;
}

/** The same request, prepared for the next model. Those that cannot be told what a client wishes are added to `untold`. */
async function nextModel(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  failure: ModelFailure,
  untold: AnswerWishError[],
): Promise<Conversation | undefined> {
  for (const [index, ref] of conversation.fallbacks.entries()) {
    try {
      const model = await parts.models.model(ref, run.agentId);
      const next = await nextRequest(parts, run, conversation, { model, messages: conversation.messages });
      const now = `${next.model.provider}/${next.model.model}`;
      reset(
        parts,
        run,
        conversation,
        `${conversation.model.provider}/${conversation.model.model}: ${failure.message}; now ${now}`,
      );
      return { ...next, fallbacks: conversation.fallbacks.slice(index + 1) };
    } catch (error) {
      // When a fallback has no key, or a limit has no room for it, the one after it may still work.
      if (!isAtriumError(error) || mustBeTakenUpAgain(error)) throw error;
      if (error instanceof AnswerWishError) untold.push(error);
    }
  }
  return undefined;
}

function reset(parts: RunParts, { runId, sessionKey, attempt }: OpenRun, { call }: Conversation, reason: string): void {
  void parts.tell('text-voided', { runId, sessionKey, attempt, call, reason });
}
