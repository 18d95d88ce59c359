// The gateways that share one database, and what an operator does with one of them.

import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, nothing } from './pieces.ts';

/** A node as the list and the status show it. */
export const shownNode = (z: Zod) =>
  z.object({
    id: z.string().nullable().describe('The id of its membership; null for a gateway whose store is a file.'),
    node: z.string(),
    url: z.string().nullable(),
    version: z.string(),
    joinedAt: at(z),
    status: z
      .enum(['up', 'draining', 'silent'])
      .describe('`silent`: it does not renew its lease, and no other node is there that would expel it.'),
    isHere: z.boolean().describe('The node that answers.'),
  });

const named = (z: Zod) => z.object({ node: z.string() });

export const NODE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/nodes',
    summary: 'The gateways that share the store, and where the workspaces of the agents are.',
    access: 'token',
    answer: (z) =>
      z.object({
        nodes: z.array(shownNode(z)),
        workspaces: z
          .array(
            z.object({
              agentId: agentId(z),
              place: z.enum(['bound', 'shared', 'apart', 'unknown']),
              node: z.string().nullable().describe('The node that the agent is bound to.'),
              problem: z.string().nullable(),
            }),
          )
          .describe('Empty where the store is a file.'),
      }),
    handle: async ({ services }) => {
      const [nodes, workspaces] = await Promise.all([services.nodes.list(), services.nodes.workspaces()]);
      return { nodes, workspaces };
    },
  }),
  route({
    method: 'post',
    path: '/api/nodes/{node}/drain',
    summary: 'Lets a node take no new work; what it has goes on, and its duties pass to others.',
    detail:
      'It stays a member until it is stopped, and a node that starts again takes work again. 404 when there is no node of this name.',
    access: 'token',
    body: nothing,
    answer: named,
    handle: async ({ services, params }) => {
      await services.nodes.drain(params.node);
      return { node: params.node };
    },
  }),
  route({
    method: 'delete',
    path: '/api/nodes/{node}',
    summary: 'Expels a node: nothing more is stored for it, and the others go on with its work.',
    detail:
      'For a node that is gone and is not noticed. One that lives joins again by itself. 404 when there is no node of this name.',
    access: 'token',
    answer: named,
    handle: async ({ services, params }) => {
      await services.nodes.remove(params.node);
      return { node: params.node };
    },
  }),
];
