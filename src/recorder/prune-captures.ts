// Decides which captures are removed, and makes the writes. The oldest go first: those beyond the age limit, and those
// beyond the size limit. Captures of runs that are still open are never removed, nor are their parts.
//
// It is safe while requests are being captured: a part is never older than the youngest request that uses it by more than
// `USE_GRAIN_MS`, and parts are removed by age inside the same commit, that much later than requests. A request that is
// captured before that commit has made its parts young, and one captured after it stores them again. The last minute is
// not touched, so a request whose commit is under way is safe.

import type { Condition, Store, Write } from '../store/store.ts';
import type { CaptureRow } from '../store/tables.ts';
import { batchesOf, partSizeOf } from './capture.ts';
import { USE_GRAIN_MS } from './known-parts.ts';

export interface CaptureLimits {
  /** The limit for all parts and manifests together. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly now: number;
  /** How many captures are read at a time. The default suits a background task. */
  readonly pageSize?: number | undefined;
}

export interface PrunePlan {
  /** The writes for one commit at the site `prune`. The list is empty when there is nothing to do. */
  readonly writes: readonly Write[];
  readonly captures: number;
  /** True when another plan would find more. */
  readonly more: boolean;
}

/** The date of a piece of prompts may be this much older than the youngest run that uses it. */
export const PIECE_GRAIN_MS = 24 * 60 * 60_000;

const LEFT_ALONE_MS = 60_000;
const PAGE_SIZE = 200;

/** Plans one step of pruning: at most a page of captures. The caller repeats it while `more` is true. */
export async function planPrune(store: Store, limits: CaptureLimits): Promise<PrunePlan> {
  const pageSize = limits.pageSize ?? PAGE_SIZE;
  const cut = Math.min(await cutOf(store, limits, pageSize), limits.now - LEFT_ALONE_MS);
  const openRuns = await store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
  const open = new Set(openRuns.map((run) => run.runId));
  const spared: CaptureRow[] = [];
  let dropped: readonly CaptureRow[] = [];
  let reached = cut;
  let more = false;
  for await (const page of pagesOf(store, 'asc', pageSize)) {
    const old = page.rows.filter((row) => row.at < cut);
    spared.push(...old.filter((row) => open.has(row.runId)));
    dropped = old.filter((row) => !open.has(row.runId));
    more = !page.last && page.end < cut;
    if (dropped.length === 0 && more) continue;
    // Every capture up to here has been read, so a part that is not younger belongs only to these.
    if (more) reached = page.end + 1;
    break;
  }
  const orphans = dropped.length > 0 ? 0 : await countOrphans(store, cut, spared);
  if (dropped.length === 0 && orphans === 0) return { writes: [], captures: 0, more: false };
  return { writes: writesOf(dropped, spared, reached), captures: dropped.length, more: more && dropped.length > 0 };
}

/** How many captures these limits would remove. */
export async function countPrunable(store: Store, limits: CaptureLimits): Promise<number> {
  const cut = Math.min(await cutOf(store, limits, limits.pageSize ?? PAGE_SIZE), limits.now - LEFT_ALONE_MS);
  const open = await store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
  const all = await store.count('captures', { at: { lt: cut } });
  const spared = await store.count('captures', { at: { lt: cut }, runId: { in: open.map(({ runId }) => runId) } });
  return all - spared;
}

/** Returns the writes that remove all captures of these runs, with the parts that no other capture names. */
export async function planForget(store: Store, runIds: readonly string[]): Promise<readonly Write[]> {
  const forgotten = new Set(runIds);
  const named = new Set<string>();
  const others = new Set<string>();
  let youngest = 0;
  for await (const page of pagesOf(store, 'asc', PAGE_SIZE)) {
    for (const row of page.rows) {
      for (const key of row.manifest) (forgotten.has(row.runId) ? named : others).add(key);
      if (forgotten.has(row.runId)) youngest = row.at;
    }
  }
  const alone = [...named].filter((key) => !others.has(key));
  return [
    ...batchesOf(runIds).map((batch): Write => ({ remove: 'captures', where: { runId: { in: batch } } })),
    // A part that a request has used in the meantime is younger, and stays.
    ...batchesOf(alone).map(
      (batch): Write => ({ remove: 'parts', where: { hash: { in: batch }, usedAt: { lte: youngest } } }),
    ),
  ];
}

