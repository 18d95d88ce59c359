// What is recorded: how much room it takes, and the removal of what is old.

import { RECORD_KINDS, RECORD_PLACES } from '../../upkeep/record-sizes.ts';
import { PRUNABLE } from '../../upkeep/retention.ts';
import { type Route, route, type Zod } from '../route.ts';
import { wholeNumber } from './pieces.ts';

export const recordSizes = (z: Zod) =>
  z.array(
    z.object({
      what: z.enum([...RECORD_PLACES, ...RECORD_KINDS]),
      within: z
        .literal('store')
        .optional()
        .describe('Set for kinds of records that are a part of the store; their sizes may be a minute old.'),
      bytes: wholeNumber(z),
      bytesPerDay: z.number().optional().describe('Absent until the gateway has run for some minutes.'),
    }),
  );

export const RECORD_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/prune',
    summary: 'Removes old records, by the configured limits or by an age.',
    detail:
      'With `isDryRun` nothing is removed. What is still owed is never removed. [recorder.md](recorder.md#how-long-it-is-kept) says what each name means.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        what: z
          .array(z.enum(PRUNABLE))
          .min(1)
          .max(16)
          .optional()
          .describe('Everything but `transcripts` unless you say.'),
        olderThanMs: z.int().min(0).optional().describe('Without it, the configured limits decide.'),
        isDryRun: z.boolean().default(false),
      }),
    answer: (z) =>
      z.object({
        pruned: z.array(z.object({ what: z.enum(PRUNABLE), removed: wholeNumber(z) })),
        isDryRun: z.boolean(),
      }),
    handle: async ({ services, body }) => ({
      pruned: await services.records.prune(body),
      isDryRun: body.isDryRun,
    }),
  }),
];
