// Opens the store of a place. Only the backend of that place is loaded.
// Errors: as the backend's own function says.

import type { StorePlace } from '../protocol/store-place.ts';
import type { Store } from './store.ts';
import type { StoreMember } from './store-member.ts';

export interface OpenStoreOptions {
  /** Reads an existing store and changes nothing. */
  readonly readOnly?: boolean | undefined;
  /** Files without which this process must not write to a file of its own: the lock that makes it the only one. */
  readonly besides?: readonly string[] | undefined;
  /** The member of the cluster that makes the commits, for a store that several nodes share. */
  readonly member?: StoreMember | undefined;
}

export async function openStore(
  place: StorePlace,
  { readOnly, besides, member }: OpenStoreOptions = {},
): Promise<Store> {
  if (place.kind === 'postgres') {
    const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
    return openPostgresStore({ ...place, readOnly, member });
  }
  const { openSqliteStore } = await import('./sqlite/open-sqlite-store.ts');
  return openSqliteStore({ file: place.file, readOnly, besides });
}
