// Parts of schemas that several groups of routes use.

import { docsCommand } from '../../../protocol/documents.ts';
import type { Zod } from '../route.ts';

export const id = (z: Zod) => z.string().min(1).max(512);
export const sessionKey = (z: Zod) => id(z).describe('For example "agent:main:main".');
export const agentId = (z: Zod) => z.string().min(1).max(128);
export const at = (z: Zod) => z.number().describe('Milliseconds since 1970.');
export const wholeNumber = (z: Zod) => z.int().min(0);

/** Query texts become numbers; a limit has a maximum. */
export const limit = (z: Zod) => z.coerce.number().int().min(1).max(500).default(50);
export const position = (z: Zod) => z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The id of a row from which a list goes on. Anything else would be compared as text and silently give a wrong page. */
export const cursor = (z: Zod, prefix: 'run' | 'ses' | 'dead') =>
  z.string().regex(new RegExp(`^${prefix}_\\w{1,64}$`), `must be an id that begins with ${prefix}_`);

const NEXT = 'Hand it in as "before" for the next page; null on the last one.';
export const next = (z: Zod) => z.string().nullable().describe(NEXT);
export const nextNumber = (z: Zod) => wholeNumber(z).nullable().describe(NEXT);

/** The body of a request that needs no input. */
export const nothing = (z: Zod) => z.strictObject({});

/** How an account of a chat platform is. */
export const account = (z: Zod) =>
  z.strictObject({
    accountId: z.string(),
    state: z.enum(['connecting', 'connected', 'reconnecting', 'limited', 'failed', 'stopped']),
    name: z.string().optional().describe('The name of the account on the platform.'),
    detail: z.string().optional().describe('What happened.'),
    nextStep: z.string().optional().describe('What to do about it.'),
    since: at(z).optional(),
    node: z.string().optional().describe('The node that has the connection, where several share one store.'),
  });

export const peer = (z: Zod) => z.strictObject({ kind: z.enum(['direct', 'group', 'channel']), id: id(z) });
export const surface = (z: Zod) =>
  z.object({ channel: z.string(), accountId: z.string(), peer: peer(z), threadId: z.string().optional() });

/** The author of one piece of a request to a model. */
export const span = (z: Zod) =>
  z.object({
    where: z.enum(['system', 'tools', 'messages']),
    index: wholeNumber(z),
    origin: z.string().describe('Who wrote it.'),
    chars: wholeNumber(z),
    tokens: wholeNumber(z).optional().describe('For an image: the tokens that it counts as.'),
    runId: id(z).optional().describe('For what was said before: the run that said it.'),
    entry: wholeNumber(z).optional().describe('And its entry in the transcript.'),
    text: z.string().optional().describe('Absent when it is not kept any more.'),
  });

/** What a whole request is made of. */
export const requestMeasure = (z: Zod) => {
  const size = { chars: wholeNumber(z), tokens: wholeNumber(z) };
  return z.object({
    ...size,
    parts: z.array(
      z.object({
        part: z.enum(['system', 'tools', 'history', 'message', 'steps']),
        count: wholeNumber(z).describe('Blocks, tools or messages.'),
        ...size,
        authors: z.array(z.object({ origin: z.string(), count: wholeNumber(z), ...size })),
      }),
    ),
    room: z
      .object({
        window: wholeNumber(z).describe('Tokens that the model takes.'),
        compactsAt: wholeNumber(z).optional().describe('A larger request is compacted first.'),
        free: z.int(),
        untilCompaction: z.int().optional(),
      })
      .optional(),
    estimated: wholeNumber(z).describe('Tokens, estimated from the words alone.'),
    counted: z
      .object({ tokens: wholeNumber(z), isCredible: z.boolean() })
      .optional()
      .describe("The provider's own count; the sizes add up to it when it is credible."),
  });
};

export const report = (z: Zod) =>
  z.looseObject({ version: z.int() }).describe(`The context report; "${docsCommand('context')}" explains it.`);

/** One row more than a page is read, to know whether there is another page. */
export function pageOf<Row, Key>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => Key,
): { readonly page: readonly Row[]; readonly next: Key | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last !== undefined ? keyOf(last) : null };
}

/** A file that was uploaded. */
export const upload = (z: Zod) =>
  z.object({
    id: z.string().describe('Names the file in a message, for an hour. Keep it to yourself.'),
    hash: z.string().describe('The SHA-256 of the bytes.'),
    name: z.string(),
    mime: z.string().describe('What the bytes are, judged by the bytes.'),
    size: wholeNumber(z),
  });

/** A file that was uploaded, as a message names it. */
export const namedUpload = (z: Zod) =>
  z.strictObject({ id: z.string().min(1).max(128).describe('The `id` that the upload answered with.') });
