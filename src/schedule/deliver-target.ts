// Where the answers of a job go, as people write it: `web:<surface>`, `telegram:123`, `discord/work:channel:42#7` with the
// account, the kind of place and the thread, `last` for where the agent was last spoken to in private when the job runs,
// or `none`. It does not matter whether a client is connected: a page or a terminal that reconnects receives what it missed.

import { normalizeAccountId } from '../protocol/agent-id.ts';
import { peerOfAddress, type Surface } from '../protocol/inbound.ts';
import { InvalidJobError } from './errors.ts';

/** The channel of answers that are not delivered: they stay in their session, and nothing is put into the outbox. */
export const SILENT_CHANNEL = 'schedule';

export function silentSurface(id: string): Surface {
  return { channel: SILENT_CHANNEL, accountId: 'default', peer: { kind: 'direct', id } };
}

/** Stands in a job for a place that is found out when the job runs. No channel has this name. */
const LAST_SURFACE: Surface = { channel: 'last', accountId: 'default', peer: { kind: 'direct', id: 'last' } };

export function isLastSurface({ channel }: Surface): boolean {
  return channel === LAST_SURFACE.channel;
}

/** Returns null for `none`. A channel on which no person could read the answer is refused. */
export function parseDeliverTarget(text: string, channels: readonly string[]): Surface | null {
  const trimmed = text.trim();
  if (trimmed === 'none') return null;
  if (trimmed === 'last') return LAST_SURFACE;
  const [, channel = '', account, address = '', threadId] = TARGET.exec(trimmed) ?? [];
  const known = channels.filter((each) => each !== 'api' && each !== SILENT_CHANNEL);
  if (address === '' || !known.includes(channel)) {
    const examples = known
      .map((each) => `"${each}:${each === 'web' || each === 'cli' ? '<name>' : '<id>'}"`)
      .join(', ');
    throw new InvalidJobError({
      problem: `its answers cannot go to ${JSON.stringify(trimmed.slice(0, 100))}; write ${examples}, "last" or "none"`,
    });
  }
  const place = { channel, accountId: normalizeAccountId(account), peer: peerOfAddress(address) };
  return threadId === undefined ? place : { ...place, threadId };
}

const TARGET = /^([a-z][a-z0-9-]{0,31})(?:\/([\w.-]{1,64}))?:([^\s#]{1,200})(?:#([^\s#]{1,200}))?$/i;

export function formatDeliverTarget(surface: Surface | null): string {
  if (surface === null) return 'none';
  if (isLastSurface(surface)) return 'last';
  const { channel, accountId, peer, threadId } = surface;
  const account = accountId === 'default' ? '' : `/${accountId}`;
  const kind = peer.kind === 'direct' ? '' : `${peer.kind}:`;
  return `${channel}${account}:${kind}${peer.id}${threadId === undefined ? '' : `#${threadId}`}`;
}
