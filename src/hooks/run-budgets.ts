// How long the handlers of one run may take together, so that fifty plugins which are each a little slow do not keep a
// person waiting. The runner decides which handlers count.
// Memory is bounded: runs are forgotten, the oldest first, long after they have ended.

const MAX_RUNS = 1_000;

export class RunBudgets {
  readonly #spentMs = new Map<string, number>();

  /** Outside of a run no time is counted. */
  leftOf(runId: string | undefined, totalMs: number): number {
    if (runId === undefined) return Number.POSITIVE_INFINITY;
    return totalMs - (this.#spentMs.get(runId) ?? 0);
  }

  spend(runId: string | undefined, ms: number): void {
    if (runId === undefined) return;
    const before = this.#spentMs.get(runId);
    this.#spentMs.set(runId, (before ?? 0) + ms);
    if (before !== undefined || this.#spentMs.size <= MAX_RUNS) return;
    const [oldest] = this.#spentMs.keys();
    if (oldest !== undefined) this.#spentMs.delete(oldest);
  }
}
