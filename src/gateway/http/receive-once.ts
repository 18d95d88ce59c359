// Hands a message of the API to the gateway. With an id it is accepted once, however often it is sent; the same id with
// another message is a mistake of the client, which is told rather than given somebody else's answer.

import type { ReceiveResult } from '../../channels/channel.ts';
import { IdempotencyKeyReusedError } from '../../protocol/errors.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { Message } from '../../protocol/message.ts';
import type { GatewayPort } from '../gateway-port.ts';
import { peerIdOf } from './peer-id.ts';

export interface ApiMessage {
  readonly text: string;
  readonly at: number;
  /** Who is talking, or whatever else tells this conversation from others. */
  readonly user: string;
  readonly agentId: string | undefined;
  readonly sessionKey: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly seed?: readonly Message[] | undefined;
}

export async function receiveOnce(port: GatewayPort, message: ApiMessage): Promise<ReceiveResult> {
  const inbound = toInbound(message);
  const result = await port.receive(inbound, { kind: 'api', ...(message.seed && { seed: message.seed }) });
  if (result.outcome === 'duplicate') await checkSameMessage(port, inbound, result.runId);
  return result;
}

function toInbound({ text, at, user, agentId, sessionKey, idempotencyKey }: ApiMessage): Inbound {
  const id = peerIdOf(user);
  return {
    surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct', id } },
    sender: { id },
    text,
    at,
    eventId: idempotencyKey,
    sessionKey,
    agentId,
  };
}

async function checkSameMessage(port: GatewayPort, inbound: Inbound, runId: string): Promise<void> {
  const [row] = await port.store.select('inbox', { where: { runId }, limit: 1 });
  const first = row?.payload?.inbound;
  // What a gate blocked is not kept, so there is nothing to compare with.
  if (first && first.text !== inbound.text) throw new IdempotencyKeyReusedError(runId);
}
