// Discord's ids as surfaces, and back. A direct conversation is named by the person; a channel of a server by its id;
// and a thread, also a post of a forum, is its parent channel with the thread's own id as `threadId`.

import type { Peer, Surface } from '../../src/protocol/inbound.ts';
import type { Place } from './places.ts';

export const CHANNEL_ID = 'discord';

export function surfaceOf(accountId: string, place: Place): Surface {
  const { id, recipientId, isThread, parentId } = place;
  const peer: Peer =
    recipientId !== undefined
      ? { kind: 'direct', id: recipientId }
      : { kind: 'channel', id: isThread ? (parentId ?? id) : id };
  const surface = { channel: CHANNEL_ID, accountId, peer };
  return isThread ? { ...surface, threadId: id } : surface;
}

/** The channel of Discord where a surface is; undefined for a direct conversation, whose channel has to be asked for. */
export function channelIdOf({ peer, threadId }: Surface): string | undefined {
  if (threadId !== undefined) return threadId;
  return peer.kind === 'direct' ? undefined : peer.id;
}
