// Hook packs that listen to `command:stop` are told who stopped what. Nobody waits for them, and it never rejects.

import type { RunParts } from '../agent/run-parts.ts';
import type { CommandPlace } from '../commands/chat-command.ts';
import { sessionEntryOf } from '../sessions/session-entry.ts';

export async function tellStop(
  { store, internalHook }: Pick<RunParts, 'store' | 'internalHook'>,
  { sessionKey, inbound }: CommandPlace,
): Promise<void> {
  const where = { sessionKey, endedAt: null };
  const [session] = await store.select('sessions', { where, limit: 1 }).catch(() => []);
  await internalHook('command', 'stop', sessionKey, {
    ...(session ? { sessionEntry: sessionEntryOf(session), sessionId: session.sessionId } : {}),
    commandSource: inbound.surface.channel,
    senderId: inbound.sender.id,
  });
}
