// Whether the process is alive, and whether it accepts messages.

import { type Route, route, type Zod } from '../route.ts';

const health = (z: Zod) => z.object({ status: z.enum(['ok', 'starting', 'ready', 'draining']) });

export const HEALTH_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Says that the process is alive.',
    access: 'open',
    answer: health,
    handle: () => ({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    summary: 'Says whether messages are accepted; 503 when not.',
    access: 'open',
    answer: health,
    handle: ({ state }) => {
      const status = state();
      return Response.json({ status }, { status: status === 'ready' ? 200 : 503 });
    },
  }),
];
