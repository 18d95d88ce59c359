// Webhooks: other programs start a run, or tell an agent that something happened. What a request may ask for is decided by
// the settings below `hooks`.

import { checkFields } from '../../webhooks/webhook-fields.ts';
import type { Dispatched, WebhookCall } from '../../webhooks/webhooks.ts';
import { type ApiRequest, type Route, route, type Zod } from '../route.ts';

const anyQuery = (z: Zod) => z.looseObject({});
const anyBody = (z: Zod) => z.unknown();
const accepted = (z: Zod) =>
  z.object({
    ok: z.literal(true),
    runId: z.string().optional().describe('The run that was put into the inbox.'),
    runIds: z.array(z.string()).optional().describe('When there are several.'),
    dispatched: z.number().optional().describe('How many runs and events there are, when there are several.'),
    mode: z.string().optional().describe('For an event: `now` or `next-heartbeat`.'),
    eventOutcome: z.string().optional().describe('For an event: `queued`, or `coalesced` when it was accepted before.'),
    completion: z
      .object({ status: z.enum(['ok', 'skipped', 'error']) })
      .optional()
      .describe('With `waitForCompletion`: what became of the run. What it answered is not told.'),
    notUsed: z.array(z.string()).optional().describe('Fields of the request that changed nothing.'),
  });

export const WAKE_WEBHOOK = route({
  method: 'post',
  path: '/hooks/wake',
  summary: 'Tells an agent in its main session that something happened: `text`, and `mode` `now` or `next-heartbeat`.',
  detail: 'The base path is `hooks.path`. Answers when it is stored.',
  access: 'webhook',
  query: anyQuery,
  body: anyBody,
  answer: accepted,
  handle: async (request) => {
    const call = callOf(request, 'wake');
    return answerOf(await request.services.webhooks.wake(call), checkFields('wake', call.payload));
  },
});

export const AGENT_WEBHOOK = route({
  method: 'post',
  path: '/hooks/agent',
  summary: 'Starts a run with `message`, in a session of its own.',
  detail:
    'The header `Idempotency-Key` makes repetitions harmless. Answers when the run is in the inbox, with `waitForCompletion` when it is over.',
  access: 'webhook',
  query: anyQuery,
  body: anyBody,
  answer: accepted,
  handle: async (request) => {
    const call = callOf(request, 'agent');
    const notUsed = checkFields('agent', call.payload);
    const dispatched = await request.services.webhooks.agent(call);
    const [first] = dispatched;
    if (call.payload.waitForCompletion !== true || !first?.runId) return answerOf(dispatched, notUsed);
    const { status } = await request.services.runs.wait(first.runId, request.signal);
    return { ...answerOf(dispatched, notUsed), completion: { status: COMPLETIONS[status] ?? 'error' } };
  },
});

/** A run that a gate blocked was not carried out; every other end without an answer is an error. */
const COMPLETIONS: Readonly<Partial<Record<string, 'ok' | 'skipped'>>> = { done: 'ok', blocked: 'skipped' };

export const MAPPED_WEBHOOK = route({
  method: 'post',
  path: '/hooks/{name}',
  summary: 'Starts what the first mapping of `hooks.mappings` and `hooks.presets` makes of any JSON body.',
  detail: 'It answers 204 when the mapping makes nothing of it.',
  access: 'webhook',
  patterns: { name: '.+' },
  query: anyQuery,
  body: anyBody,
  answer: accepted,
  handle: async (request) => answerOf(await request.services.webhooks.mapped(callOf(request, request.params.name))),
});

export const WEBHOOK_ROUTES: readonly Route[] = [WAKE_WEBHOOK, AGENT_WEBHOOK, MAPPED_WEBHOOK];

function callOf(
  { body, query, header, headers, now }: ApiRequest<unknown, Readonly<Record<string, unknown>>, unknown>,
  path: string,
): WebhookCall {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const payload = isObject ? (body as Readonly<Record<string, unknown>>) : {};
  const inBody = typeof payload.idempotencyKey === 'string' ? payload.idempotencyKey : undefined;
  const idempotencyKey = [header('idempotency-key'), header('x-openclaw-idempotency-key'), inBody].find((each) =>
    each?.trim(),
  );
  return { path, payload, query, header, headers, now: now(), idempotencyKey };
}

function answerOf(dispatched: readonly Dispatched[], notUsed: readonly string[] = []): object {
  const [first] = dispatched;
  if (!first) return new Response(null, { status: 204 });
  const runIds = dispatched.flatMap(({ runId }) => (runId === null ? [] : [runId]));
  const wakes = dispatched.filter(({ kind }) => kind === 'wake');
  return {
    ok: true,
    ...(runIds[0] !== undefined && { runId: runIds[0] }),
    ...(dispatched.length > 1 && { runIds, dispatched: dispatched.length }),
    ...(wakes[0] && {
      mode: wakes[0].mode,
      eventOutcome: wakes.some(({ isNew }) => isNew) ? 'queued' : 'coalesced',
    }),
    ...(notUsed.length > 0 && { notUsed }),
  };
}
