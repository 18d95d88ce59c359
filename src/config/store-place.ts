// Where the store of a home is: a file in its state directory, unless the operator names a database.

import { join } from 'node:path';
import type { GatewayStorePlace } from '../protocol/store-place.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

export function storePlaceOf(
  environment: Pick<Environment, 'stateDir' | 'node' | 'host'>,
  config: Pick<Config, 'store'> = {},
): GatewayStorePlace {
  const { url, schema, node } = config.store ?? {};
  if (typeof url === 'string' && url !== '') {
    return { kind: 'postgres', url, schema, node: environment.node ?? node ?? nodeNameFrom(environment.host) };
  }
  return { kind: 'sqlite', file: join(environment.stateDir, 'atrium', 'atrium.db') };
}

/** The name of a host may have characters that the name of a node has not. */
function nodeNameFrom(host: string): string {
  const name = host.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return name.slice(0, 63) || 'node';
}
