// The children of sessions or runs with all that came from them, and what they have used: each by itself, and together
// with its own descendants. A child has one parent, so nothing is counted twice. Rows are read level by level, many at a
// time, so a hundred children cost a few queries.

import { addCall, addSums, NO_SUM, type UsageSum } from '../../protocol/usage.ts';
import type { Store } from '../../store/store.ts';
import type { ChildRow } from '../../store/tables.ts';

/** A query names at most this many keys, because the store limits how many values one statement may have. */
const MOST_KEYS = 500;
const PAGE_ROWS = 1_000;

/** The children of these sessions, or those that these runs have spawned, without what came from them. */
export async function readChildrenOf(
  store: Store,
  by: 'parentKey' | 'parentRunId',
  keys: Iterable<string>,
): Promise<readonly ChildRow[]> {
  const found: ChildRow[] = [];
  for (const some of inChunks([...keys])) {
    found.push(...(await store.select('children', { where: { [by]: { in: some } }, orderBy: [['seq', 'asc']] })));
  }
  return found;
}

/** The given children and all that came from them, in the order in which they were spawned at each level. */
export async function readDescendants(store: Store, children: readonly ChildRow[]): Promise<readonly ChildRow[]> {
  const found = new Map<string, ChildRow>();
  for (let level = children; level.length > 0; ) {
    const unseen = level.filter(({ childKey }) => !found.has(childKey));
    for (const child of unseen) found.set(child.childKey, child);
    level = await readChildrenOf(
      store,
      'parentKey',
      unseen.map(({ childKey }) => childKey),
    );
  }
  return [...found.values()];
}

export interface DescendantSums {
  /** What the runs of this child have used. */
  own(childKey: string): UsageSum;
  /** The same with all its descendants. */
  all(childKey: string): UsageSum;
}

/** `descendants` has each child with all that came from it. Only calls from `since` on count. */
export async function sumDescendants(
  store: Store,
  descendants: readonly ChildRow[],
  since?: number,
): Promise<DescendantSums> {
  const sums = new Map<string, UsageSum>();
  for (const some of inChunks(descendants.map(({ childKey }) => childKey))) {
    for await (const call of callsOf(store, some, since)) {
      sums.set(call.sessionKey, addCall(sums.get(call.sessionKey) ?? NO_SUM, call));
    }
  }
  const own = (childKey: string) => sums.get(childKey) ?? NO_SUM;
  const childrenOf = groupByParent(descendants);
  const all = (childKey: string): UsageSum =>
    (childrenOf.get(childKey) ?? []).map((child) => all(child.childKey)).reduce(addSums, own(childKey));
  return { own, all };
}

/** Children by the key of the session that spawned them. */
export function groupByParent<Child extends { readonly parentKey: string }>(
  children: readonly Child[],
): ReadonlyMap<string, readonly Child[]> {
  const groups = new Map<string, Child[]>();
  for (const child of children) {
    const group = groups.get(child.parentKey);
    if (group) group.push(child);
    else groups.set(child.parentKey, [child]);
  }
  return groups;
}

async function* callsOf(store: Store, sessionKeys: readonly string[], since: number | undefined) {
  let before: number | undefined;
  for (;;) {
    const page = await store.select('usage', {
      where: {
        sessionKey: { in: sessionKeys },
        at: since === undefined ? undefined : { gte: since },
        seq: before === undefined ? undefined : { lt: before },
      },
      orderBy: [['seq', 'desc']],
      limit: PAGE_ROWS,
    });
    yield* page;
    before = page.at(-1)?.seq;
    if (page.length < PAGE_ROWS) return;
  }
}

/** The keys in lists that one query may name. */
export function* inChunks(keys: readonly string[]): Iterable<readonly string[]> {
  for (let from = 0; from < keys.length; from += MOST_KEYS) yield keys.slice(from, from + MOST_KEYS);
}
