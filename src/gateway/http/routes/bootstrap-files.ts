// The bootstrap files of agents: read, edited, and put back as they were.

import { MAX_TEXT_BYTES } from '../../../tools/file-text.ts';
import { type Route, route, type Zod } from '../route.ts';
import { at, id, wholeNumber } from './pieces.ts';

const version = (z: Zod) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the version that the file had when it was read')
    .nullable()
    .describe('The SHA-256 of the text; null when there is no file.');

const file = (z: Zod) =>
  z.object({
    agentId: id(z),
    name: z.string(),
    path: z.string(),
    role: z.string().describe('What it is for.'),
    text: z.string().nullable().describe('Null when there is no such file.'),
    version: version(z),
  });

const from = (z: Zod) => z.enum(['api', 'web', 'cli']).default('api').describe('Where it was edited, for the history.');

const read = (z: Zod) =>
  version(z).describe('The version that was edited. When the file is another one now, nothing is written.');

/** A file of ASCII text may be twice as long when it stands in JSON. */
const BODY_LIMIT = 2 * MAX_TEXT_BYTES + 1_024;

export const BOOTSTRAP_FILE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/agents/{agent}/files',
    summary: 'The bootstrap files of an agent, with those that are not there yet.',
    access: 'token',
    answer: (z) =>
      z.object({
        files: z.array(
          file(z)
            .omit({ agentId: true, text: true })
            .extend({
              chars: wholeNumber(z).nullable(),
              problem: z.string().nullable().describe('Why it cannot be read.'),
            }),
        ),
      }),
    handle: async ({ services, params: { agent } }) => ({ files: await services.bootstrapFiles.list(agent) }),
  }),
  route({
    method: 'get',
    path: '/api/agents/{agent}/files/{name}',
    summary: 'A bootstrap file with its text and its version.',
    access: 'token',
    answer: (z) => z.object({ file: file(z) }),
    handle: async ({ services, params: { agent, name } }) => ({
      file: await services.bootstrapFiles.read(agent, name),
    }),
  }),
  route({
    method: 'post',
    path: '/api/agents/{agent}/files/{name}',
    summary: 'Writes a bootstrap file, unless it was changed since it was read; the next run reads it.',
    detail:
      'The path is contained as those of the file tools are, after links are followed. The text that is replaced is kept.',
    access: 'token',
    bodyLimit: BODY_LIMIT,
    body: (z) =>
      z.strictObject({
        text: z.string().nullable().describe('The whole text; null removes the file.'),
        version: read(z),
        from: from(z),
      }),
    answer: (z) => z.object({ file: file(z) }),
    handle: async ({ services, params: { agent, name }, body: { from: author, ...edit } }) => ({
      file: await services.bootstrapFiles.write(agent, name, { ...edit, author }),
    }),
  }),
  route({
    method: 'get',
    path: '/api/agents/{agent}/files/{name}/versions',
    summary: 'The versions of a bootstrap file that are kept, the latest first.',
    access: 'token',
    answer: (z) =>
      z.object({
        versions: z.array(
          z.object({
            id: wholeNumber(z),
            at: at(z),
            author: z.string().describe('"web", "cli" or "api"; "disk" for a text that another program had written.'),
            version: version(z),
            chars: wholeNumber(z),
            isCurrent: z.boolean().describe('The file has this text now.'),
          }),
        ),
      }),
    handle: async ({ services, params: { agent, name } }) => ({
      versions: await services.bootstrapFiles.history(agent, name),
    }),
  }),
  route({
    method: 'get',
    path: '/api/agents/{agent}/files/{name}/versions/{id}',
    patterns: { id: '[0-9]{1,15}' },
    summary: 'A kept version of a bootstrap file, with its text.',
    access: 'token',
    answer: (z) => z.object({ id: wholeNumber(z), at: at(z), author: z.string(), text: z.string().nullable() }),
    handle: async ({ services, params: { agent, name, id: number } }) => {
      const row = await services.bootstrapFiles.readVersion(agent, name, Number(number));
      return { id: row.seq, at: row.at, author: row.author, text: row.text };
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/{agent}/files/{name}/restore',
    summary: 'Puts a kept version of a bootstrap file back; this can be undone like any other edit.',
    access: 'token',
    body: (z) => z.strictObject({ id: wholeNumber(z), version: read(z), from: from(z) }),
    answer: (z) => z.object({ file: file(z) }),
    handle: async ({ services, params: { agent, name }, body: { from: author, ...asked } }) => ({
      file: await services.bootstrapFiles.restore(agent, name, { ...asked, author }),
    }),
  }),
];
