// Opens the store of a home only to read it, beside a gateway that may run. No lock is taken and no file is created; a
// home without a store has an empty one.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Store } from '../../store/store.ts';
import { emptyStore } from './empty-store.ts';

export async function openForReading({ stateDir }: Pick<Environment, 'stateDir'>): Promise<Store> {
  const file = join(stateDir, 'atrium', 'atrium.db');
  const exists = await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (!exists) return emptyStore(file);
  const { openSqliteStore } = await import('../../store/sqlite/open-sqlite-store.ts');
  return openSqliteStore({ file, readOnly: true });
}
