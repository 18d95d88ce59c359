// Whether a session was spawned by another one, or by one that it spawned, and so on.

import { isSubagentSessionKey } from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';

export async function isDescendant(store: Store, ancestorKey: string, sessionKey: string): Promise<boolean> {
  let child = sessionKey;
  // The chain ends at a session that no other session spawned; it cannot be longer than the depth that children may have.
  while (isSubagentSessionKey(child)) {
    const [row] = await store.select('children', { where: { childKey: child }, limit: 1 });
    if (!row) return false;
    if (row.parentKey === ancestorKey) return true;
    child = row.parentKey;
  }
  return false;
}
