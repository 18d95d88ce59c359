// Whom a gateway shares its store with: on a file it is alone, on a database it is one of those that use it. What several nodes
// need is loaded only for a database. The cluster has not joined yet.

import { SingleNode } from '../../cluster/single-node.ts';
import type { Say } from '../../protocol/log.ts';
import type { GatewayStorePlace } from '../../protocol/store-place.ts';
import { VERSION } from '../../protocol/version.ts';
import { alone } from '../sharing/alone.ts';
import type { Sharing } from '../sharing/sharing.ts';

export interface SharingOptions {
  readonly host: string;
  readonly startedAt: number;
  readonly warn: Say;
}

export async function createSharing(
  place: GatewayStorePlace,
  { host, startedAt, warn }: SharingOptions,
): Promise<Sharing> {
  if (place.kind === 'sqlite') return alone(new SingleNode(host), startedAt);
  const { PostgresCluster } = await import('../../cluster/postgres-cluster.ts');
  const { shared } = await import('../sharing/shared.ts');
  return shared(new PostgresCluster({ ...place, version: VERSION, warn }), warn);
}
