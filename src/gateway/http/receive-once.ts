// Hands a message of the API to the gateway. A message with an id is accepted once, even when it is sent several times.
// An id belongs to the user, session and agent that it came with: the same id from another user is another message. The
// same id with other words, or with other wishes for the answer, is a mistake of the client, which is told so, even after
// those words are no longer stored.

import { randomBytes } from 'node:crypto';
import type { ReceiveResult } from '../../channels/channel.ts';
import type { AttachmentRef } from '../../protocol/attachment.ts';
import { dedupeKeyOf, type Inbound } from '../../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import type { ClientRequest } from '../../store/tables.ts';
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
  readonly attachments?: readonly AttachmentRef[] | undefined;
  /** What the client asks for besides the words. */
  readonly client?: ClientRequest | undefined;
  /**
   * The files as the client gave them, where they must be fetched first. A repetition is then recognised before that,
   * because the place that they came from may answer differently the second time.
   */
  readonly given?: JsonValue | undefined;
  /** The client waits on its connection, and cannot ask for the answer later. */
  readonly isAwaited?: boolean | undefined;
}

/** The user of messages that name neither a user nor a session, such as those of `atrium agent`. */
export const DEFAULT_USER = 'default';

export async function receiveOnce(services: Services, message: ApiMessage): Promise<ReceiveResult> {
  const { seed, client } = message;
  const fingerprint = fingerprintOf(message);
  const inbound = toInbound(message, eventIdOf(message));
  if (client?.wishes) {
    const earlier = await findReceived(services, message);
    if (earlier) return earlier;
    const { agentId, sessionKey } = services.route(inbound);
    await services.models.checkWishes({ agentId, sessionKey, client });
  }
  const result = await services.inbox.receive(inbound, {
    kind: 'api',
    fingerprint,
    ...(seed && { seed }),
    ...(client && Object.keys(client).length > 0 && { client }),
  });
  if (result.outcome === 'duplicate') await checkSameMessage(services, fingerprint, result.runId);
  return result;
}

/** The run that this message became before; undefined for a message that is new or has no id. */
export async function findReceived(services: Services, message: ApiMessage): Promise<ReceiveResult | undefined> {
  const dedupeKey = dedupeKeyOf(toInbound(message, eventIdOf(message)));
  if (message.idempotencyKey === undefined || dedupeKey === undefined) return undefined;
  const [earlier] = await services.store.select('inbox', { where: { dedupeKey }, limit: 1 });
  if (!earlier) return undefined;
  await checkSameMessage(services, fingerprintOf(message), earlier.runId);
  return { outcome: 'duplicate', runId: earlier.runId, sessionKey: earlier.sessionKey };
}

function eventIdOf(message: ApiMessage): string | undefined {
  return message.idempotencyKey === undefined ? undefined : hashOf(identityOf(message));
}

function identityOf({ idempotencyKey, user, sessionKey, agentId }: ApiMessage): readonly unknown[] {
  return [idempotencyKey, user, sessionKey, agentId];
}

function fingerprintOf(message: ApiMessage): string | undefined {
  const { text, seed, attachments = [], given, idempotencyKey, client } = message;
  if (idempotencyKey === undefined) return undefined;
  const files = given === undefined ? [seed, ...attachments.map(({ hash, name }) => [hash, name])] : [given];
  const { tools, wishes } = client ?? {};
  // A message without either has the fingerprint that it always had, so that repetitions of old ones are recognised.
  const asked = tools || wishes ? [{ tools, wishes }] : [];
  return hashOf([...identityOf(message), text, ...files, ...asked]);
}

function toInbound(
  { text, attachments = [], at, user, agentId, sessionKey, isAwaited, idempotencyKey, metadata }: ApiMessage,
  eventId: string | undefined,
): Inbound {
  const id = peerIdOf(user ?? `once-${randomBytes(8).toString('hex')}`);
  return {
    surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id } },
    sender: { id },
    text,
    ...(attachments.length > 0 && { attachments }),
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
  return sha256Of(JSON.stringify(values));
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
  const hash = sha256Of(user).slice(0, 12);
  return readable === '' ? hash : `${readable}-${hash}`;
}
