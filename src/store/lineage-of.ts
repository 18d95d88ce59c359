// The children from a session up to the first one of its line: its own row, then that of the session that spawned it, and
// so on. Code that decides what a child may do looks at all of them, because a child works for every session above it.

import { isSharedSurfaceSessionKey, isSubagentSessionKey } from '../protocol/session-key.ts';
import type { Store } from './store.ts';
import type { ChildRow } from './tables.ts';

/** Empty for a session that was not spawned. The row of a deleted session stays while another one refers to it, so the line has no gaps. */
export async function lineageOf(store: Store, sessionKey: string): Promise<readonly ChildRow[]> {
  const lineage: ChildRow[] = [];
  for (let key = sessionKey; isSubagentSessionKey(key); ) {
    const [child] = await store.select('children', { where: { childKey: key }, limit: 1 });
    if (!child) break;
    lineage.push(child);
    key = child.parentKey;
  }
  return lineage;
}

/** Whether one of the sessions above a child is in a place that several people read, or answers there. */
export function isForSeveralPeople(lineage: readonly Pick<ChildRow, 'parentKey' | 'origin' | 'boundTo'>[]): boolean {
  return lineage.some(
    ({ parentKey, origin, boundTo }) =>
      isSharedSurfaceSessionKey(parentKey) ||
      origin.peer.kind !== 'direct' ||
      (boundTo !== null && boundTo.peer.kind !== 'direct'),
  );
}
