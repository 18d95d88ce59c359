// OpenAI's responses, answered by agents. A response is one turn of a run with its client: its id names the run, so it can
// be asked for, continued and cancelled later, also after a restart.

import type { z } from 'zod';
import { parseClientCallId } from '../../../protocol/client-call-id.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { RequestInvalidError, UnknownResponseError } from '../../errors.ts';
import { type ClientTurn, readClientTurn } from '../../services/client-turns.ts';
import { isOver } from '../../services/runs.ts';
import type { Services } from '../../services/services.ts';
import {
  beginClientRun,
  CLIENT_GONE_STATUS,
  type ClientRun,
  earlyEnd,
  failedAnswer,
  leavingWith,
  runHeaders,
  stopWhenGone,
  wordsBeside,
} from '../client-run.ts';
import type { Said } from '../client-talk.ts';
import { responseTuningShape } from '../client-tuning.ts';
import { RESPONSES_PATH } from '../endpoint-paths.ts';
import { type ErrorAnswer, toErrorAnswer } from '../error-answer.ts';
import { EventStream } from '../event-stream.ts';
import { JsonReply } from '../json-reply.ts';
import {
  formatResponse,
  messageId,
  parseResponseId,
  type ResponseFacts,
  type ResponseState,
  stateOfTurn,
} from '../response-answer.ts';
import { ResponseEvents } from '../response-events.ts';
import { readResponseRequest } from '../response-request.ts';
import { type ApiRequest, type Route, route, type Zod } from '../route.ts';
import { RunFollower } from '../run-follower.ts';
import { StreamedDraft } from '../streamed-draft.ts';
import { id } from './pieces.ts';

/** All other fields are allowed here; `RESPONSE_FIELDS` says what becomes of each. */
const responseBody = (z: Zod) =>
  z.looseObject({
    model: z.string().min(1).max(256),
    input: z.union([
      z.string(),
      z
        .array(
          z.looseObject({
            type: z.string().optional(),
            role: z.string().optional(),
            content: z.unknown().optional(),
            id: z.unknown().optional(),
            call_id: z.unknown().optional(),
            name: z.unknown().optional(),
            arguments: z.unknown().optional(),
            output: z.unknown().optional(),
          }),
        )
        .min(1)
        .max(10_000),
    ]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().max(256).nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    metadata: z.looseObject({}).nullish(),
    user: id(z).nullish(),
    tools: z.array(z.unknown()).nullish(),
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z.looseObject({ format: z.unknown().optional(), verbosity: z.unknown().optional() }).nullish(),
    reasoning: z.looseObject({ effort: z.unknown().optional() }).nullish(),
    ...responseTuningShape(z),
  });
export type ResponseBody = z.infer<ReturnType<typeof responseBody>>;

const response = (z: Zod) =>
  z.looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
    model: z.string(),
    output: z.array(z.looseObject({ id: z.string(), type: z.enum(['message', 'function_call']) })),
  });

export const RESPONSE_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: RESPONSES_PATH,
    summary: "OpenAI's responses; the model is an agent.",
    detail: 'Messages may have parts of the types `input_image` and `input_file`, as chat completions have them.',
    access: 'ready',
    body: responseBody,
    bodyLimit: 32 * 1_048_576,
    answer: response,
    handle: answerResponse,
  }),
  route({
    method: 'get',
    path: `${RESPONSES_PATH}/{response}`,
    summary: 'One response, as it stands now.',
    access: 'token',
    answer: response,
    handle: async ({ params, services }) => tellTurn(services, await findTurn(services, params.response)),
  }),
  route({
    method: 'post',
    path: `${RESPONSES_PATH}/{response}/cancel`,
    summary: 'Stops a response that is not complete yet; one that is over stays as it is.',
    access: 'ready',
    answer: response,
    handle: async ({ params, services, signal }) => {
      const { run } = await findTurn(services, params.response);
      if (!isOver(run) && (await services.runs.stop(run.runId, 'its client cancelled it')))
        await services.runs.wait(run.runId, signal);
      return tellTurn(services, await findTurn(services, params.response));
    },
  }),
];

async function answerResponse(asked: ApiRequest<unknown, unknown, ResponseBody>): Promise<Response | JsonReply> {
  const { services, agentIds, now, body, header, signal } = asked;
  if (body.background && body.stream)
    throw new RequestInvalidError({
      problem: '"stream" and "background" cannot be used together here.',
      param: 'stream',
    });
  const sessionKey = await continuedSession(services, body.previous_response_id ?? undefined, body.input);
  const headers = { sessionKey: header('x-openclaw-session-key'), idempotencyKey: header('idempotency-key') };
  const itemOf = (item: string) => findItem(services, item);
  const request = await readResponseRequest(body, headers, { agentIds: agentIds(), sessionKey, itemOf });
  const follower = body.stream ? new RunFollower(services) : undefined;
  try {
    const run = await beginClientRun(services, request, { at: now(), signal, isKept: body.background === true });
    const shown = runHeaders(run);
    const turn = await readClientTurn(services.store, run.runId);
    const facts = factsOf(turn, run, request.client.asked ?? {}, now());
    if (body.background) return new JsonReply(formatResponse(facts, stateOf(services, turn)), { headers: shown });
    const isStopped = request.idempotencyKey === undefined;
    if (follower) {
      const client = leavingWith(signal);
      if (isStopped) stopWhenGone(services, run.runId, client.signal);
      const end = endOfTurn(services, facts, client.signal);
      const early = await earlyEnd(end, follower, run.runId);
      if (early?.failure) {
        follower.close();
        return failedAnswer(early.failure, shown);
      }
      const events = new EventStream(() => client.abort());
      void tellRun(events, { facts, run, end, follower, client }).finally(() => events.close());
      return new Response(events.body, { headers: { ...shown, 'content-type': 'text/event-stream; charset=utf-8' } });
    }
    if (isStopped) stopWhenGone(services, run.runId, signal);
    const state = await endOfTurn(services, facts, signal);
    return state.failure
      ? failedAnswer(state.failure, shown)
      : new JsonReply(formatResponse(facts, state), { headers: shown });
  } catch (error) {
    follower?.close();
    if (signal.aborted) return new Response(null, { status: CLIENT_GONE_STATUS });
    throw error;
  }
}

