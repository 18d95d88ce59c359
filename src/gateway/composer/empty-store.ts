// A store for a home that has none yet: it has no rows and refuses writes.

import { StoreReadOnlyError } from '../../store/errors.ts';
import type { CommitCounter, Store } from '../../store/store.ts';

export function emptyStore(file: string): Store {
  return {
    commit: () => Promise.reject(new StoreReadOnlyError({ store: file })),
    select: async () => [],
    measure: async () => 0,
    count: async () => 0,
    probe: () => Promise.reject(new StoreReadOnlyError({ store: file })),
    commits: {} as CommitCounter,
    waits: 0,
    description: `nothing at ${file}`,
    close: async () => {},
  };
}
