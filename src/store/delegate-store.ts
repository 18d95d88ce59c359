// The same store, with some of its functions replaced. What is not replaced is asked of the store itself each time, its
// counters included.

import type { Store } from './store.ts';

export type StoreFunctions = Pick<Store, 'commit' | 'select' | 'count' | 'measure' | 'probe' | 'close'>;

export function delegateStore(store: Store, replaced: Partial<StoreFunctions>): Store {
  return {
    commit: (writes, options) => store.commit(writes, options),
    select: (table, query) => store.select(table, query),
    count: (table, where) => store.count(table, where),
    measure: (table, where) => store.measure(table, where),
    probe: () => store.probe(),
    close: () => store.close(),
    ...replaced,
    get commits() {
      return store.commits;
    },
    get waits() {
      return store.waits;
    },
    get versions() {
      return store.versions;
    },
    get description() {
      return store.description;
    },
  };
}
