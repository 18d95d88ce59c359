// How long the handlers of one run may take together, so that fifty plugins which are each a little slow do not keep a
// person waiting. The budget is fair: when it is used up, each owner still has a share of its own, so that the hanging
// handlers of one plugin never keep another's from being called. The runner decides which handlers count.
// Memory is bounded: runs are forgotten, the oldest first, long after they have ended.

const MAX_RUNS = 1_000;

/** The part of a run's budget that an owner has in any case, whatever others have used. */
const OWN_SHARE = 1 / 3;

export class RunBudgets {
  readonly #runs = new Map<string, RunBudget>();

  /** What the handlers of a run have used. Outside of a run no time is counted. */
  of(runId: string | undefined): RunBudget | undefined {
    if (runId === undefined) return undefined;
    return this.#runs.get(runId) ?? this.#begin(runId);
  }

  #begin(runId: string): RunBudget {
    const budget = new RunBudget();
    this.#runs.set(runId, budget);
    if (this.#runs.size > MAX_RUNS) {
      const [oldest] = this.#runs.keys();
      if (oldest !== undefined) this.#runs.delete(oldest);
    }
    return budget;
  }
}

/** What the handlers of one run have used so far, together and by owner. */
export class RunBudget {
  #totalMs = 0;
  readonly #byOwner = new Map<string, { ms: number }>();

  /** How long a handler of this owner may still take. */
  leftOf(owner: string, budgetMs: number): number {
    return Math.max(budgetMs - this.#totalMs, budgetMs * OWN_SHARE - (this.#byOwner.get(owner)?.ms ?? 0));
  }

  /** A handler's own deadline, or what is left for it if that is less. */
  limitOf(timeoutMs: number, owner: string, budgetMs: number): number {
    // Most often there is more left for all than one of them may take, and its owner need not be looked up.
    return budgetMs - this.#totalMs >= timeoutMs ? timeoutMs : Math.min(timeoutMs, this.leftOf(owner, budgetMs));
  }

  spend(owner: string, ms: number): void {
    this.#totalMs += ms;
    const spent = this.#byOwner.get(owner);
    if (spent) spent.ms += ms;
    else this.#byOwner.set(owner, { ms });
  }
}