interface StreamParts {
  readonly facts: ResponseFacts;
  readonly run: ClientRun;
  readonly end: Promise<ResponseState>;
  readonly follower: RunFollower;
  readonly client: AbortController;
}

async function endOfTurn(
  services: Services,
  { runId, index }: ResponseFacts,
  signal: AbortSignal,
): Promise<ResponseState> {
  await services.runs.turn(runId, signal);
  return stateOf(services, await readClientTurn(services.store, runId, index));
}

async function tellRun(stream: EventStream, { facts, run, end, follower, client }: StreamParts): Promise<void> {
  const events = new ResponseEvents(facts, (event) => stream.tell(JSON.stringify(event), String(event.type)));
  const draft = new StreamedDraft();
  try {
    events.begin();
    if (run.isNew) follower.follow(run.runId, (event) => events.addText(draft.add(event)));
    else follower.close();
    const state = await end;
    const isCalls = state.calls.length > 0;
    const rest = isCalls ? (run.isNew ? '' : state.text) : draft.finish(state.text);
    if (!state.failure) events.addText(rest ?? '');
    events.end(rest === undefined && !state.failure ? failed(REPLACED) : state);
  } catch (error) {
    if (!client.signal.aborted) events.end(failed(toErrorAnswer(error)));
  } finally {
    follower.close();
  }
}

const REPLACED: ErrorAnswer = {
  status: 502,
  code: 'draft_replaced',
  message: 'The answer changed after a part of it was sent. GET /v1/responses/{id} has the whole answer.',
};

function failed(failure: ErrorAnswer): ResponseState {
  return { status: 'failed', text: '', calls: [], failure };
}

function stateOf(services: Services, turn: ClientTurn | undefined): ResponseState {
  if (!turn) return { status: 'queued', text: '', calls: [] };
  return stateOfTurn(turn, wordsBeside(services, turn.calls));
}

function factsOf(
  turn: ClientTurn | undefined,
  { runId }: ClientRun,
  asked: ResponseFacts['asked'],
  now: number,
): ResponseFacts {
  return { runId, index: turn?.index ?? 0, createdAt: turn?.trigger.acceptedAt ?? now, asked };
}

function tellTurn(services: Services, turn: ClientTurn): object {
  const { run, index, trigger } = turn;
  const asked = trigger.payload?.client?.asked ?? {};
  return formatResponse({ runId: run.runId, index, createdAt: trigger.acceptedAt, asked }, stateOf(services, turn));
}

/** Rejects with UnknownResponseError, also for one that its client did not want to be kept. */
async function findTurn({ store }: Services, responseId: string): Promise<ClientTurn> {
  const named = parseResponseId(responseId);
  const turn = named && (await readClientTurn(store, named.runId, named.index).catch(() => undefined));
  const asked = turn?.trigger.payload?.client?.asked;
  if (!turn || !isJsonObject(asked) || asked.store === false)
    throw new UnknownResponseError({ id: responseId.slice(0, 100) });
  return turn;
}

/** The session that goes on. Results find their run by themselves, so they need none. */
async function continuedSession(
  services: Services,
  previous: string | undefined,
  input: ResponseBody['input'],
): Promise<string | undefined> {
  if (previous === undefined) return undefined;
  const { run } = await findTurn(services, previous);
  const areResults = typeof input !== 'string' && input.every(({ type }) => type === 'function_call_output');
  if (areResults) return run.sessionKey;
  const where = { sessionKey: run.sessionKey };
  const [last] = await services.store.select('runs', { where, orderBy: [['startedAt', 'desc']], limit: 1 });
  if (last && last.runId !== run.runId) {
    throw new RequestInvalidError({
      problem: `"previous_response_id" names the response "${previous}", and its conversation has gone on since. Name its last response, or send the whole conversation as "input".`,
      param: 'previous_response_id',
    });
  }
  return run.sessionKey;
}

/** An item of an earlier response that the client refers to by its id. */
async function findItem(services: Services, itemId: string): Promise<Said | undefined> {
  const call = parseClientCallId(itemId.replace(/^fc_/, 'call_'));
  const named = call ? { runId: call.runId, index: undefined } : parseResponseId(itemId);
  if (!named) return undefined;
  for (let index = named.index ?? 0; ; index++) {
    const turn = await readClientTurn(services.store, named.runId, index).catch(() => undefined);
    if (!turn) return undefined;
    const made = turn.calls.find(({ id: callId }) => callId === itemId.replace(/^fc_/, 'call_'));
    if (made)
      return { role: 'assistant', text: '', files: [], calls: [{ id: made.id, name: made.name, params: made.params }] };
    if (!call && messageId(named.runId, index) === itemId)
      return { role: 'assistant', text: stateOf(services, turn).text, files: [] };
  }
}
