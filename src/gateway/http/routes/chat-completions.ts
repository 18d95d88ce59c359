// OpenAI's chat completions and models, answered by agents. A run belongs to its client: when the client disconnects,
// the run is stopped, unless an idempotency key says that the client will ask again; then the answer is kept for it.

import type { z } from 'zod';
import type { ReceiveResult } from '../../../channels/channel.ts';
import type { LiveEvent } from '../../../protocol/live-event.ts';
import type { RunRow } from '../../../store/tables.ts';
import type { Services } from '../../services/services.ts';
import { bringFiles, givenFiles } from '../bring-files.ts';
import { type AnswerFacts, finishReason, formatChunk, formatCompletion, formatUsageChunk } from '../chat-answer.ts';
import { chatFieldsLeftOut } from '../chat-fields.ts';
import { readChatRequest, resolveModelName } from '../chat-request.ts';
import { type ErrorAnswer, errorBody, toErrorAnswer } from '../error-answer.ts';
import { EventStream } from '../event-stream.ts';
import { JsonReply } from '../json-reply.ts';
import { findReceived, receiveOnce } from '../receive-once.ts';
import { type ApiRequest, type Route, route, type Zod } from '../route.ts';
import { runFailure } from '../run-failure.ts';
import { StreamedDraft } from '../streamed-draft.ts';
import { id, wholeNumber } from './pieces.ts';

const model = (z: Zod) =>
  z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });

/** All other fields are allowed here; `CHAT_FIELDS` says which are refused and which have no effect. */
const chatBody = (z: Zod) =>
  z.looseObject({
    model: z.string().min(1).max(256),
    messages: z
      .array(
        z.looseObject({
          role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
          content: z
            .union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
            .optional(),
          tool_calls: z.array(z.unknown()).nullish(),
          function_call: z.unknown().optional(),
        }),
      )
      .min(1)
      .max(10_000),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    user: id(z).nullish(),
    metadata: z.looseObject({}).nullish(),
    n: z.number().nullish(),
    tools: z.array(z.unknown()).nullish(),
    functions: z.array(z.unknown()).nullish(),
  });
export type ChatCompletionBody = z.infer<ReturnType<typeof chatBody>>;

const completion = (z: Zod) =>
  z.object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: wholeNumber(z),
        message: z.object({ role: z.literal('assistant'), content: z.string(), refusal: z.null() }),
        finish_reason: z.enum(['stop', 'length', 'content_filter']),
        logprobs: z.null(),
      }),
    ),
    usage: z.object({
      prompt_tokens: wholeNumber(z),
      completion_tokens: wholeNumber(z),
      total_tokens: wholeNumber(z),
      prompt_tokens_details: z.object({ cached_tokens: wholeNumber(z) }),
    }),
  });

export const CHAT_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/v1/chat/completions',
    summary: "OpenAI's chat completions; the model is an agent.",
    detail:
      'User messages may have parts of the types `image_url` (a data: URL, or an address under the rules of `web_fetch`) and `file` (`file_data`).',
    access: 'ready',
    body: chatBody,
    bodyLimit: 32 * 1_048_576,
    answer: completion,
    isDirect: true,
    handle: answerChat,
  }),
  route({
    method: 'get',
    path: '/v1/models',
    summary: 'The agents, as models.',
    access: 'token',
    answer: (z) => z.object({ object: z.literal('list'), data: z.array(model(z)) }),
    handle: ({ agentIds }) => {
      const ids = ['atrium', ...agentIds().map((agentId) => `atrium/${agentId}`)];
      return { object: 'list', data: ids.map(toModel) };
    },
  }),
  route({
    method: 'get',
    path: '/v1/models/{model}',
    patterns: { model: '.+' },
    summary: 'One agent, as a model.',
    access: 'token',
    answer: model,
    handle: ({ params, agentIds }) => {
      resolveModelName(params.model, agentIds());
      return toModel(params.model);
    },
  }),
];

async function answerChat(asked: ApiRequest<unknown, unknown, ChatCompletionBody>): Promise<Response | JsonReply> {
  const { services, agentIds, now, body, header, signal } = asked;
  const headers = { sessionKey: header('x-openclaw-session-key'), idempotencyKey: header('idempotency-key') };
  const request = readChatRequest(body, headers, agentIds());
  const follower = body.stream ? new RunFollower(services) : undefined;
  try {
    const { seed: _, ...said } = request;
    const message = {
      ...said,
      at: now(),
      user: request.user ?? request.sessionKey,
      isAwaited: request.idempotencyKey === undefined,
      given: givenFiles(request),
    };
    const earlier = message.given === undefined ? undefined : await findReceived(services, message);
    const accepted =
      earlier ?? (await receiveOnce(services, { ...message, ...(await bringFiles(services, request, signal)) }));
    const facts = { runId: accepted.runId, model: body.model, createdAt: now() };
    const shown = { ...runHeaders(accepted), ...leftOutHeader(body) };
    const isStopped = request.idempotencyKey === undefined;
    if (follower) {
      const includeUsage = body.stream_options?.include_usage === true;
      const client = leavingWith(signal);
      if (isStopped) stopWhenGone(services, accepted.runId, client.signal);
      return streamAnswer({ facts, includeUsage, accepted, follower, client, shown, services });
    }
    if (isStopped) stopWhenGone(services, accepted.runId, signal);
    const run = await services.runs.wait(accepted.runId, signal, { isNew: accepted.outcome === 'accepted' });
    const failure = runFailure(run);
    return failure
      ? failedAnswer(failure, shown)
      : new JsonReply(formatCompletion({ ...facts, createdAt: run.startedAt }, run), { headers: shown });
  } catch (error) {
    follower?.close();
    if (signal.aborted) return new Response(null, { status: CLIENT_GONE });
    throw error;
  }
}

