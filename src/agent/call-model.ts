// Gets one answer from a model: it sends the prepared bytes, gathers the stream, and tries again where that makes
// sense: later when the provider is busy, with the next model when this one fails. What was streamed of a failed
// attempt does not count.
// Errors: throws ModelCallError when no model answered, and the reason of the signal when the run was stopped.

import type { ModelEnd, ModelFailure } from '../models/model.ts';
import { retryDelayMs } from '../models/retry-delay.ts';
import { isAtriumError } from '../protocol/errors.ts';
import { type AssistantMessage, type AssistantPart, type Message, toolCallsOf } from '../protocol/message.ts';
import { newId } from '../protocol/new-id.ts';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.ts';
import { commitCompaction } from './compaction/compact.ts';
import { shortenRefused } from './compaction/fit-conversation.ts';
import type { Conversation } from './conversation.ts';
import { ModelCallError } from './errors.ts';
import { keepUsage } from './keep-usage.ts';
import { exchangeOf, modelEnd } from './model-exchange.ts';
import type { OpenRun } from './open-run.ts';
import { parseToolInput } from './parse-tool-input.ts';
import type { RunParts } from './run-parts.ts';

export interface CalledModel {
  readonly message: AssistantMessage;
  readonly stop: ModelEnd['stop'];
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
  for (;;) {
    const attempt = await attemptWithRetries(parts, run, conversation);
    usage = addUsage(usage, attempt.usage);
    attempts += attempt.attempts;
    if (attempt.failure === undefined) return { ...attempt, usage, attempts, conversation };
    const shorter: Conversation | undefined = hasShortened
      ? undefined
      : await shorterConversation(parts, run, conversation, attempt.failure);
    hasShortened ||= shorter !== undefined;
    const next = shorter ?? (await nextModel(parts, run, conversation, attempt.failure));
    if (!next)
      throw new ModelCallError({
        provider: conversation.model.provider,
        model: conversation.model.model,
        kind: attempt.failure.kind,
        detail: attempt.failure.message,
      });
    run.useModel(next.model);
    conversation = next;
  }
}

interface Attempt {
  readonly message: AssistantMessage;
  readonly stop: ModelEnd['stop'];
  readonly usage: Usage;
  readonly attempts: number;
  readonly failure?: ModelFailure | undefined;
}

async function attemptWithRetries(parts: RunParts, run: OpenRun, conversation: Conversation): Promise<Attempt> {
  let usage = NO_USAGE;
  for (let attempts = 1; ; attempts++) {
    const streamed = await streamOnce(parts, run, conversation, attempts);
    usage = addUsage(usage, streamed.end.usage);
    run.signal.throwIfAborted();
    const { stop, error } = streamed.end;
    if (stop !== 'error' && stop !== 'aborted') return { message: streamed.message, stop, usage, attempts };
    const failure: ModelFailure = error ?? {
      kind: 'unknown',
      message: 'the stream ended without a reason',
      retryable: false,
    };
    const delay = failure.retryable ? retryDelayMs(failure, attempts, Math.random) : undefined;
    if (streamed.message.content.length > 0) reset(parts, run, conversation, failure.message);
    if (delay === undefined) return { message: streamed.message, stop, usage, attempts, failure };
    await parts.sleep(delay, run.signal);
  }
}

async function streamOnce(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  attempts: number,
): Promise<{ message: AssistantMessage; end: ModelEnd }> {
  const { model, call, wire } = conversation;
  const { runId, sessionKey, attempt } = run;
  const startedAt = parts.now();
  // The step differs for each request to a provider, also after a crash.
  const step = `${attempt}.${call}.${attempts}`;
  const exchange = exchangeOf(parts, run, model, step);
  const { frame, messages } = conversation;
  void parts.tell('prompt-sent', { ...exchange, ...frame, messages, prompt: run.text });
  void parts.tell('model-called', { ...exchange, call, body: wire.body, system: frame.system, messages });
  const content: AssistantPart[] = [];
  const takenIds = callIdsOf(messages);
  let text = '';
  let end: ModelEnd = { type: 'end', stop: 'error', usage: NO_USAGE };
  let firstByteAt: number | undefined;
  for await (const event of model.stream(wire, run.signal)) {
    firstByteAt ??= parts.now();
    if (event.type === 'text-delta') {
      text += event.text;
      void parts.tell('text-streamed', { runId, sessionKey, kind: 'text', attempt, call, text: event.text });
    } else if (event.type === 'tool-call') {
      if (text !== '') content.push({ type: 'text', text });
      text = '';
      const id = ownCallId(event.id, takenIds, startedAt);
      takenIds.add(id);
      content.push({ type: 'tool-call', id, name: event.name, params: parseToolInput(event.input) });
    } else if (event.type === 'reasoning-delta') {
      void parts.tell('text-streamed', { runId, sessionKey, kind: 'thinking', attempt, call, text: event.text });
    } else if (event.type === 'end') end = event;
  }
  if (text !== '') content.push({ type: 'text', text });
  const message: AssistantMessage = { role: 'assistant', content };
  keepUsage(parts, run, model, end.usage, 'run');
  const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const ended = modelEnd(exchange, {
    call,
    wire,
    end,
    text: said,
    ms: parts.now() - startedAt,
    startedAt,
    firstByteAt,
  });
  void parts.tell('model-ended', ended);
  if (end.stop !== 'error' && end.stop !== 'aborted')
    void parts.tell('answer-received', { ...exchange, prompt: run.text, message, text: said, usage: end.usage });
  return { message, end };
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
  const { model, frame } = conversation;
  const { provider } = model;
  const { messages, spans, made } = retold;
  const wire = await model.prepare({ ...frame, messages });
  const call = conversation.call + 1;
  await commitCompaction(parts, run, made, {
    behind: [
      run.ledger.step('request', { call, provider, model: model.model }),
      ...parts.capture({ runId: run.runId, call, at: parts.now(), provider, model: model.model, wire, spans }),
    ],
  });
  reset(parts, run, conversation, `${failure.message}; the conversation was shortened`);
  return { ...conversation, messages, wire, call };
}

/** The same request, prepared for the next model. */
async function nextModel(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  failure: ModelFailure,
): Promise<Conversation | undefined> {
  for (const [index, ref] of conversation.fallbacks.entries()) {
    try {
      const model = await parts.models.model(ref);
      const wire = await model.prepare({ ...conversation.frame, messages: conversation.messages });
      const call = conversation.call + 1;
      run.ledger.commitLater('next-request', [
        run.ledger.step('request', { call, provider: model.provider, model: model.model }),
        ...parts.capture({
          runId: run.runId,
          call,
          at: parts.now(),
          provider: model.provider,
          model: model.model,
          wire,
        }),
      ]);
      reset(
        parts,
        run,
        conversation,
        `${conversation.model.provider}/${conversation.model.model}: ${failure.message}; now ${ref.provider}/${ref.model}`,
      );
      return { ...conversation, model, wire, call, fallbacks: conversation.fallbacks.slice(index + 1) };
    } catch (error) {
      // When a fallback has no key, the one after it may still work.
      if (!isAtriumError(error)) throw error;
    }
  }
  return undefined;
}

function reset(parts: RunParts, { runId, sessionKey, attempt }: OpenRun, { call }: Conversation, reason: string): void {
  void parts.tell('text-voided', { runId, sessionKey, attempt, call, reason });
}