/** Returns the time before which every capture must be removed. */
async function cutOf(store: Store, { maxBytes, maxAgeMs, now }: CaptureLimits, pageSize: number): Promise<number> {
  const oldest = now - maxAgeMs;
  const counted = new Set<string>();
  let bytes = 0;
  for await (const page of pagesOf(store, 'desc', pageSize)) {
    for (const row of page.rows) {
      if (row.at < oldest) return oldest;
      bytes += JSON.stringify([row.manifest, row.envelope]).length;
      for (const key of row.manifest) {
        if (counted.has(key)) continue;
        counted.add(key);
        bytes += partSizeOf(key);
      }
      if (bytes > maxBytes) return row.at + 1;
    }
  }
  return oldest;
}

function writesOf(dropped: readonly CaptureRow[], spared: readonly CaptureRow[], cut: number): readonly Write[] {
  const runIds = [...new Set(dropped.map((row) => row.runId))];
  const sparedKeys = [...new Set(spared.flatMap((row) => row.manifest))];
  return [
    ...batchesOf(sparedKeys).map(
      (batch): Write => ({
        update: 'parts',
        where: { hash: { in: batch }, usedAt: { lt: cut } },
        set: { usedAt: cut },
      }),
    ),
    ...batchesOf(runIds).map(
      (batch): Write => ({ remove: 'captures', where: { runId: { in: batch }, at: { lt: cut } } }),
    ),
    ...batchesOf(runIds).map((batch): Write => ({ remove: 'promptReceipts', where: { runId: { in: batch } } })),
    { remove: 'parts', where: { usedAt: { lt: cut - USE_GRAIN_MS } } },
    { remove: 'promptPieces', where: { usedAt: { lt: cut - PIECE_GRAIN_MS } } },
  ];
}

/**
 * Counts parts that no capture names any more, for example because their session was deleted, and words of prompts that
 * have become old since the last request of their runs was removed.
 */
async function countOrphans(store: Store, cut: number, spared: readonly CaptureRow[]): Promise<number> {
  const pieces = await store.count('promptPieces', { usedAt: { lt: cut - PIECE_GRAIN_MS } });
  const before = cut - USE_GRAIN_MS;
  let old = await store.count('parts', { usedAt: { lt: before } });
  if (old === 0) return pieces;
  for (const batch of batchesOf([...new Set(spared.flatMap((row) => row.manifest))])) {
    old -= await store.count('parts', { hash: { in: batch }, usedAt: { lt: before } });
  }
  return old + pieces;
}

interface Page {
  readonly rows: readonly CaptureRow[];
  /** The time of its last row. No other page has a capture of that time. */
  readonly end: number;
  readonly last: boolean;
}

/** Reads captures in pages, by time. Captures of the same moment are always on the same page. */
async function* pagesOf(store: Store, order: 'asc' | 'desc', pageSize: number): AsyncGenerator<Page> {
  let at: Condition = order === 'asc' ? { gt: -1 } : { lt: Number.MAX_SAFE_INTEGER };
  while (true) {
    const found: readonly CaptureRow[] = await store.select('captures', {
      where: { at },
      orderBy: [['at', order]],
      limit: pageSize,
    });
    const end = found.at(-1)?.at;
    if (end === undefined) return;
    const last = found.length < pageSize;
    if (last) return yield { rows: found, end, last };
    const rows = found.filter((row) => row.at !== end);
    yield { rows: [...rows, ...(await store.select('captures', { where: { at: end } }))], end, last };
    at = order === 'asc' ? { gt: end } : { lt: end };
  }
}
