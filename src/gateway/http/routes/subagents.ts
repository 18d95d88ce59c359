// Subagents: list them as trees, show one, and stop one with all that it has spawned.

import { CHILD_STATES } from '../../../protocol/child-view.ts';
import { findChildByName, listChildren, showChild } from '../../services/read-children.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, limit, nothing, sessionKey, wholeNumber } from './pieces.ts';
import { usageSum } from './usage.ts';

const facts = (z: Zod) => ({
  sessionKey: sessionKey(z),
  parentKey: sessionKey(z),
  parentRunId: id(z).describe('The run that spawned it.'),
  agentId: agentId(z),
  depth: wholeNumber(z).describe('1 for the subagent of a session that no other session spawned.'),
  mode: z.enum(['run', 'session']),
  taskName: z.string().nullable(),
  label: z.string().nullable(),
  task: z.string().describe('In a list only the beginning.'),
  state: z.enum(CHILD_STATES),
  createdAt: at(z),
  startedAt: at(z).nullable().describe('Null until its first run has begun.'),
  endedAt: at(z).nullable(),
  elapsedMs: wholeNumber(z),
  result: z.string().nullable().describe('In a list only the beginning.'),
  error: z.string().nullable(),
  own: usageSum(z).describe('What its own runs have used.'),
  all: usageSum(z).describe('The same with all its descendants.'),
});

const subagent = (z: Zod) =>
  z.object({
    ...facts(z),
    children: z.array(z.looseObject(facts(z))).describe('What it has spawned itself; each has its own `children`.'),
  });

export const SUBAGENT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/subagents',
    summary: 'Subagents as trees, with state, time, tokens and cost, in the order in which they were spawned.',
    detail:
      'Without `session` and `run` those of all sessions that no other session spawned. Of more than `limit`, the latest. `waits` are the runs of the session that wait for subagents. [subagents.md](subagents.md) explains them.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        session: sessionKey(z).optional().describe('Only those that this session has spawned.'),
        run: id(z).optional().describe('Only those that this run has spawned.'),
        active: z.enum(['true', 'false']).default('false').describe('Only those that have not ended.'),
      }),
    answer: (z) =>
      z.object({
        subagents: z.array(subagent(z)),
        waits: z.array(
          z.object({
            runId: id(z),
            toolCallId: z.string(),
            awaited: z.array(sessionKey(z)),
            expiresAt: at(z),
          }),
        ),
      }),
    handle: async ({ services: { store }, now, query: { session, run, active, limit: most } }) => {
      const query = { parentKey: session, parentRunId: run, isActive: active === 'true', limit: most };
      const waits =
        session === undefined
          ? []
          : await store.select('waits', { where: { sessionKey: session, status: 'waiting' }, limit: most });
      return {
        subagents: await listChildren(store, query, now()),
        waits: waits.map(({ runId, toolCallId, awaited, expiresAt }) => ({ runId, toolCallId, awaited, expiresAt })),
      };
    },
  }),
  route({
    method: 'get',
    path: '/api/subagents/{subagent}',
    summary: 'One subagent with its whole task, its result and what it has spawned.',
    detail:
      'By the key of its session, the beginning of the last part of the key, its task name, its label, or `last`.',
    access: 'token',
    answer: (z) => z.object({ subagent: subagent(z) }),
    handle: async ({ services: { store }, now, params }) => ({
      subagent: await showChild(store, await findChildByName(store, params.subagent), now()),
    }),
  }),
  route({
    method: 'post',
    path: '/api/subagents/{subagent}/kill',
    summary: 'Stops a subagent with all that it has spawned; its parent is told.',
    detail: '`killed` is false when it was over already.',
    access: 'token',
    body: nothing,
    answer: (z) => z.object({ sessionKey: sessionKey(z), killed: z.boolean() }),
    handle: async ({ services, params }) => {
      const { childKey } = await findChildByName(services.store, params.subagent);
      return { sessionKey: childKey, killed: await services.children.kill(childKey) };
    },
  }),
];