/** The client of a stream may leave in two ways: its connection ends, or it reads no further. */
function leavingWith(signal: AbortSignal): AbortController {
  const client = new AbortController();
  const leave = () => client.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return client;
}

/** No client reads this status; it keeps a client that left from looking like an error. */
const CLIENT_GONE = 499;

interface StreamParts {
  readonly facts: AnswerFacts;
  readonly includeUsage: boolean;
  readonly accepted: ReceiveResult;
  readonly follower: RunFollower;
  readonly client: AbortController;
  readonly shown: Readonly<Record<string, string>>;
  readonly services: Services;
}

function streamAnswer(parts: StreamParts): Response {
  const { client, shown } = parts;
  const events = new EventStream(() => client.abort());
  void tellRun(events, parts).finally(() => events.close());
  return new Response(events.body, { headers: { ...shown, 'content-type': 'text/event-stream; charset=utf-8' } });
}

async function tellRun(events: EventStream, parts: StreamParts): Promise<void> {
  const { facts, includeUsage, accepted, follower, client, services } = parts;
  const tell = (data: object) => events.tell(JSON.stringify(data));
  const tellText = (text: string) => {
    if (text !== '') tell(formatChunk(facts, { content: text }, null, includeUsage));
  };
  const draft = new StreamedDraft();
  try {
    tell(formatChunk(facts, { role: 'assistant', content: '' }, null, includeUsage));
    // A client that asks again missed the beginning, so it gets the answer in one piece.
    if (accepted.outcome === 'accepted') follower.follow(accepted.runId, (event) => tellText(draft.add(event)));
    else follower.close();
    const run = await services.runs.wait(accepted.runId, client.signal);
    tellEnd(run, draft, tell, tellText, parts);
  } catch (error) {
    if (!client.signal.aborted) tell(errorBody(toErrorAnswer(error), true));
  } finally {
    follower.close();
  }
  events.tell('[DONE]');
}

function tellEnd(
  run: RunRow,
  draft: StreamedDraft,
  tell: (data: object) => void,
  tellText: (text: string) => void,
  { facts, includeUsage }: StreamParts,
): void {
  const rest = draft.finish(run.outcome?.reply ?? '');
  const failure = runFailure(run) ?? (rest === undefined ? replacedAnswer(run) : undefined);
  if (failure) {
    tell(errorBody(failure, true));
    return;
  }
  tellText(rest ?? '');
  tell(formatChunk(facts, {}, finishReason(run), includeUsage));
  if (includeUsage) tell(formatUsageChunk(facts, run));
}

function replacedAnswer({ runId }: RunRow): ErrorAnswer {
  return {
    status: 502,
    code: 'draft_replaced',
    message: `The answer changed after a part of it was sent. The whole answer is at GET /api/runs/${runId}.`,
  };
}

/**
 * Clients repeat a request on such a status by themselves. The run's work must not be repeated without the person
 * knowing, so a header tells the client not to retry.
 */
function failedAnswer(failure: ErrorAnswer, headers: Readonly<Record<string, string>>): JsonReply {
  return new JsonReply(errorBody(failure, true), {
    status: failure.status,
    headers: { ...headers, 'x-should-retry': 'false' },
  });
}

function stopWhenGone(services: Services, runId: string, gone: AbortSignal): void {
  const stop = () => void services.runs.stop(runId).catch(() => {});
  if (gone.aborted) stop();
  else gone.addEventListener('abort', stop, { once: true });
}

/** A session key may contain characters that a header cannot. */
function runHeaders({ runId, sessionKey }: ReceiveResult): Record<string, string> {
  const isPlain = /^[\x21-\x7e]+$/.test(sessionKey);
  return { 'x-atrium-run-id': runId, ...(isPlain && { 'x-openclaw-session-key': sessionKey }) };
}

/** Most fields are set by a client's library, so more names than these help nobody. */
const MOST_NAMES = 20;

function leftOutHeader(body: ChatCompletionBody): Record<string, string> {
  const names = chatFieldsLeftOut(body).slice(0, MOST_NAMES);
  return names.length === 0 ? {} : { 'x-atrium-left-out': names.join(', ') };
}

function toModel(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'atrium' };
}

/** Listens from before the message is handed in, so that no event of its run is missed. */
class RunFollower {
  #unsubscribe: () => void;
  #early: LiveEvent[] = [];
  #listener: ((event: LiveEvent) => void) | undefined;
  #runId: string | undefined;

  constructor(services: Services) {
    this.#unsubscribe = services.subscribe((event) => {
      if (this.#listener === undefined) this.#early.push(event);
      else if (event.runId === this.#runId) this.#listener(event);
    });
  }

  follow(runId: string, listener: (event: LiveEvent) => void): void {
    this.#runId = runId;
    this.#listener = listener;
    for (const event of this.#early) if (event.runId === runId) listener(event);
    this.#early = [];
  }

  close(): void {
    this.#unsubscribe();
    this.#early = [];
  }
}
