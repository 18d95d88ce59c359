// Opens the store of a home on which no gateway runs, where its configuration says that it is: in a file or in a database.

import { storePlaceOf } from '../config/store-place.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { ScratchHome } from './scratch-home.ts';

export async function withStoreOf<T>(home: ScratchHome, work: (store: Store) => Promise<T>): Promise<T> {
  const config = JSON.parse(await home.read('openclaw.json'));
  const store = await openStore(storePlaceOf({ stateDir: home.stateDir, node: undefined, host: 'test' }, config));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
