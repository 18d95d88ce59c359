// What model calls have cost, summed up from the rows that every call leaves: by day, agent, session, model or run.
// Rows are read page by page, the latest first, and the number of groups is bounded; the rest is summed up in `others`
// and in the total.
// An unknown cost is not zero: it stays null, and calls without a price are counted separately.
// What a subagent uses stands on its own lines. Lines of sessions and runs say in addition what they come to with their
// subagents; totals count every call once.

import { addCall, addSums, NO_SUM, type UsageSum } from '../../protocol/usage.ts';
import type { Store } from '../../store/store.ts';
import type { UsageRow } from '../../store/tables.ts';
import { readChildrenOf, readDescendants, sumDescendants } from './descendants.ts';

export const USAGE_GROUPINGS = ['day', 'agent', 'session', 'model', 'run'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface UsageQuery {
  readonly by: UsageGrouping;
  /** Days are those of this time zone. */
  readonly timezone: string;
  /** A time in milliseconds. Only calls at this time or later count. */
  readonly since?: number | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** Selects this one of the sessions of a key. */
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
}

export interface UsageGroup extends UsageSum {
  /** The day, the agent, the session's key, `provider/model`, or the run. */
  readonly key: string;
  /** The time of its latest call. */
  readonly lastAt: number;
  /** The sum with all subagents of the session or run; null where there are none, and for other groupings. */
  readonly withSubagents: UsageSum | null;
}

export interface UsageReport {
  readonly by: UsageGrouping;
  readonly timezone: string;
  /** The group with the latest call comes first. */
  readonly groups: readonly UsageGroup[];
  /** The sum of all older calls without a group of their own; null when there are none. */
  readonly others: UsageSum | null;
  readonly total: UsageSum;
  /**
   * The total with all subagents of the session or run that was asked for, each counted once; null where there are none,
   * and when no session or run was asked for, because the total has them then.
   */
  readonly totalWithSubagents: UsageSum | null;
}

export const MOST_USAGE_GROUPS = 1_000;
const PAGE_ROWS = 1_000;

export async function sumUsage(store: Store, query: UsageQuery): Promise<UsageReport> {
  const { by, timezone } = query;
  const keyOf = keysBy(by, timezone);
  const groups = new Map<string, Omit<UsageGroup, 'withSubagents'>>();
  let others: UsageSum | null = null;
  let total = NO_SUM;
  for await (const row of rowsOf(store, query)) {
    const key = keyOf(row);
    const group = groups.get(key);
    total = addCall(total, row);
    if (group) groups.set(key, { ...group, ...addCall(group, row) });
    else if (groups.size < MOST_USAGE_GROUPS) groups.set(key, { key, lastAt: row.at, ...addCall(NO_SUM, row) });
    else others = addCall(others ?? NO_SUM, row);
  }
  const subagents = await sumSubagents(store, by, groups.keys(), query);
  const plus = (sum: UsageSum, more: UsageSum | undefined) => (more ? addSums(sum, more) : null);
  return {
    by,
    timezone,
    groups: [...groups.values()].map((group) => ({
      ...group,
      withSubagents: plus(sumIn(group), subagents.get(group.key)),
    })),
    others,
    total,
    totalWithSubagents: plus(total, await subagentsOfQuery(store, query)),
  };
}

function sumIn({ key: _key, lastAt: _lastAt, ...sum }: UsageSum & Pick<UsageGroup, 'key' | 'lastAt'>): UsageSum {
  return sum;
}

/** What the subagents of each session or run have used, by its key; empty for other groupings. */
async function sumSubagents(
  store: Store,
  by: UsageGrouping,
  keys: Iterable<string>,
  { since, sessionId }: UsageQuery,
): Promise<ReadonlyMap<string, UsageSum>> {
  const column = PARENT_COLUMNS[by];
  if (!column) return new Map();
  const children = (await readChildrenOf(store, column, keys)).filter(
    ({ parentSessionId }) => sessionId === undefined || parentSessionId === sessionId,
  );
  const sums = await sumDescendants(store, await readDescendants(store, children), since);
  const found = new Map<string, UsageSum>();
  for (const child of children) {
    found.set(child[column], addSums(found.get(child[column]) ?? NO_SUM, sums.all(child.childKey)));
  }
  return found;
}

const PARENT_COLUMNS: Partial<Record<UsageGrouping, 'parentKey' | 'parentRunId'>> = {
  session: 'parentKey',
  run: 'parentRunId',
};

async function subagentsOfQuery(store: Store, query: UsageQuery): Promise<UsageSum | undefined> {
  const { runId, sessionKey } = query;
  if (runId !== undefined) return (await sumSubagents(store, 'run', [runId], query)).get(runId);
  if (sessionKey === undefined) return undefined;
  return (await sumSubagents(store, 'session', [sessionKey], query)).get(sessionKey);
}

async function* rowsOf(store: Store, query: UsageQuery): AsyncIterable<UsageRow> {
  const { since, agentId, sessionKey, sessionId, runId } = query;
  let before: number | undefined;
  for (;;) {
    const page = await store.select('usage', {
      where: {
        agentId,
        sessionKey,
        sessionId,
        runId,
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

function keysBy(by: UsageGrouping, timezone: string): (row: UsageRow) => string {
  if (by === 'agent') return ({ agentId }) => agentId;
  if (by === 'session') return ({ sessionKey }) => sessionKey;
  if (by === 'model') return ({ provider, model }) => `${provider}/${model}`;
  if (by === 'run') return ({ runId }) => runId;
  const days = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  return ({ at }) => days.format(at);
}
