// Where the answers of a job go, as people write it: `web:<surface>`, `cli:<surface>`, or `none`. Whether anybody is
// there is the channel's affair: a page or a terminal that comes back is given what it missed.

import type { Surface } from '../protocol/inbound.ts';
import { InvalidJobError } from './errors.ts';

/** The surface of what is said to nobody: answers stay in their session, and nothing is put into the outbox. */
export const SILENT_CHANNEL = 'schedule';

export function silentSurface(id: string): Surface {
  return { channel: SILENT_CHANNEL, accountId: 'default', peer: { kind: 'direct', id } };
}

/** Null for `none`. Channels that nobody could read it on are refused. */
export function parseDeliverTarget(text: string, channels: readonly string[]): Surface | null {
  const trimmed = text.trim();
  if (trimmed === 'none') return null;
  const [, channel = '', id = ''] = /^([a-z][a-z0-9-]{0,31}):(\S{1,200})$/i.exec(trimmed) ?? [];
  const known = channels.filter((each) => each !== 'api' && each !== SILENT_CHANNEL);
  if (id === '' || !known.includes(channel)) {
    const examples = known.map((each) => `"${each}:<name>"`).join(', ');
    throw new InvalidJobError({
      problem: `its answers cannot go to ${JSON.stringify(trimmed.slice(0, 100))}; write ${examples} or "none"`,
    });
  }
  return { channel, accountId: 'default', peer: { kind: 'direct', id } };
}

export function formatDeliverTarget(surface: Surface | null): string {
  return surface === null ? 'none' : `${surface.channel}:${surface.peer.id}`;
}
