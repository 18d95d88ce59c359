// The children of sessions as trees, read from the store alone, so that they can also be shown while no gateway runs.

import type { ChildView } from '../../protocol/child-view.ts';
import { clip } from '../../protocol/one-line.ts';
import type { Store } from '../../store/store.ts';
import type { ChildRow } from '../../store/tables.ts';
import { UnknownChildError } from '../errors.ts';
import { groupByParent, inChunks, readDescendants, sumDescendants } from './descendants.ts';

export interface ChildrenQuery {
  /** Only the children of this session; without it those of all sessions that no other session spawned. */
  readonly parentKey?: string | undefined;
  /** Only those that this run has spawned. */
  readonly parentRunId?: string | undefined;
  /** Only those that have not ended. */
  readonly isActive?: boolean | undefined;
  /** The latest ones, at most this many; what came from them is not counted. */
  readonly limit?: number | undefined;
}

/** The longest task or result in a list. A child that is shown alone is shown whole. */
const LONGEST_IN_LIST = 500;
const DEFAULT_LIMIT = 200;

/**
 * A child by its key, the beginning of the last part of its key, the name of its task or its label; `last` is the one
 * that was spawned last. Of several with the same name the latest is meant. With `parentKey` it must be a child of that
 * session or have come from one. Rejects with UnknownChildError.
 */
export async function findChildByName(store: Store, name: string, parentKey?: string): Promise<ChildRow> {
  const wanted = name.trim();
  const latest = await store.select('children', {
    where: { parentKey },
    orderBy: [['seq', 'desc']],
    limit: MOST_SEARCHED,
  });
  const rows =
    parentKey === undefined
      ? [...(await store.select('children', { where: { childKey: wanted } })), ...latest]
      : await readDescendants(store, latest);
  const found =
    rows.find(({ childKey }) => childKey === wanted) ??
    rows.find(({ taskName, label }) => taskName === wanted || label === wanted) ??
    (wanted === 'last' ? latest[0] : undefined) ??
    (wanted.length >= LEAST_BEGINNING ? rows.find((row) => lastPartOf(row.childKey).startsWith(wanted)) : undefined);
  if (found) return found;
  const known = latest.slice(0, MOST_NAMED).map((row) => row.taskName ?? row.label ?? row.childKey);
  const child = wanted.slice(0, 200);
  throw new UnknownChildError(parentKey === undefined ? { child } : { child, sessionKey: parentKey, known });
}

function lastPartOf(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

const MOST_SEARCHED = 1_000;
const MOST_NAMED = 20;
const LEAST_BEGINNING = 4;

/** In the order in which they were spawned, each with its own children. */
export async function listChildren(store: Store, query: ChildrenQuery, now: number): Promise<readonly ChildView[]> {
  const { parentKey, parentRunId, isActive = false, limit = DEFAULT_LIMIT } = query;
  const rows = await store.select('children', {
    where: {
      parentKey,
      parentRunId,
      depth: parentKey === undefined && parentRunId === undefined ? 1 : undefined,
      endedAt: isActive ? null : undefined,
    },
    orderBy: [['seq', 'desc']],
    limit,
  });
  return viewChildren(store, rows.toReversed(), now, (text) => clip(text, LONGEST_IN_LIST));
}

export async function showChild(store: Store, child: ChildRow, now: number): Promise<ChildView> {
  const [view] = await viewChildren(store, [child], now, (text) => text);
  return view as ChildView;
}

async function viewChildren(
  store: Store,
  roots: readonly ChildRow[],
  now: number,
  shorten: (text: string) => string,
): Promise<readonly ChildView[]> {
  const rows = await readDescendants(store, roots);
  const [sums, runs] = await Promise.all([sumDescendants(store, rows), readRuns(store, rows)]);
  const childrenOf = groupByParent(rows);
  const view = (row: ChildRow): ChildView => {
    const { startedAt = null, isRunning = false } = runs.get(row.childKey) ?? {};
    return {
      sessionKey: row.childKey,
      parentKey: row.parentKey,
      parentRunId: row.parentRunId,
      agentId: row.agentId,
      depth: row.depth,
      mode: row.mode,
      taskName: row.taskName,
      label: row.label,
      task: shorten(row.task),
      state: stateOf(row, startedAt, isRunning),
      createdAt: row.createdAt,
      startedAt,
      endedAt: row.endedAt,
      elapsedMs: startedAt === null ? 0 : Math.max(0, (row.endedAt ?? now) - startedAt),
      result: row.result === null ? null : shorten(row.result),
      error: row.error === null ? null : shorten(row.error),
      own: sums.own(row.childKey),
      all: sums.all(row.childKey),
      children: (childrenOf.get(row.childKey) ?? []).map(view),
    };
  };
  return roots.map(view);
}

function stateOf({ outcome, ending }: ChildRow, startedAt: number | null, isRunning: boolean): ChildView['state'] {
  if (outcome) return outcome;
  if (ending) return 'stopping';
  if (startedAt === null) return 'queued';
  return isRunning ? 'running' : 'waiting';
}

interface ChildRuns {
  readonly startedAt: number;
  readonly isRunning: boolean;
}

/** When the first run of each child began, and whether one goes on. */
async function readRuns(store: Store, rows: readonly ChildRow[]): Promise<ReadonlyMap<string, ChildRuns>> {
  const found = new Map<string, ChildRuns>();
  for (const some of inChunks(rows.map(({ childKey }) => childKey))) {
    const runs = await store.select('runs', { where: { sessionKey: { in: some } }, orderBy: [['startedAt', 'asc']] });
    for (const { sessionKey, startedAt, status } of runs) {
      const known = found.get(sessionKey);
      const isRunning = known?.isRunning === true || status === 'running';
      found.set(sessionKey, { startedAt: known?.startedAt ?? startedAt, isRunning });
    }
  }
  return found;
}
