// Tells hook packs that listen to `command:stop` which person stopped which run. The caller does not wait for them, and
// the promise never rejects.

import type { RunParts } from '../../agent/run-parts.ts';
import type { CommandPlace } from '../../commands/chat-command.ts';

export async function tellStop(
  { store, tell }: Pick<RunParts, 'store' | 'tell'>,
  { sessionKey, inbound }: CommandPlace,
): Promise<void> {
  const where = { sessionKey, endedAt: null };
  const [session] = await store.select('sessions', { where, limit: 1 }).catch(() => []);
  const { surface, sender } = inbound;
  await tell('command-given', { command: 'stop', sessionKey, session, source: surface.channel, senderId: sender.id });
}
