// Stops calling a handler that keeps people waiting. It counts the deadlines that one handler overran since it last
// answered, and opens when there are too many; it stays open until somebody closes it, since a handler that hangs once
// more costs every run its whole deadline.

/** How many deadlines a handler may overrun, without an answer in between. */
export const MAX_TIMEOUTS = 3;

export interface Suspension {
  /** A clause, such as `it timed out 3 times`. */
  readonly reason: string;
  readonly at: number;
}

export class Breaker {
  #timeouts = 0;
  #suspension: Suspension | undefined;
  #told: Suspension | undefined;

  /** Set while the handler is not to be called. */
  get suspension(): Suspension | undefined {
    return this.#suspension;
  }

  answered(): void {
    this.#timeouts = 0;
  }

  /** True when this one was too many. */
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

  /** True the first time for each suspension, its own or its owner's: one record says as much as a thousand. */
  isNews(suspension: Suspension): boolean {
    const isNews = this.#told !== suspension;
    this.#told = suspension;
    return isNews;
  }
}
