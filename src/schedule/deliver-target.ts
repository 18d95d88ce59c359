// Where the answers of a job go, as people write it: `web:<surface>`, `cli:<surface>`, or `none`. It does not matter
// whether a client is connected: a page or a terminal that reconnects receives what it missed.

import type { Surface } from '../protocol/inbound.ts';
import { InvalidJobError } from './errors.ts';

/** The channel of answers that are not delivered: they stay in their session, and nothing is put into the outbox. */
export const SILENT_CHANNEL = 'schedule';

export function silentSurface(id: string): Surface {
  return { channel: SILENT_CHANNEL, accountId: 'default', peer: { kind: 'direct', id } };
}

/** Returns null for `none`. A channel on which no person could read the answer is refused. */
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
