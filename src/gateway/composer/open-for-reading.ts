// Opens the store of a home only to read it, beside a gateway that may run. No lock is taken and no file is created; a
// home without a store has an empty one.

import { stat } from 'node:fs/promises';
import type { StorePlace } from '../../protocol/store-place.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { emptyStore } from './empty-store.ts';

export async function openForReading(place: StorePlace): Promise<Store> {
  if (place.kind === 'sqlite' && !(await isFile(place.file))) return emptyStore(place.file);
  return openStore(place, { readOnly: true });
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  );
}
