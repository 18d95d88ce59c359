// Where the message of a preview would be said: as the request says, else where the operator spoke last, else as the key of
// the session says. What is said in a thread that was opened for a child goes to the child. It reads which sessions are
// open, and changes nothing.

import { TERMINAL_SURFACE } from '../../channels/cli/cli-channel.ts';
import { DEFAULT_ACCOUNT_ID } from '../../protocol/agent-id.ts';
import type { ChannelContext } from '../../protocol/bootstrap-event.ts';
import { buildCronSessionKey } from '../../protocol/build-session-key.ts';
import type { Inbound, Sender, Surface } from '../../protocol/inbound.ts';
import { parseSessionKey } from '../../protocol/session-key.ts';
import type { SessionType } from '../../protocol/session-type.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { Store } from '../../store/store.ts';
import { DEFAULT_USER } from '../http/receive-once.ts';
import { findChildOfThread } from '../inbound/route-inbound.ts';

export interface AskedPlace {
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  /**
   * The channel on which the message would be typed, for a session whose key does not say; `name:id` names a place on
   * it too.
   */
  readonly channel?: string | undefined;
  readonly sessionType?: SessionType | undefined;
  readonly sender?: Sender | undefined;
}

export interface PreviewPlace {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly inbound: Inbound;
}

interface PreviewPlaceParts {
  readonly store: Store;
  readonly route: (inbound: Inbound) => Route;
}

export async function previewPlaceOf(
  { store, route }: PreviewPlaceParts,
  { sessionKey: named, agentId: askedAgent, channel, sessionType, sender }: AskedPlace,
  { text, attachments, at }: Pick<Inbound, 'text' | 'attachments' | 'at'>,
): Promise<PreviewPlace> {
  // What a job reads follows from the key of its session.
  const ofJob = sessionType === 'scheduled' && channel === undefined ? sessionKeyOfJob : undefined;
  const asked = named ?? ofJob?.(route, { text, at, agentId: askedAgent });
  const inbound = { text, ...(attachments && { attachments }), at, sessionKey: asked, agentId: askedAgent };
  const child = asked === undefined ? undefined : await findChildOfThread({ store, route }, asked);
  if (child?.boundTo) {
    const { boundTo: surface, childKey: sessionKey, agentId } = child;
    return { agentId, sessionKey, inbound: { ...inbound, sessionKey, surface, sender: { id: surface.peer.id } } };
  }
  const surfaces =
    asked === undefined && channel === undefined ? OPERATORS_SURFACES : [surfaceOf(asked, channel ?? 'cli')];
  const places: PlaceOfSession[] = [];
  for (const place of surfaces) {
    const { agentId, sessionKey } = route({ ...inbound, surface: place, sender: { id: place.peer.id } });
    const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    const surface = channel === undefined ? (session?.surface ?? place) : place;
    places.push({ agentId, sessionKey, surface, activeAt: session?.activeAt ?? 0 });
  }
  const { agentId, sessionKey, surface } = places.reduce((last, each) => (each.activeAt > last.activeAt ? each : last));
  // The place says who speaks only where one person is.
  const unnamed = { id: surface.peer.kind === 'direct' ? surface.peer.id : '' };
  return { agentId, sessionKey, inbound: { ...inbound, surface, sender: sender ?? unnamed } };
}

/** The channel of an asked place as handlers are told it. */
export function channelContextOf(channel: string | undefined): ChannelContext | undefined {
  const { name, id } = parseChannel(channel ?? '');
  return name === '' ? undefined : { provider: name, ...(id === '' ? {} : { channelId: id }) };
}

interface PlaceOfSession {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly surface: Surface;
  /** When a run of its session began last. */
  readonly activeAt: number;
}

/**
 * Where a message without a session goes: that of `atrium chat` and that of `atrium agent`. The session with the latest
 * run is the one that is meant.
 */
const OPERATORS_SURFACES: readonly [Surface, ...Surface[]] = [
  { channel: 'cli', accountId: DEFAULT_ACCOUNT_ID, peer: { kind: 'direct', id: TERMINAL_SURFACE } },
  { channel: 'api', accountId: DEFAULT_ACCOUNT_ID, peer: { kind: 'direct', id: DEFAULT_USER } },
];

function sessionKeyOfJob(route: PreviewPlaceParts['route'], inbound: Omit<Inbound, 'surface' | 'sender'>): string {
  const [surface] = OPERATORS_SURFACES;
  const { agentId } = route({ ...inbound, surface, sender: { id: surface.peer.id } });
  return buildCronSessionKey({ agentId, jobId: 'preview' });
}

function surfaceOf(sessionKey: string | undefined, channel: string): Surface {
  const key = parseSessionKey(sessionKey);
  const { name, id } = parseChannel(channel);
  const kind = key.surface === 'group' || key.surface === 'channel' ? key.surface : id === '' ? 'direct' : 'channel';
  return {
    channel: key.channel ?? name,
    accountId: DEFAULT_ACCOUNT_ID,
    peer: { kind, id: key.peerId ?? (id === '' ? 'preview' : id) },
    threadId: key.threadId,
  };
}

/** Reads `slack`, or `slack:C042` for a place on it. */
function parseChannel(channel: string): { readonly name: string; readonly id: string } {
  const [name = '', ...rest] = channel.split(':');
  return { name, id: rest.join(':') };
}
