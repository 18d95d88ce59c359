// The lanes of a gateway: on a file it is alone with them, on a database it shares them with the other nodes. What several
// nodes need is loaded only for a database.

import type { Cluster } from '../../cluster/cluster.ts';
import { nodeOfAgent } from '../../config/node-of-agent.ts';
import type { Config } from '../../config/schema.ts';
import { EmbeddedLanes } from '../../lanes/embedded-lanes.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { Say } from '../../protocol/log.ts';
import { isSubagentSessionKey, resolveAgentIdFromSessionKey } from '../../protocol/session-key.ts';
import type { StorePlace } from '../../protocol/store-place.ts';
import type { Store } from '../../store/store.ts';
import { laneLimitsOf } from '../settings/live-settings.ts';

export interface LanesOptions {
  readonly store: Store;
  readonly place: StorePlace;
  readonly cluster: Cluster;
  readonly config: Config;
  readonly now: () => number;
  readonly warn: Say;
}

export async function createLanes({ store, place, cluster, config, now, warn }: LanesOptions): Promise<Lanes> {
  const { limit, asideLimit } = laneLimitsOf(config);
  // Children take no slot of people's sessions, however many there are.
  const aside = { isMeant: isSubagentSessionKey, limit: asideLimit };
  const options = { store, limit, aside, now, warn };
  if (place.kind === 'sqlite') return new EmbeddedLanes(options);
  const { ClusterLanes } = await import('../../lanes/cluster-lanes.ts');
  const nodeOf = (sessionKey: string) => nodeOfAgent(config, resolveAgentIdFromSessionKey(sessionKey));
  return new ClusterLanes({ ...options, cluster, url: place.url, schema: place.schema, nodeOf });
}
