// OpenAI's chat completions and models, answered by agents. A run belongs to its client: when the client disconnects,
// the run is stopped, unless an idempotency key says that the client will ask again; then the answer is kept for it.

import type { z } from 'zod';
import type { Services } from '../../services/services.ts';
import {
  type AnswerFacts,
  callDeltas,
  finishReason,
  formatCalls,
  formatChunk,
  formatCompletion,
  formatUsageChunk,
} from '../chat-answer.ts';
import { readChatRequest, resolveModelName } from '../chat-request.ts';
import {
  beginClientRun,
  CLIENT_GONE_STATUS,
  type ClientRun,
  type EndedTurn,
  earlyEnd,
  endOfTurn,
  failedAnswer,
  leavingWith,
  runHeaders,
  stopWhenGone,
  wordsBeside,
} from '../client-run.ts';
import { chatTuningShape } from '../client-tuning.ts';
import { CHAT_PATH } from '../endpoint-paths.ts';
import { type ErrorAnswer, errorBody, toErrorAnswer } from '../error-answer.ts';
import { EventStream } from '../event-stream.ts';
import { JsonReply } from '../json-reply.ts';
import { type ApiRequest, type Route, route, type Zod } from '../route.ts';
import { runFailure } from '../run-failure.ts';
import { RunFollower } from '../run-follower.ts';
import { StreamedDraft } from '../streamed-draft.ts';
import { id, wholeNumber } from './pieces.ts';

const model = (z: Zod) =>
  z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });

/** All other fields are allowed here; `CHAT_FIELDS` says what becomes of each. */
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
          tool_call_id: z.string().max(256).nullish(),
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
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: z.unknown().optional(),
    functions: z.array(z.unknown()).nullish(),
    ...chatTuningShape(z),
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
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z
            .array(
              z.object({
                id: z.string(),
                type: z.literal('function'),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .optional(),
        }),
        finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_calls']),
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
    path: CHAT_PATH,
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
    const run = await beginClientRun(services, request, { at: now(), signal });
    const facts = { runId: run.runId, model: body.model, createdAt: now() };
    const shown = runHeaders(run);
    const isStopped = request.idempotencyKey === undefined;
    if (follower) {
      const includeUsage = body.stream_options?.include_usage === true;
      const client = leavingWith(signal);
      if (isStopped) stopWhenGone(services, run.runId, client.signal);
      const turn = endOfTurn(services, run, client.signal);
      const early = await earlyEnd(turn, follower, run.runId);
      const failure = early && early.calls.length === 0 ? runFailure(early.run) : undefined;
      if (failure) {
        follower.close();
        return failedAnswer(failure, shown);
      }
      return streamAnswer({ facts, includeUsage, run, turn, follower, client, shown, services });
    }
    if (isStopped) stopWhenGone(services, run.runId, signal);
    const ended = await endOfTurn(services, run, signal);
    if (ended.calls.length > 0)
      return new JsonReply(formatCalls(facts, ended, wordsBeside(services, ended.calls)), { headers: shown });
    const failure = runFailure(ended.run);
    return failure
      ? failedAnswer(failure, shown)
      : new JsonReply(formatCompletion({ ...facts, createdAt: ended.run.startedAt }, ended), { headers: shown });
  } catch (error) {
    follower?.close();
    if (signal.aborted) return new Response(null, { status: CLIENT_GONE_STATUS });
    throw error;
  }
}

interface StreamParts {
  readonly facts: AnswerFacts;
  readonly includeUsage: boolean;
  readonly run: ClientRun;
  /** The end of the turn. */
  readonly turn: Promise<EndedTurn>;
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
  const { facts, includeUsage, run, turn, follower, client } = parts;
  const tell = (data: object) => events.tell(JSON.stringify(data));
  const tellText = (text: string) => {
    if (text !== '') tell(formatChunk(facts, { content: text }, null, includeUsage));
  };
  const draft = new StreamedDraft();
  try {
    tell(formatChunk(facts, { role: 'assistant', content: '' }, null, includeUsage));
    // A client that asks again missed the beginning, so it gets the answer in one piece.
    if (run.isNew) follower.follow(run.runId, (event) => tellText(draft.add(event)));
    else follower.close();
    const ended = await turn;
    if (ended.calls.length > 0) tellCalls(ended, tell, tellText, parts);
    else tellEnd(ended, draft, tell, tellText, parts);
  } catch (error) {
    if (!client.signal.aborted) tell(errorBody(toErrorAnswer(error), true));
  } finally {
    follower.close();
  }
  events.tell('[DONE]');
}

/** The calls of the client's own tools. The words beside them were told while they came. */
function tellCalls(
  ended: EndedTurn,
  tell: (data: object) => void,
  tellText: (text: string) => void,
  { facts, includeUsage, run, services }: StreamParts,
): void {
  if (!run.isNew) tellText(wordsBeside(services, ended.calls));
  for (const delta of callDeltas(ended.calls)) tell(formatChunk(facts, delta, null, includeUsage));
  tell(formatChunk(facts, {}, 'tool_calls', includeUsage));
  if (includeUsage) tell(formatUsageChunk(facts, ended));
}

function tellEnd(
  ended: EndedTurn,
  draft: StreamedDraft,
  tell: (data: object) => void,
  tellText: (text: string) => void,
  { facts, includeUsage }: StreamParts,
): void {
  const { run } = ended;
  const rest = draft.finish(run.outcome?.reply ?? '');
  const failure = runFailure(run) ?? (rest === undefined ? replacedAnswer(run) : undefined);
  if (failure) {
    tell(errorBody(failure, true));
    return;
  }
  tellText(rest ?? '');
  tell(formatChunk(facts, {}, finishReason(run), includeUsage));
  if (includeUsage) tell(formatUsageChunk(facts, ended));
}

function replacedAnswer({ runId }: EndedTurn['run']): ErrorAnswer {
  return {
    status: 502,
    code: 'draft_replaced',
    message: `The answer changed after a part of it was sent. The whole answer is at GET /api/runs/${runId}.`,
  };
}

function toModel(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'atrium' };
}
