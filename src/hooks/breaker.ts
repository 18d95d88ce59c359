// Stops calling a handler that keeps people waiting. It counts the deadlines that one handler overran since it last
// answered, and suspends the handler when there are too many. The handler stays suspended until the operator rearms it,
// because each further call that hangs would cost every run the whole deadline.

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
