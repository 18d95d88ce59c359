// Methods: the list of them, and a call of one of them.

import type { JsonObject } from '../../../protocol/json.ts';
import { type Route, route } from '../route.ts';

export const METHOD_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/methods',
    summary: 'The methods that may be called by name, and whose they are.',
    access: 'token',
    answer: (z) => z.object({ methods: z.array(z.object({ method: z.string(), plugin: z.string().nullable() })) }),
    handle: ({ services }) => ({ methods: services.methods.list() }),
  }),
  route({
    method: 'post',
    path: '/api/methods/{method}',
    summary: "Calls a method, the gateway's own or a plugin's.",
    detail: "An error has the plugin's words. The same over the socket is the frame [`call`](delivery.md).",
    access: 'token',
    body: (z) =>
      z.looseObject({ params: z.record(z.string(), z.unknown()).default({}).describe('What the method takes.') }),
    answer: (z) => z.object({ ok: z.literal(true), payload: z.unknown() }),
    handle: async ({ services, params, body }) => {
      const payload = await services.methods.call(params.method, body.params as JsonObject, { id: 'api' });
      return { ok: true, payload: payload ?? null };
    },
  }),
];
