// In which runs a text was in the prompt, and why it was not in the others.

import { docsCommand } from '../../../protocol/documents.ts';
import { type Route, route, type Zod } from '../route.ts';
import { agentId, at, cursor, id, limit, next, position, sessionKey, wholeNumber } from './pieces.ts';

const lines = (z: Zod) => z.tuple([wholeNumber(z), wholeNumber(z)]).optional();

const place = (z: Zod) =>
  z.object({
    where: z.enum(['system', 'tools', 'messages']),
    kind: z.enum(['file', 'handler', 'rule', 'product', 'plugin', 'tool', 'conversation']),
    name: z.string(),
    path: z.string().optional().describe('The file in which the words stand.'),
    lines: lines(z).describe('Its lines with the text.'),
    hash: z.string().describe('Of the file as it was read then; for other words, of what this author wrote there.'),
  });

const missing = (z: Zod) =>
  z.object({
    reason: z.string().describe(`The reasons of the context report, and those of "${docsCommand('receipts')}".`),
    what: z.string().optional().describe('The file, handler, plugin or tool that it is about.'),
    path: z.string().optional(),
    lines: lines(z),
    hash: z.string().optional().describe('Of the file as it was read then.'),
    by: z.string().optional(),
    detail: z.string(),
  });

export const RECEIPT_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/receipts',
    summary: 'The runs in which a text was in the prompt, and those in which it was not, with the reason.',
    detail:
      'Counts are of all runs that were asked for; `runs` is a page of them, the latest first. See [receipts.md](receipts.md).',
    access: 'token',
    query: (z) =>
      z.strictObject({
        text: z.string().min(1).max(1_000).describe('It may have several lines.'),
        ignoreCase: z.enum(['true', 'false']).default('false'),
        since: position(z).optional().describe('Milliseconds since 1970: only runs from then on.'),
        until: position(z).optional().describe('Only runs before then.'),
        agent: agentId(z).optional(),
        session: sessionKey(z).optional(),
        list: z.enum(['all', 'present', 'absent']).default('all').describe('Which runs are listed.'),
        limit: limit(z),
        before: cursor(z, 'run').optional().describe('A run id: only runs that began before it are listed.'),
      }),
    answer: (z) =>
      z.object({
        counts: z.object({
          present: wholeNumber(z),
          absent: wholeNumber(z),
          unseen: wholeNumber(z).describe('Recorded runs that were not looked at, because they are not indexed yet.'),
          blocked: wholeNumber(z).describe('Runs that a gate blocked, of which nothing is recorded.'),
          unrecorded: wholeNumber(z).describe('Other runs without a record: no longer kept, or no model was asked.'),
        }),
        firstAt: at(z).nullable(),
        lastAt: at(z).nullable(),
        places: z.array(place(z).extend({ runs: wholeNumber(z) })).describe('Where it stood, in how many runs.'),
        missing: z.array(missing(z).extend({ runs: wholeNumber(z) })).describe('Why it was not there.'),
        runs: z.array(
          z.object({
            runId: id(z),
            at: at(z),
            agentId: agentId(z),
            sessionKey: sessionKey(z),
            verdict: z.enum(['present', 'absent', 'unrecorded']),
            places: z.array(place(z)),
            missing: missing(z).nullable(),
          }),
        ),
        next: next(z),
      }),
    handle: ({ services: { receipts }, query: { agent, session, ignoreCase, ...query } }) =>
      receipts.find({ ...query, agentId: agent, sessionKey: session, ignoresCase: ignoreCase === 'true' }),
  }),
];
