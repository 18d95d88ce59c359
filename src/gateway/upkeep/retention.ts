// What is kept of the past, and for how long. The configured limits are applied regularly, and an operator can apply
// others at once. Nothing that is owed is removed, whatever the limits say; `recorder/prune-…` decide that.

import type { Config } from '../../config/schema.ts';
import { countPrunable, planPrune } from '../../recorder/prune-captures.ts';
import { DEDUPE_MS, type PrunableRows, planRows, USAGE_MS } from '../../recorder/prune-rows.ts';
import { pruneTrajectories } from '../../recorder/prune-trajectories.ts';
import { measureRecords } from '../../recorder/record-tables.ts';
import { trajectoryFileOf } from '../../recorder/trajectory.ts';
import { planChildPrune } from '../../sessions/prune-children.ts';
import type { Store } from '../../store/store.ts';

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

/** What is younger always stays, whatever age is asked for. */
export const ALWAYS_KEPT_MS: Readonly<Partial<Record<Prunable, number>>> = { messages: DEDUPE_MS, usage: USAGE_MS };

export interface RetentionParts {
  readonly store: Store;
  readonly trajectoryDir: string;
  readonly limits: Config['recorder'];
  readonly now: () => number;
  /** Called when something was removed. */
  readonly removed?: (() => void) | undefined;
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
  readonly maxAgeMs?: number | undefined;
  /** The most of all of them together; the oldest go first. */
  readonly maxBytes?: number | undefined;
}

interface Task {
  readonly limits: Limits;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal | undefined;
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DAYS = 30;
const MAX_TRAJECTORIES = 10_000;
/** What is younger is not removed to make room: work that is under way may still refer to it. */
const LEFT_ALONE_MS = 60_000;

export class Retention {
  readonly #parts: RetentionParts;
  #limits: Config['recorder'];

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#limits = parts.limits;
  }

  /** From now on these limits hold. */
  apply(limits: Config['recorder']): void {
    this.#limits = limits;
  }

  async prune({ what, olderThanMs, isDryRun = false, signal }: PruneRequest = {}): Promise<readonly Pruned[]> {
    const pruned: Pruned[] = [];
    for (const each of what ?? PRUNABLE) {
      const isNamed = what !== undefined || each !== 'transcripts';
      const limits = olderThanMs === undefined ? this.#configured(each) : { maxAgeMs: olderThanMs };
      const isUnlimited = limits.maxAgeMs === undefined && limits.maxBytes === undefined;
      if (isUnlimited || (olderThanMs !== undefined && !isNamed)) continue;
      pruned.push({ what: each, removed: await this.#remove(each, { limits, isDryRun, signal }) });
    }
    if (!isDryRun && pruned.some(({ removed }) => removed > 0)) this.#parts.removed?.();
    return pruned;
  }

  /** Without limits where the operator has set none and there is none by itself. */
  #configured(what: Prunable): Limits {
    const limits = this.#limits ?? {};
    const { captures, trajectory } = limits;
    if (what === 'captures')
      return { maxAgeMs: (captures?.maxDays ?? MAX_DAYS) * DAY_MS, maxBytes: captures?.maxBytes ?? MAX_BYTES };
    if (what === 'trajectories') {
      const days = trajectory?.maxDays ?? captures?.maxDays ?? MAX_DAYS;
      return { maxAgeMs: days * DAY_MS, maxBytes: trajectory?.maxTotalBytes };
    }
    // Nothing refers to the row of a subagent whose session was deleted, so these go with the requests.
    if (what === 'children') return { maxAgeMs: (limits.children?.maxDays ?? captures?.maxDays ?? MAX_DAYS) * DAY_MS };
    const { maxDays, maxBytes } = limits[what === 'hook-records' ? 'hookRecords' : what] ?? {};
    return { maxAgeMs: maxDays === undefined ? undefined : maxDays * DAY_MS, maxBytes };
  }

  #remove(what: Prunable, task: Task): Promise<number> {
    if (what === 'captures') return this.#removeCaptures(task);
    if (what === 'trajectories') return this.#removeTrajectories(task);
    if (what === 'children') return this.#removeChildren(task);
    return this.#removeRows(what, task);
  }

  async #removeCaptures({ limits, isDryRun, signal }: Task): Promise<number> {
    const { store, now } = this.#parts;
    const { maxAgeMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits;
    if (isDryRun) return countPrunable(store, { maxBytes, maxAgeMs, now: now() });
    let removed = 0;
    for (let more = true; more && !signal?.aborted; ) {
      const plan = await planPrune(store, { maxBytes, maxAgeMs, now: now() });
      if (plan.writes.length > 0) await store.commit(plan.writes, { site: 'prune' });
      removed += plan.captures;
      more = plan.more;
    }
    return removed;
  }

  /** A run that is open goes on writing into the file of its session. */
  async #removeTrajectories({ limits, isDryRun }: Task): Promise<number> {
    const { store, trajectoryDir, now } = this.#parts;
    const open = await store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
    const sessionIds = open.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId]));
    return pruneTrajectories(trajectoryDir, {
      ...limits,
      maxFiles: MAX_TRAJECTORIES,
      keep: new Set(sessionIds.map((sessionId) => trajectoryFileOf(trajectoryDir, sessionId))),
      now: now(),
      isDryRun,
    });
  }

  async #removeChildren({ limits: { maxAgeMs = 0 }, isDryRun, signal }: Task): Promise<number> {
    const { store, now } = this.#parts;
    let removed = 0;
    for await (const { keys, writes } of planChildPrune(store, { maxAgeMs, now: now() })) {
      if (signal?.aborted) break;
      if (!isDryRun) await store.commit(writes, { site: 'prune' });
      removed += keys.length;
    }
    return removed;
  }

  /** By age first, then the oldest of what is left until the rest is small enough. */
  async #removeRows(kind: PrunableRows, task: Task): Promise<number> {
    const { maxAgeMs, maxBytes } = task.limits;
    const now = this.#parts.now();
    const byAge = maxAgeMs === undefined ? 0 : await this.#removeBefore(kind, now - maxAgeMs, task);
    if (maxBytes === undefined) return byAge;
    const bytesToFree = (await measureRecords(this.#parts.store, kind)) - maxBytes;
    if (bytesToFree <= 0) return byAge;
    const bySize = await this.#removeBefore(kind, now - LEFT_ALONE_MS, task, bytesToFree);
    // Nothing was removed by age in a dry run, so what goes by size are partly the same rows.
    return task.isDryRun ? Math.max(byAge, bySize) : byAge + bySize;
  }

  async #removeBefore(
    kind: PrunableRows,
    before: number,
    { isDryRun, signal }: Task,
    bytesToFree?: number,
  ): Promise<number> {
    const { store } = this.#parts;
    const now = this.#parts.now();
    let rows = 0;
    let bytes = 0;
    let after: number | undefined;
    do {
      const left = bytesToFree === undefined ? undefined : bytesToFree - bytes;
      const plan = await planRows(store, kind, { before, now, bytesToFree: left, after });
      if (plan.writes.length > 0 && !isDryRun) await store.commit(plan.writes, { site: 'prune' });
      rows += plan.rows;
      bytes += plan.bytes;
      after = plan.next;
    } while (after !== undefined && !signal?.aborted);
    return rows;
  }
}
