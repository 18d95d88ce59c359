// A session as handlers of hook packs know it: under the contract's names, and without what is nobody else's business.

import type { JsonObject } from '../protocol/json.ts';
import type { SessionRow } from '../store/tables.ts';

export function sessionEntryOf({
  sessionId,
  sessionKey,
  agentId,
  startedAt,
  activeAt,
  surface,
}: SessionRow): JsonObject {
  return {
    sessionId,
    sessionKey,
    agentId,
    startedAt,
    updatedAt: activeAt,
    ...(surface === null ? {} : { channel: surface.channel, lastChannel: surface.channel, lastTo: surface.peer.id }),
  };
}
