// Hook handlers: which are called, which are not and why, and how the calls went; and rearming suspended ones.

import { type Route, route, type Zod } from '../route.ts';
import { at, id, wholeNumber } from './pieces.ts';

const handlerName = (z: Zod) => z.object({ hook: z.string(), id: z.string(), owner: z.string() });

export const HOOK_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/hooks',
    summary: 'Every hook handler: called or not and why, and how its calls went since the start.',
    detail: '`absent` names the plugins that are not loaded.',
    access: 'token',
    answer: (z) =>
      z.object({
        handlers: z.array(
          handlerName(z).extend({
            priority: z.number().nullable(),
            timeoutMs: z.number().nullable(),
            state: z.enum(['armed', 'blocked', 'suspended', 'pending', 'failed']),
            reason: z.string().nullable().describe('Why it is not called; null for one that is.'),
            calls: wholeNumber(z).describe('Since the gateway started.'),
            errors: wholeNumber(z),
            timeouts: wholeNumber(z),
            notCalled: wholeNumber(z).describe('How often it was its turn and it was passed over.'),
            p50Ms: z.number().nullable(),
            p95Ms: z.number().nullable(),
            lastFiredAt: at(z).nullable(),
            lastFailure: z.object({ at: at(z), outcome: z.string(), error: z.string().nullable() }).nullable(),
          }),
        ),
        absent: z
          .array(z.object({ owner: z.string(), state: z.string(), reason: z.string() }))
          .describe('Plugins that are not loaded, so that it is not known what they would register.'),
      }),
    handle: ({ services }) => services.hooks.status(),
  }),
  route({
    method: 'post',
    path: '/api/hooks/rearm',
    summary: 'Lets suspended handlers be called again, by hook, id or plugin.',
    access: 'token',
    body: (z) => z.strictObject({ name: id(z).describe('A hook, the id of a handler, or an owner such as a plugin.') }),
    answer: (z) => z.object({ rearmed: z.array(handlerName(z)) }),
    handle: async ({ services, body }) => ({ rearmed: await services.hooks.rearm(body.name) }),
  }),
];
