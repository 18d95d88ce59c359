// What model calls have used and cost.

import { SPEND_PERIODS } from '../../../protocol/spend-limit.ts';
import { isTimezone } from '../../../protocol/timezone.ts';
import { sumUsage, USAGE_GROUPINGS } from '../../services/usage.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, position, sessionKey, wholeNumber } from './pieces.ts';

export const usageSum = (z: Zod) =>
  z.object({
    calls: wholeNumber(z),
    input: wholeNumber(z).describe('Tokens, cached ones included.'),
    output: wholeNumber(z),
    cacheRead: wholeNumber(z),
    cacheWrite: wholeNumber(z),
    cost: z.number().nullable().describe('Of the calls whose price is known; null when it is known of none.'),
    unpriced: wholeNumber(z).describe('How many calls have no known price.'),
  });

const scopeNames = (z: Zod) => ({
  agent: z.string().nullable().describe('A name, `*` for each one, or null for all together.'),
  session: z.string().nullable(),
  sender: z.string().nullable().describe('As `channel:sender`.'),
});

export const USAGE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/usage/limits',
    summary: 'The limits on spending, and what they have come to in their current period.',
    detail: 'Money is in the currency of the configured prices; see [spend.md](spend.md).',
    access: 'token',
    answer: (z) =>
      z.object({
        timezone: z.string().describe('Where days and months begin.'),
        limits: z.array(
          z.object({
            setting: z.string().describe('Where it is written, such as `limits.spend[0]`.'),
            ...scopeNames(z),
            per: z.enum(SPEND_PERIODS),
            money: z.number().nullable(),
            tokens: z.number().nullable(),
            warnAt: z.number(),
            cheaper: z.string().nullable().describe('The model that answers when there is no room; null: refused.'),
            until: at(z).nullable().describe('When it begins anew; null for sessions.'),
            counters: z.array(
              z.object({
                ...scopeNames(z),
                period: z.string().describe('The day, the month or the id of the session.'),
                spentMoney: z.number(),
                spentTokens: wholeNumber(z),
                reservedMoney: z.number().describe('What calls that are being made may still cost.'),
                reservedTokens: wholeNumber(z),
                unpriced: wholeNumber(z).describe('Calls of unknown price, which are not part of the money.'),
                share: z.number().describe('The share of the limit that is spent, without what is reserved.'),
              }),
            ),
            more: wholeNumber(z).describe('How many counters are left out.'),
          }),
        ),
      }),
    handle: ({ services }) => services.spending(),
  }),
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
        groups: z.array(
          usageSum(z).extend({
            key: z.string(),
            lastAt: at(z),
            withSubagents: usageSum(z)
              .nullable()
              .describe(
                'With all subagents of the session or run; null where there are none, and for other groupings.',
              ),
          }),
        ),
        others: usageSum(z).nullable().describe('Everything older that has no line of its own.'),
        total: usageSum(z),
        totalWithSubagents: usageSum(z)
          .nullable()
          .describe(
            'For `session` and `run`: the total with all their subagents. Else null: the total has every call once.',
          ),
      }),
    handle: ({ services, query: { agent, session, run, ...query } }) =>
      sumUsage(services.store, { ...query, agentId: agent, sessionKey: session, runId: run }),
  }),
];
