// Pairing: list the people on chat platforms who wait or may talk, approve a code, and revoke a person.

import type { PairingRow } from '../../../store/tables.ts';
import { listPairings } from '../../services/pairings.ts';
import { type Route, route, type Zod } from '../route.ts';
import { at, id, wholeNumber } from './pieces.ts';

const pairing = (z: Zod) =>
  z.object({
    channel: id(z),
    accountId: z.string(),
    senderId: z.string(),
    senderName: z.string().nullable().describe('How the person calls themselves; it proves nothing.'),
    status: z.enum(['waiting', 'approved']),
    code: z.string().nullable().describe('What the person was told. Null once it was approved.'),
    requestedAt: at(z),
    expiresAt: at(z).nullable().describe('A request that was not approved until then is forgotten.'),
    timesTold: wholeNumber(z),
    approvedAt: at(z).nullable(),
    approvedBy: z.string().nullable(),
  });

export const PAIRING_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/pairing',
    summary: 'The people on chat platforms who wait for an answer, the latest first, then those who may talk.',
    detail: '[channels.md](channels.md#who-may-talk) explains pairing.',
    access: 'token',
    query: (z) => z.strictObject({ channel: id(z).optional() }),
    answer: (z) => z.object({ pairings: z.array(pairing(z)) }),
    handle: async ({ services: { store }, now, query: { channel } }) => ({
      pairings: (await listPairings(store, { channel, now: now() })).map(told),
    }),
  }),
  route({
    method: 'post',
    path: '/api/pairing/approve',
    summary: 'Lets the person talk who was told this code, and tells them so.',
    detail: '404 when no person waits with this code on this channel; a code is valid for one hour.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        channel: id(z),
        code: id(z),
        from: z.enum(['api', 'web', 'cli']).default('api').describe('Where it was approved, for the record.'),
      }),
    answer: (z) => z.object({ pairing: pairing(z) }),
    handle: async ({ services, body: { channel, code, from } }) => ({
      pairing: told(await services.pairings.approve({ channel, code, by: from })),
    }),
  }),
  route({
    method: 'post',
    path: '/api/pairing/revoke',
    summary: 'Refuses a request, or takes an approval back. The person is not told.',
    detail: 'Without `accountId` on all accounts of the channel. 404 when the person neither waits nor may talk there.',
    access: 'token',
    body: (z) => z.strictObject({ channel: id(z), senderId: id(z), accountId: id(z).optional() }),
    answer: (z) => z.object({ channel: id(z), senderId: z.string(), revoked: wholeNumber(z) }),
    handle: async ({ services, body }) => ({
      channel: body.channel,
      senderId: body.senderId,
      revoked: await services.pairings.revoke(body),
    }),
  }),
];

function told({ surface: _, ...rest }: PairingRow): Omit<PairingRow, 'surface'> {
  return rest;
}
