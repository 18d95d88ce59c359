// The row of a session that another session spawned. A session that no other session spawned has none, and is not looked up.

import { isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { Store } from '../../store/store.ts';
import type { ChildRow } from '../../store/tables.ts';

export async function findChild(store: Store, sessionKey: string): Promise<ChildRow | undefined> {
  if (!isSubagentSessionKey(sessionKey)) return undefined;
  const [child] = await store.select('children', { where: { childKey: sessionKey }, limit: 1 });
  return child;
}
