// Decides where the answer to a heartbeat goes: to the place of the last message to the agent's main session; if there
// is none, to the operator's own page or terminal that wrote to the agent last. It never goes to a group or to a
// stranger, because a heartbeat reads private files.

import type { Surface } from '../protocol/inbound.ts';
import { isSubagentSessionKey } from '../protocol/session-key.ts';
import { parseDeliverTarget } from '../schedule/deliver-target.ts';
import type { Store } from '../store/store.ts';
import type { HeartbeatSettings } from './settings/heartbeat-settings.ts';

/** A person on these channels has the gateway's token. */
const OPERATOR_CHANNELS: readonly string[] = ['web', 'cli'];
const SESSIONS_LOOKED_AT = 50;

type TargetSettings = Pick<HeartbeatSettings, 'agentId' | 'sessionKey' | 'target' | 'directPolicy'>;

/** Null when there is no place to send it to. Rejects with InvalidJobError when the configured surface is not valid. */
export async function heartbeatTarget(
  store: Store,
  settings: TargetSettings,
  channels: readonly string[],
): Promise<Surface | null> {
  const surface = await chosenSurface(store, settings, channels);
  return surface && isPrivate(surface) && settings.directPolicy === 'block' ? null : surface;
}

async function chosenSurface(
  store: Store,
  { agentId, sessionKey, target }: TargetSettings,
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
  // A child has the place of its parent, and no person spoke to it.
  const spokenTo = sessions.filter((session) => !isSubagentSessionKey(session.sessionKey));
  const surfaces = spokenTo.flatMap(({ surface }) => (surface ? [surface] : []));
  return surfaces.find((surface) => OPERATOR_CHANNELS.includes(surface.channel) && isPrivate(surface)) ?? null;
}

function isPrivate({ peer }: Surface): boolean {
  return peer.kind === 'direct';
}
