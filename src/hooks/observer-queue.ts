// Delivers observations to observers without delaying the run. Each observer is told in order per session. A slow
// observer delays only itself, and only in the same session. An observer that falls too far behind misses new
// observations, so that memory stays bounded.

import { within } from '../protocol/time-limit.ts';

/** How many observations may wait for one observer, all sessions together. */
export const MAX_WAITING = 1_000;

export class ObserverQueue {
  /** The last waiting observation per observer and session; an entry exists only as long as one waits. */
  readonly #tails = new Map<string, Map<string, Promise<void>>>();
  readonly #waiting = new Map<string, number>();
  readonly #drained = new Set<() => void>();
  #pending = 0;

  /** The number of observations that were accepted and have not been told yet. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * `tell` must not reject. The promise resolves when it is done; the result is undefined when the observer is too far
   * behind.
   */
  add(observer: string, sessionKey: string, tell: () => Promise<void>): Promise<void> | undefined {
    const waiting = this.#waiting.get(observer) ?? 0;
    if (waiting >= MAX_WAITING) return undefined;
    this.#waiting.set(observer, waiting + 1);
    this.#pending += 1;
    const tails = this.#tails.get(observer) ?? new Map<string, Promise<void>>();
    this.#tails.set(observer, tails);
    const told = (tails.get(sessionKey) ?? nextTick()).then(tell).then(() => {
      if (tails.get(sessionKey) === told) tails.delete(sessionKey);
      this.#done(observer);
    });
    tails.set(sessionKey, told);
    return told;
  }

  /** Something is about to be added, and `drain` waits for that too. Returns the function that says that it was added. */
  expect(): () => void {
    this.#pending += 1;
    return () => this.#less();
  }

  /** Waits until everything is told, at most this long. Returns how many observations are left. */
  async drain(timeoutMs: number): Promise<number> {
    if (this.#pending > 0) await within(timeoutMs, new Promise<void>((resolve) => this.#drained.add(resolve)));
    return this.#pending;
  }

  #done(observer: string): void {
    const waiting = (this.#waiting.get(observer) ?? 1) - 1;
    if (waiting > 0) this.#waiting.set(observer, waiting);
    else {
      this.#waiting.delete(observer);
      this.#tails.delete(observer);
    }
    this.#less();
  }

  #less(): void {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }
}

/** Lets the run that caused the observation go on first. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
