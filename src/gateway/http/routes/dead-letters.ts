// Dead letters: messages that were given up, which a person can send again or delete.

import { findDeadLetter } from '../../../delivery/dead-letters.ts';
import { type Route, route, type Zod } from '../route.ts';
import { at, cursor, id, limit, next, nothing, pageOf, sessionKey, wholeNumber } from './pieces.ts';

const deadLetter = (z: Zod) =>
  z.object({
    id: id(z),
    direction: z.enum(['in', 'out']),
    runId: id(z),
    sessionKey: sessionKey(z),
    reason: z.string(),
    createdAt: at(z),
    payload: z.unknown(),
  });
const purged = (z: Zod) => z.object({ purged: wholeNumber(z) });

export const DEAD_LETTER_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/deadletters',
    summary: 'What was given up, the latest first.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        limit: limit(z),
        before: cursor(z, 'dead').optional().describe('A dead letter id: only older ones.'),
        direction: z.enum(['in', 'out']).optional(),
      }),
    answer: (z) => z.object({ deadLetters: z.array(deadLetter(z)), next: next(z) }),
    handle: async ({ services, query }) => {
      const rows = await services.store.select('deadLetters', {
        where: {
          ...(query.before !== undefined && { id: { lt: query.before } }),
          ...(query.direction !== undefined && { direction: query.direction }),
        },
        orderBy: [['id', 'desc']],
        limit: query.limit + 1,
      });
      const { page, ...rest } = pageOf(rows, query.limit, (letter) => letter.id);
      return { deadLetters: page, ...rest };
    },
  }),
  route({
    method: 'delete',
    path: '/api/deadletters',
    summary: 'Removes every dead letter, if `all=true` says so.',
    access: 'token',
    query: (z) => z.strictObject({ all: z.literal('true').describe('Says that every dead letter is meant.') }),
    answer: purged,
    handle: async ({ services }) => ({ purged: await services.deadLetters.purge('all') }),
  }),
  route({
    method: 'get',
    path: '/api/deadletters/{id}',
    summary: 'One dead letter.',
    access: 'token',
    answer: (z) => z.object({ deadLetter: deadLetter(z) }),
    handle: async ({ services, params }) => ({ deadLetter: await findDeadLetter(services.store, params.id) }),
  }),
  route({
    method: 'delete',
    path: '/api/deadletters/{id}',
    summary: 'Removes one dead letter.',
    access: 'token',
    answer: purged,
    handle: async ({ services, params }) => {
      const letter = await findDeadLetter(services.store, params.id);
      return { purged: await services.deadLetters.purge([letter.id]) };
    },
  }),
  route({
    method: 'post',
    path: '/api/deadletters/{id}/replay',
    summary: 'Sends a dead letter again.',
    access: 'token',
    body: nothing,
    answer: (z) => z.object({ runId: id(z) }),
    handle: ({ services, params }) => services.deadLetters.replay(params.id),
  }),
];
