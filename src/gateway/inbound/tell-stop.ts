// Hook packs that listen to `command:stop` are told who stopped what. Nobody waits for them, and it never rejects.

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
