// How long the handlers of one run may take together, so that fifty plugins which are each a little slow do not keep a
// person waiting. The budget is fair: when it is used up, each owner still has a share of its own, so that the hanging
// handlers of one plugin never keep another's from being called. The runner decides which handlers count.
// Memory is bounded: runs are forgotten, the oldest first, long after they have ended.

const MAX_RUNS = 1_000;

/** The part of a run's budget that an owner has in any case, whatever others have used. */
const OWN_SHARE = 1 / 3;

interface Spent {
  totalMs: number;
  readonly byOwner: Map<string, number>;
}

export class RunBudgets {
  readonly #spent = new Map<string, Spent>();

  /** How long a handler of this owner may still take. Outside of a run no time is counted. */
  leftOf(runId: string | undefined, owner: string, budgetMs: number): number {
    if (runId === undefined) return Number.POSITIVE_INFINITY;
    const spent = this.#spent.get(runId);
    if (!spent) return budgetMs;
    return Math.max(budgetMs - spent.totalMs, budgetMs * OWN_SHARE - (spent.byOwner.get(owner) ?? 0));
  }

  spend(runId: string | undefined, owner: string, ms: number): void {
    if (runId === undefined) return;
    const spent = this.#spent.get(runId) ?? this.#begin(runId);
    spent.totalMs += ms;
    spent.byOwner.set(owner, (spent.byOwner.get(owner) ?? 0) + ms);
  }

  #begin(runId: string): Spent {
    const spent: Spent = { totalMs: 0, byOwner: new Map() };
    this.#spent.set(runId, spent);
    if (this.#spent.size > MAX_RUNS) {
      const [oldest] = this.#spent.keys();
      if (oldest !== undefined) this.#spent.delete(oldest);
    }
    return spent;
  }
}
