// Where the answer to a heartbeat goes: to the place where the agent's main session was last spoken to; where nobody
// speaks to it there, to the operator's own page or terminal that spoke to the agent last. Never to a group, and never
// to a stranger: a heartbeat reads what is private.

import type { Surface } from '../protocol/inbound.ts';
import { parseDeliverTarget } from '../schedule/deliver-target.ts';
import type { Store } from '../store/store.ts';
import type { HeartbeatSettings } from './heartbeat-settings.ts';

/** Whoever talks there has the gateway's token. */
const OPERATOR_CHANNELS: readonly string[] = ['web', 'cli'];
const SESSIONS_LOOKED_AT = 50;

/** Null when there is nobody to tell. Rejects with InvalidJobError when the configured surface is none. */
export async function heartbeatTarget(
  store: Store,
  { agentId, sessionKey, target }: Pick<HeartbeatSettings, 'agentId' | 'sessionKey' | 'target'>,
  channels: readonly string[],
): Promise<Surface | null> {
  if (target !== 'last') return parseDeliverTarget(target, channels);
  const [main] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
  if (main?.surface && main.surface.channel !== 'api' && isPrivate(main.surface)) return main.surface;
  const sessions = await store.select('sessions', {
    where: { agentId, endedAt: null },
    orderBy: [['activeAt', 'desc']],
    limit: SESSIONS_LOOKED_AT,
  });
  const surfaces = sessions.flatMap(({ surface }) => (surface ? [surface] : []));
  return surfaces.find((surface) => OPERATOR_CHANNELS.includes(surface.channel) && isPrivate(surface)) ?? null;
}

function isPrivate({ peer }: Surface): boolean {
  return peer.kind === 'direct';
}
