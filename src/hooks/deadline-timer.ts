// One timer for the deadlines of all handlers that are being waited for. It is set to the earliest deadline and checks
// again when it fires, so that a handler which answers in time needs no timer of its own. While no handler is waited
// for, the timer does not keep the process alive.

import { LONGEST_TIMER_MS } from '../protocol/time-limit.ts';

export interface Waiting {
  /** Measured by the process's own clock, `performance.now()`. */
  readonly dueAt: number;
  expire(): void;
}

export class DeadlineTimer {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the timer fires. It is never later than the earliest deadline. */
  #firesAt = Number.POSITIVE_INFINITY;

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
    if (waiting.dueAt < this.#firesAt) this.#set(waiting.dueAt);
    else if (this.#waiting.size === 1) this.#timer?.ref();
  }

  remove(waiting: Waiting): void {
    if (this.#waiting.delete(waiting) && this.#waiting.size === 0) this.#timer?.unref();
  }

  #set(dueAt: number): void {
    clearTimeout(this.#timer);
    const inMs = Math.min(Math.max(1, Math.ceil(dueAt - performance.now())), LONGEST_TIMER_MS);
    this.#firesAt = dueAt;
    this.#timer = setTimeout(() => this.#fire(), inMs);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    // Timers count whole milliseconds and may be early by a part of one.
    const now = performance.now() + 1;
    let next = Number.POSITIVE_INFINITY;
    const due: Waiting[] = [];
    for (const waiting of this.#waiting) {
      if (waiting.dueAt > now) next = Math.min(next, waiting.dueAt);
      else due.push(waiting);
    }
    // A timer that fires late finds several of them. Each may end the wait of another one, which is then left alone.
    for (const waiting of due.sort((a, b) => a.dueAt - b.dueAt)) {
      if (this.#waiting.delete(waiting)) waiting.expire();
    }
    if (next < this.#firesAt) this.#set(next);
  }
}
