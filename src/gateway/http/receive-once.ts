// Hands a message of the API to the gateway. A message with an id is accepted once, even when it is sent several times.
// An id belongs to the user, session and agent that it came with: the same id from another user is another message. The
// same id with other words is a mistake of the client, which is told so, even after those words are no longer stored.

import { createHash, randomBytes } from 'node:crypto';
import type { ReceiveResult } from '../../channels/channel.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { IdempotencyKeyReusedError } from '../errors.ts';
import type { Services } from '../services/services.ts';

export interface ApiMessage {
  readonly text: string;
  readonly at: number;
  /**
   * The name of the user, or any other text that identifies this conversation; without it, the message gets a
   * conversation of its own.
   */
  readonly user: string | undefined;
  readonly agentId: string | undefined;
  readonly sessionKey: string | undefined;
  /** The client's id of this message. */
  readonly idempotencyKey: string | undefined;
  /** Additional facts from the client, for plugins. */
  readonly metadata?: JsonObject | undefined;
  readonly seed?: readonly Message[] | undefined;
  /** The client waits on its connection, and cannot ask for the answer later. */
  readonly isAwaited?: boolean | undefined;
}

/** The user of messages that name neither a user nor a session, such as those of `atrium agent`. */
export const DEFAULT_USER = 'default';

export async function receiveOnce(services: Services, message: ApiMessage): Promise<ReceiveResult> {
  const { text, seed, user, sessionKey, agentId, idempotencyKey } = message;
  const identity = [idempotencyKey, user, sessionKey, agentId];
  const isNamed = idempotencyKey !== undefined;
  const fingerprint = isNamed ? hashOf([...identity, text, seed]) : undefined;
  const inbound = toInbound(message, isNamed ? hashOf(identity) : undefined);
  const result = await services.inbox.receive(inbound, { kind: 'api', fingerprint, ...(seed && { seed }) });
  if (result.outcome === 'duplicate') await checkSameMessage(services, fingerprint, result.runId);
  return result;
}

function toInbound(
  { text, at, user, agentId, sessionKey, isAwaited, idempotencyKey, metadata }: ApiMessage,
  eventId: string | undefined,
): Inbound {
  const id = peerIdOf(user ?? `once-${randomBytes(8).toString('hex')}`);
  return {
    surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id } },
    sender: { id },
    text,
    at,
    eventId,
    messageId: idempotencyKey,
    sessionKey,
    agentId,
    ...(isAwaited && { isAwaited }),
    ...(metadata && { metadata }),
  };
}

async function checkSameMessage(services: Services, fingerprint: string | undefined, runId: string): Promise<void> {
  const [first] = await services.store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  if (first && first.fingerprint !== (fingerprint ?? null)) throw new IdempotencyKeyReusedError({ runId });
}

function hashOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

/**
 * The user of the API as the peer of a surface. Session keys are lower case and split at colons, so two users whose
 * names differ only in such characters would share a session; a hash keeps their names apart. A plain name that ends
 * like such a hash gets one too, because otherwise it could be chosen to equal another user's name.
 */
export function peerIdOf(user: string): string {
  if (/^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(user) && !/(^|-)[0-9a-f]{12}$/.test(user)) return user;
  const readable = user
    .toLowerCase()
    .replace(/[^a-z0-9._@+-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(user).digest('hex').slice(0, 12);
  return readable === '' ? hash : `${readable}-${hash}`;
}
