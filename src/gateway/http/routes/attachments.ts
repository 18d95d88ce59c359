// The files of messages: upload one, and read what a session has.

import { RequestInvalidError } from '../../errors.ts';
import { type Route, route } from '../route.ts';
import { upload } from './pieces.ts';

/** Base64 has four characters for three bytes; the rest is for the name. */
const BODY_LIMIT = 48 * 1_048_576;

export const ATTACHMENT_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/attachments',
    summary: 'Uploads a file; a message then names it by the `id` of the answer.',
    detail: 'It is removed after an hour when no message names it.',
    access: 'ready',
    body: (z) =>
      z.strictObject({
        name: z.string().min(1).max(255),
        data: z.string().describe('The bytes in base64.'),
      }),
    bodyLimit: BODY_LIMIT,
    answer: upload,
    status: 201,
    handle: ({ services, body: { name, data } }) => {
      const plain = data.replace(/\s+/g, '');
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain))
        throw new RequestInvalidError({ problem: '"data" is not valid base64.', param: 'data' });
      return services.attachments.upload({ name, bytes: Buffer.from(plain, 'base64') });
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}/attachments/{hash}',
    patterns: { hash: '[0-9a-f]{64}' },
    summary: 'The bytes of a file that a message of this session names.',
    detail: 'A file of another session is not found.',
    access: 'token',
    answer: (z) => z.unknown().describe('The bytes.'),
    handle: async ({ services, params: { session, hash } }) => {
      const { mime, name, bytes } = await services.attachments.read(session, hash);
      const kind = mime.startsWith('image/') ? 'inline' : 'attachment';
      return new Response(new Uint8Array(bytes), {
        headers: {
          'content-type': mime,
          'content-disposition': `${kind}; filename*=UTF-8''${encodeURIComponent(name)}`,
          'x-content-type-options': 'nosniff',
          // Whatever the bytes are, nothing in them may run on the page's address.
          'content-security-policy': "default-src 'none'; sandbox",
        },
      });
    },
  }),
];
