// Stops calling handlers that keep people waiting. A `Breaker` counts the deadlines that one handler overran since it
// last answered, and suspends the handler when there are too many. An `OwnerBreakers` counts the runs in which the
// handlers of one plugin together used up their time, for a plugin with many handlers that each hang now and then. What
// is suspended stays so until the operator rearms it, because each further call that hangs would cost every run the
// whole deadline.

/** How many deadlines a handler may overrun, without an answer in between. */
export const MAX_TIMEOUTS = 3;

export interface Suspension {
  /** The reason is a clause, such as `it timed out 3 times`. */
  readonly reason: string;
  readonly at: number;
}

export class Breaker {
  #timeouts = 0;
  #suspension: Suspension | undefined;
  #told: Suspension | undefined;

  /** The handler timed out and has not answered since. */
  get isLate(): boolean {
    return this.#timeouts > 0;
  }

  /** Set while the handler must not be called. */
  get suspension(): Suspension | undefined {
    return this.#suspension;
  }

  answered(): void {
    this.#timeouts = 0;
  }

  /** Returns true when this time-out suspends the handler. */
  timedOut(at: number): boolean {
    this.#timeouts += 1;
    if (this.#timeouts < MAX_TIMEOUTS || this.#suspension) return false;
    this.#suspension = { reason: `it timed out ${MAX_TIMEOUTS} times without an answer in between`, at };
    return true;
  }

  /** Suspends the handler for a reason that its plugin gave as a whole. */
  open(suspension: Suspension): void {
    this.#suspension ??= suspension;
  }

  close(): void {
    this.#suspension = undefined;
    this.#timeouts = 0;
  }

  /**
   * Returns true the first time that it is asked about a suspension, of the handler or of its owner, so that each
   * suspension is recorded once.
   */
  isNews(suspension: Suspension): boolean {
    const isNews = this.#told !== suspension;
    this.#told = suspension;
    return isNews;
  }
}

/** How many runs the handlers of one owner may overdraw, without an answer of a late handler in between. */
export const MAX_OVERDRAWN_RUNS = 3;

export class OwnerBreakers {
  readonly #overdrawn = new Map<string, { runs: number; last: string }>();

  /** Returns true when this run is one too many. The time-outs of one run count once. */
  overdrew(owner: string, runId: string): boolean {
    const known = this.#overdrawn.get(owner);
    if (known?.last === runId) return false;
    const runs = (known?.runs ?? 0) + 1;
    this.#overdrawn.set(owner, { runs, last: runId });
    return runs >= MAX_OVERDRAWN_RUNS;
  }

  close(owner: string): void {
    this.#overdrawn.delete(owner);
  }
}
