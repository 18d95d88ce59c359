// Hook handlers: which are called, which are not and why, and how the calls went; and rearming suspended ones.

import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, wholeNumber } from './pieces.ts';

const handlerName = (z: Zod) => z.object({ hook: z.string(), id: z.string(), owner: z.string() });

const inventoryItem = (z: Zod) =>
  z.object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['bundled handler', 'rule', 'configured handler', 'hook pack']),
    state: z.enum(['on', 'off', 'blocked', 'failed', 'elsewhere']),
    why: z.string().optional().describe('Why it is not called.'),
    description: z.string(),
    source: z.string(),
    call: z.looseObject({ priority: z.number(), timeoutMs: z.number() }),
    settings: z.array(z.union([z.string(), z.number()])).describe('Its place in the configuration.'),
    hasSwitch: z.boolean(),
    pack: z.unknown().optional(),
  });

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
    method: 'get',
    path: '/api/hooks/handlers',
    summary: 'Everything that could be called when a prompt of one agent is composed, with its state.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        agent: agentId(z).optional().describe('Default: the default agent.'),
        workspace: z.string().max(4_096).optional().describe("A folder instead of the agent's workspace."),
      }),
    answer: (z) =>
      z.object({
        agentId: agentId(z),
        workspaceDir: z.string(),
        items: z.array(inventoryItem(z)),
        problems: z.array(z.string()).describe('What went wrong while they were loaded.'),
        faults: z.array(z.string()).describe('Everything that is wrong with them.'),
        agentIds: z.array(agentId(z)),
      }),
    handle: ({ services, query }) => services.hooks.inventory({ agentId: query.agent, workspaceDir: query.workspace }),
  }),
  route({
    method: 'post',
    path: '/api/hooks/handlers/{id}',
    summary: 'Switches a handler, a rule or a hook pack on or off in the configuration; comments in it survive.',
    detail: 'It does what `atrium hooks enable` and `disable` do. The id is that of `GET /api/hooks/handlers`.',
    access: 'token',
    body: (z) => z.strictObject({ enabled: z.boolean(), agent: agentId(z).optional() }),
    answer: (z) =>
      z.object({
        item: inventoryItem(z),
        written: z
          .object({ setting: z.string(), file: z.string() })
          .nullable()
          .describe('Null when it was in this position already.'),
      }),
    handle: ({ services, params, body }) =>
      services.hooks.switch({ id: params.id, enabled: body.enabled, agentId: body.agent }),
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
