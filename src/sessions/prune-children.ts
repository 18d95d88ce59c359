// Decides which rows of ended children are removed, and makes the writes. A row says whom a child worked for, and the
// protections of that session hold for the child as long as people can write to it. So a row stays while the session of
// the child exists, while its result is owed, while a message waits for it, and while the row of a child of its own
// refers to it. What is left are children whose session was deleted; their rows go when they are old enough.

import type { Store, Write } from '../store/store.ts';
import type { ChildRow } from '../store/tables.ts';

export interface ChildLimits {
  readonly maxAgeMs: number;
  readonly now: number;
  /** How many rows are read at a time. */
  readonly pageSize?: number | undefined;
}

const PAGE_SIZE = 200;

/** The keys of the children and the writes for a commit at the site `prune`, a page at a time. */
export async function* planChildPrune(
  store: Store,
  { maxAgeMs, now, pageSize = PAGE_SIZE }: ChildLimits,
): AsyncGenerator<{ readonly keys: readonly string[]; readonly writes: readonly Write[] }> {
  const cut = now - maxAgeMs;
  let last = -1;
  for (;;) {
    // A deleted session leaves no task behind, so the rows of all others need not be read.
    const page = await store.select('children', {
      where: { task: '', isAnswered: true, endedAt: { lt: cut }, seq: { gt: last } },
      orderBy: [['seq', 'asc']],
      limit: pageSize,
    });
    const keys = await removable(store, page);
    if (keys.length > 0)
      yield { keys, writes: [{ remove: 'children', where: { childKey: { in: keys }, isAnswered: true } }] };
    last = page.at(-1)?.seq ?? last;
    if (page.length < pageSize) return;
  }
}

async function removable(store: Store, page: readonly ChildRow[]): Promise<readonly string[]> {
  const keys = page.map(({ childKey }) => childKey);
  if (keys.length === 0) return [];
  const [sessions, waiting, below] = await Promise.all([
    store.select('sessions', { where: { sessionKey: { in: keys } } }),
    store.select('inbox', { where: { status: { in: ['queued', 'claimed'] }, sessionKey: { in: keys } } }),
    store.select('children', { where: { parentKey: { in: keys } } }),
  ]);
  const needed = new Set([
    ...sessions.filter(({ endReason }) => endReason !== 'deleted').map(({ sessionKey }) => sessionKey),
    ...waiting.map(({ sessionKey }) => sessionKey),
    ...below.map(({ parentKey }) => parentKey),
  ]);
  return keys.filter((key) => !needed.has(key));
}
