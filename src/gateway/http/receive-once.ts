// Hands a message of the API to the gateway. With an id it is accepted once, however often it is sent. An id belongs to
// the user, session and agent that it came with: the same one from somebody else is another message. The same id with
// other words is a mistake of the client, which is told so, even after those words are no longer kept.

import { createHash, randomBytes } from 'node:crypto';
import type { ReceiveResult } from '../../channels/channel.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { Message } from '../../protocol/message.ts';
import { IdempotencyKeyReusedError } from '../errors.ts';
import type { Services } from '../services/services.ts';
import { peerIdOf } from './peer-id.ts';

export interface ApiMessage {
  readonly text: string;
  readonly at: number;
  /** Who is talking, or whatever else tells this conversation from others; without it, it is one of its own. */
  readonly user: string | undefined;
  readonly agentId: string | undefined;
  readonly sessionKey: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly seed?: readonly Message[] | undefined;
  /** The client waits on its connection, and cannot ask for the answer later. */
  readonly isAwaited?: boolean | undefined;
}

export async function receiveOnce(services: Services, message: ApiMessage): Promise<ReceiveResult> {
  const { text, seed, user, sessionKey, agentId, idempotencyKey } = message;
  const identity = [idempotencyKey, user, sessionKey, agentId];
  const isNamed = idempotencyKey !== undefined;
  const fingerprint = isNamed ? hashOf([...identity, text, seed]) : undefined;
  const inbound = toInbound(message, isNamed ? hashOf(identity) : undefined);
  const result = await services.receive(inbound, { kind: 'api', fingerprint, ...(seed && { seed }) });
  if (result.outcome === 'duplicate') await checkSameMessage(services, fingerprint, result.runId);
  return result;
}

function toInbound(
  { text, at, user, agentId, sessionKey, isAwaited }: ApiMessage,
  eventId: string | undefined,
): Inbound {
  const id = peerIdOf(user ?? `once-${randomBytes(8).toString('hex')}`);
  return {
    surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id } },
    sender: { id },
    text,
    at,
    eventId,
    sessionKey,
    agentId,
    ...(isAwaited && { isAwaited }),
  };
}

async function checkSameMessage(services: Services, fingerprint: string | undefined, runId: string): Promise<void> {
  const [first] = await services.store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  if (first && first.fingerprint !== (fingerprint ?? null)) throw new IdempotencyKeyReusedError({ runId });
}

function hashOf(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}
