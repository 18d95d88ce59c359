// The cluster that a gateway belongs to: on a file it is alone, on a database it is one of those that share it. What several nodes
// need is loaded only for a database. It has not joined yet.

import type { Cluster } from '../cluster/cluster.ts';
import { SingleNode } from '../cluster/single-node.ts';
import type { GatewayStorePlace } from '../protocol/store-place.ts';
import { VERSION } from '../protocol/version.ts';

export async function createCluster(
  place: GatewayStorePlace,
  { host, warn }: { readonly host: string; readonly warn: (sentence: string) => void },
): Promise<Cluster> {
  if (place.kind === 'sqlite') return new SingleNode(host);
  const { PostgresCluster } = await import('../cluster/postgres-cluster.ts');
  return new PostgresCluster({ ...place, version: VERSION, warn });
}
