// Where the store of a home is: a file in its state directory, unless the operator names a database.

import { join } from 'node:path';
import type { StorePlace } from '../protocol/store-place.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

export function storePlaceOf(
  { stateDir }: Pick<Environment, 'stateDir'>,
  config: Pick<Config, 'store'> = {},
): StorePlace {
  const { url, schema } = config.store ?? {};
  if (typeof url === 'string' && url !== '') return { kind: 'postgres', url, schema };
  return { kind: 'sqlite', file: join(stateDir, 'atrium', 'atrium.db') };
}
