// Whether the process is alive, and whether it accepts messages.

import { JsonReply } from '../json-reply.ts';
import { type Route, route, type Zod } from '../route.ts';

const health = (z: Zod) =>
  z.object({
    status: z.enum(['ok', 'starting', 'ready', 'draining', 'store-refuses', 'not-a-member']),
    problem: z.string().optional(),
    node: z
      .object({
        node: z.string(),
        member: z.string().nullable().describe('The id of its membership; null while it is no member.'),
        status: z.enum(['member', 'draining', 'not-a-member']),
      })
      .optional()
      .describe('What this gateway is among those that share its database. Absent when its store is a file.'),
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
      'Not while the gateway starts or stops, nor while the store refuses: it is full, read-only, or its files were removed or replaced (`store-refuses`). Of several nodes, one that drains or is no member of the cluster is not ready either, so that a load balancer sends requests to the others.',
    access: 'open',
    answer: health,
    isDirect: true,
    handle: async ({ state, services }) => {
      const status = state();
      if (status !== 'ready') return new JsonReply({ status }, { status: 503 });
      const node = services.nodes.membership();
      if (node && node.status !== 'member') {
        const problem = services.nodes.problem();
        const told = problem === undefined ? { status: node.status } : { status: 'store-refuses' as const, problem };
        return new JsonReply({ ...told, node }, { status: 503 });
      }
      const problem = await services.storeProblem();
      if (problem === undefined) return { status, ...(node && { node }) };
      return new JsonReply({ status: 'store-refuses', problem, ...(node && { node }) }, { status: 503 });
    },
  }),
];
