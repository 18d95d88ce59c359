// What model calls have used and cost.

import { isTimezone } from '../../../protocol/timezone.ts';
import { sumUsage, USAGE_GROUPINGS } from '../../services/usage.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, position, sessionKey, wholeNumber } from './pieces.ts';

const usageSum = (z: Zod) =>
  z.object({
    calls: wholeNumber(z),
    input: wholeNumber(z).describe('Tokens, cached ones included.'),
    output: wholeNumber(z),
    cacheRead: wholeNumber(z),
    cacheWrite: wholeNumber(z),
    cost: z.number().nullable().describe('Of the calls whose price is known; null when it is known of none.'),
    unpriced: wholeNumber(z).describe('How many calls have no known price.'),
  });

export const USAGE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/usage',
    summary: 'Tokens and cost of model calls, summed up by day, agent, session, model or run.',
    detail:
      'Days are those of `timezone`, UTC unless you say; see [conversations.md](conversations.md#usage-and-cost).',
    access: 'token',
    query: (z) =>
      z.strictObject({
        by: z.enum(USAGE_GROUPINGS).default('day'),
        timezone: z
          .string()
          .max(64)
          .refine(isTimezone, { error: 'There is no such time zone' })
          .default('UTC')
          .describe('Where the days begin, for example "Europe/Berlin".'),
        since: position(z).optional().describe('Milliseconds since 1970: only calls from then on.'),
        agent: agentId(z).optional(),
        session: sessionKey(z).optional(),
        run: id(z).optional(),
      }),
    answer: (z) =>
      z.object({
        by: z.enum(USAGE_GROUPINGS),
        timezone: z.string(),
        groups: z.array(usageSum(z).extend({ key: z.string(), lastAt: at(z) })),
        others: usageSum(z).nullable().describe('Everything older that has no line of its own.'),
        total: usageSum(z),
      }),
    handle: ({ services, query: { agent, session, run, ...query } }) =>
      sumUsage(services.store, { ...query, agentId: agent, sessionKey: session, runId: run }),
  }),
];
