// What is kept of the past, and for how long. The configured limits are applied regularly, and an operator can apply
// others at once. Nothing that is owed is removed, whatever the limits say; `recorder/prune-…` decide that.

import type { Config } from '../config/schema.ts';
import { planPrune } from '../recorder/prune-captures.ts';
import { type PrunableRows, planRows } from '../recorder/prune-rows.ts';
import { pruneTrajectories } from '../recorder/prune-trajectories.ts';
import { planChildPrune } from '../sessions/prune-children.ts';
import type { Store } from '../store/store.ts';

export const PRUNABLE = [
  'captures',
  'trajectories',
  'hook-records',
  'messages',
  'approvals',
  'children',
  'usage',
  'transcripts',
] as const;
export type Prunable = (typeof PRUNABLE)[number];

export interface RetentionParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  readonly limits: Config['recorder'];
  readonly now: () => number;
}

export interface PruneRequest {
  /** Without it, everything but transcripts, which are removed only by name or by a configured limit. */
  readonly what?: readonly Prunable[] | undefined;
  /** Without it, the configured limits decide. */
  readonly olderThanMs?: number | undefined;
  readonly isDryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Pruned {
  readonly what: Prunable;
  /** How many were removed, or would be. */
  readonly removed: number;
}

interface Limits {
  readonly maxAgeMs: number | undefined;
  readonly maxBytes?: number | undefined;
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DAYS = 30;
const MAX_TRAJECTORIES = 10_000;

export class Retention {
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  async prune({ what, olderThanMs, isDryRun = false, signal }: PruneRequest = {}): Promise<readonly Pruned[]> {
    const pruned: Pruned[] = [];
    for (const each of what ?? PRUNABLE) {
      const isNamed = what !== undefined || each !== 'transcripts';
      const limits = olderThanMs === undefined ? this.#configured(each) : { maxAgeMs: olderThanMs };
      if (limits.maxAgeMs === undefined || (olderThanMs !== undefined && !isNamed)) continue;
      const removed = await this.#remove(each, { ...limits, maxAgeMs: limits.maxAgeMs }, isDryRun, signal);
      pruned.push({ what: each, removed });
    }
    return pruned;
  }

  /** Undefined where the operator has set no limit and there is none by itself. */
  #configured(what: Prunable): Limits {
    const { limits = {} } = this.#parts;
    const { captures, trajectory } = limits;
    if (what === 'captures')
      return { maxAgeMs: (captures?.maxDays ?? MAX_DAYS) * DAY_MS, maxBytes: captures?.maxBytes ?? MAX_BYTES };
    if (what === 'trajectories') {
      const days = trajectory?.maxDays ?? captures?.maxDays ?? MAX_DAYS;
      return { maxAgeMs: days * DAY_MS, maxBytes: trajectory?.maxTotalBytes };
    }
    // Nothing refers to the row of a subagent whose session was deleted, so these go with the requests.
    if (what === 'children') return { maxAgeMs: (limits.children?.maxDays ?? captures?.maxDays ?? MAX_DAYS) * DAY_MS };
    const days = limits[what === 'hook-records' ? 'hookRecords' : what]?.maxDays;
    return { maxAgeMs: days === undefined ? undefined : days * DAY_MS };
  }

  async #remove(
    what: Prunable,
    limits: Limits & { readonly maxAgeMs: number },
    isDryRun: boolean,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    if (what === 'captures') return this.#removeCaptures(limits, isDryRun, signal);
    if (what === 'trajectories') {
      const { trajectoryDir, now } = this.#parts;
      const found = { ...limits, maxFiles: MAX_TRAJECTORIES, now: now(), isDryRun };
      return pruneTrajectories(trajectoryDir, found);
    }
    if (what === 'children') return this.#removeChildren(limits.maxAgeMs, isDryRun, signal);
    return this.#removeRows(what, limits.maxAgeMs, isDryRun, signal);
  }

  /** Without removing anything, only those beyond the age limit can be counted. */
  async #removeCaptures(
    { maxAgeMs, maxBytes = Number.POSITIVE_INFINITY }: Limits & { readonly maxAgeMs: number },
    isDryRun: boolean,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { store, now } = this.#parts;
    if (isDryRun) return store.count('captures', { at: { lt: now() - Math.max(maxAgeMs, 60_000) } });
    let removed = 0;
    for (let more = true; more && !signal?.aborted; ) {
      const plan = await planPrune(store, { maxBytes, maxAgeMs, now: now() });
      if (plan.writes.length > 0) await store.commit(plan.writes, { site: 'prune' });
      removed += plan.captures;
      more = plan.more;
    }
    return removed;
  }

  async #removeChildren(maxAgeMs: number, isDryRun: boolean, signal: AbortSignal | undefined): Promise<number> {
    const { store, now } = this.#parts;
    let removed = 0;
    for await (const { keys, writes } of planChildPrune(store, { maxAgeMs, now: now() })) {
      if (signal?.aborted) break;
      if (!isDryRun) await store.commit(writes, { site: 'prune' });
      removed += keys.length;
    }
    return removed;
  }

  async #removeRows(
    kind: PrunableRows,
    maxAgeMs: number,
    isDryRun: boolean,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { store } = this.#parts;
    const now = this.#parts.now();
    let rows = 0;
    let after: string | number | undefined;
    do {
      const plan = await planRows(store, kind, { before: now - maxAgeMs, now, after });
      if (plan.writes.length > 0 && !isDryRun) await store.commit(plan.writes, { site: 'prune' });
      rows += plan.rows;
      after = plan.next;
    } while (after !== undefined && !signal?.aborted);
    return rows;
  }
}
