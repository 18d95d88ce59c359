// What model calls have cost, summed up from the rows that every call leaves: by day, agent, session, model or run.
// Rows are read page by page, the latest first, and the number of groups is bounded; the rest is summed up in `others`
// and in the total.
// An unknown cost is not zero: it stays null, and calls without a price are counted separately.

import type { Cost } from '../../protocol/usage.ts';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/usage.ts';
import type { Store } from '../../store/store.ts';
import type { UsageRow } from '../../store/tables.ts';

export const USAGE_GROUPINGS = ['day', 'agent', 'session', 'model', 'run'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface UsageQuery {
  readonly by: UsageGrouping;
  /** Days are those of this time zone. */
  readonly timezone: string;
  /** In milliseconds; only calls from this time on count. */
  readonly since?: number | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  /** Selects this one of the sessions of a key. */
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
}

export interface UsageSum extends Usage, Cost {
  readonly calls: number;
}

export interface UsageGroup extends UsageSum {
  /** The day, the agent, the session's key, `provider/model`, or the run. */
  readonly key: string;
  /** The time of its latest call. */
  readonly lastAt: number;
}

export interface UsageReport {
  readonly by: UsageGrouping;
  readonly timezone: string;
  /** The group with the latest call comes first. */
  readonly groups: readonly UsageGroup[];
  /** The sum of all older calls without a group of their own; null when there are none. */
  readonly others: UsageSum | null;
  readonly total: UsageSum;
}

export const MOST_USAGE_GROUPS = 1_000;
const PAGE_ROWS = 1_000;

export async function sumUsage(store: Store, query: UsageQuery): Promise<UsageReport> {
  const { by, timezone } = query;
  const keyOf = keysBy(by, timezone);
  const groups = new Map<string, UsageGroup>();
  let others: UsageSum | null = null;
  let total = NO_SUM;
  for await (const row of rowsOf(store, query)) {
    const key = keyOf(row);
    const group = groups.get(key);
    total = addRow(total, row);
    if (group) groups.set(key, { ...group, ...addRow(group, row) });
    else if (groups.size < MOST_USAGE_GROUPS) groups.set(key, { key, lastAt: row.at, ...addRow(NO_SUM, row) });
    else others = addRow(others ?? NO_SUM, row);
  }
  return { by, timezone, groups: [...groups.values()], others, total };
}

const NO_SUM: UsageSum = { ...NO_USAGE, calls: 0, cost: null, unpriced: 0 };

function addRow(sum: UsageSum, row: UsageRow): UsageSum {
  return {
    ...addUsage(sum, row),
    calls: sum.calls + 1,
    cost: row.cost === null ? sum.cost : (sum.cost ?? 0) + row.cost,
    unpriced: sum.unpriced + (row.cost === null ? 1 : 0),
  };
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
