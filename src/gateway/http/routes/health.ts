// Whether the process is alive, and whether it accepts messages.

import { JsonReply } from '../json-reply.ts';
import { type Route, route, type Zod } from '../route.ts';

const health = (z: Zod) =>
  z.object({
    status: z.enum(['ok', 'starting', 'ready', 'draining', 'store-refuses']),
    problem: z.string().optional(),
  });

export const HEALTH_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Says that the process is alive.',
    access: 'open',
    answer: health,
    isDirect: true,
    handle: () => ({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    summary: 'Says whether messages are accepted; 503 when not.',
    detail:
      'Not while the gateway starts or stops, nor while the store refuses: it is full, read-only, or its files were removed or replaced (`store-refuses`).',
    access: 'open',
    answer: health,
    isDirect: true,
    handle: async ({ state, services }) => {
      const status = state();
      if (status !== 'ready') return new JsonReply({ status }, { status: 503 });
      const problem = await services.storeProblem();
      if (problem === undefined) return { status };
      return new JsonReply({ status: 'store-refuses', problem }, { status: 503 });
    },
  }),
];
