// The health of the providers' prompt caches.

import { BREAK_CAUSES } from '../../services/cache/judge-break.ts';
import { reportCache } from '../../services/cache/report-cache.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, id, position, sessionKey, wholeNumber } from './pieces.ts';

const comparedWith = (z: Zod) =>
  z
    .object({
      kind: z
        .enum(['call', 'run', 'agent'])
        .describe('The request before in the run, of the session, or of another session of the agent.'),
      runId: id(z),
      call: wholeNumber(z),
      at: at(z),
    })
    .nullable()
    .describe('The earlier request; null when there was none to share with.');

const prefixBreak = (z: Zod) =>
  z.object({
    where: z.string().describe('Such as "system[0], line 12", "tools[3]", "messages[4]" or "model".'),
    cause: z.enum(BREAK_CAUSES),
    author: z.string().describe('Who changed the first byte that differs.'),
    line: wholeNumber(z).optional().describe('The line, when the author is a file.'),
    isInput: z.boolean().describe('True when an input changed, so that no more could be shared.'),
    next: z.string().optional().describe('What can be done about it.'),
    lostBytes: wholeNumber(z),
  });

const asked = (z: Zod) => ({ call: wholeNumber(z), at: at(z), provider: z.string(), model: z.string() });

export const CACHE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/cache',
    summary: 'What was read from prompt caches and written to them, and every place where a prompt changed.',
    detail:
      'Computed from the requests that are kept. Without `since` it looks at all of them; see [cache.md](cache.md).',
    access: 'token',
    query: (z) =>
      z.strictObject({
        since: position(z).optional().describe('Milliseconds since 1970: only runs that began from then on.'),
        agent: agentId(z).optional(),
        session: sessionKey(z).optional(),
        run: id(z).optional(),
      }),
    answer: (z) =>
      z.object({
        tokens: z.object({
          input: wholeNumber(z),
          cacheRead: wholeNumber(z),
          cacheWrite: wholeNumber(z),
          uncached: wholeNumber(z).describe('Neither read from a cache nor written to one.'),
        }),
        saved: z.number().nullable().describe('Below zero when the caches cost more; null when no price is known.'),
        unpriced: wholeNumber(z).describe('How many calls have no known price.'),
        requests: z.object({
          runs: wholeNumber(z),
          sent: wholeNumber(z),
          compared: wholeNumber(z),
          first: wholeNumber(z).describe('Without an earlier request to share with.'),
          gone: wholeNumber(z).describe('Not kept any more.'),
        }),
        prefix: z.object({
          sharedBytes: wholeNumber(z),
          shareableBytes: wholeNumber(z),
          share: z.number().nullable().describe('From 0 to 1; null when nothing could be shared.'),
        }),
        breaks: z
          .array(
            prefixBreak(z).extend({
              ...asked(z),
              with: comparedWith(z),
              runId: id(z),
              sessionKey: sessionKey(z),
              agentId: agentId(z),
              lostTokens: wholeNumber(z).describe('Estimated.'),
              lostCost: z.number().nullable().describe('Null when no price is known.'),
              times: wholeNumber(z).describe('How often this author broke a prefix.'),
            }),
          )
          .describe('The most expensive first, 200 at most.'),
        breakCount: wholeNumber(z),
        calls: z
          .array(
            z.object({
              ...asked(z),
              bytes: wholeNumber(z),
              with: comparedWith(z),
              sharedBytes: wholeNumber(z),
              shareableBytes: wholeNumber(z),
              break: prefixBreak(z).nullable(),
              newFrom: z
                .object({
                  span: wholeNumber(z).describe('Its index in `GET /api/runs/{run}/spans/{call}`.'),
                  char: wholeNumber(z).describe('How many characters of the span are as they were.'),
                })
                .nullable()
                .describe('The first character that is not as in the earlier request.'),
            }),
          )
          .nullable()
          .describe('The requests of the run that was asked for, one by one.'),
      }),
    handle: ({ services: { store, models }, query: { agent, session, run, since } }) =>
      reportCache(store, { since, agentId: agent, sessionKey: session, runId: run }, models.pricesOf),
  }),
];
