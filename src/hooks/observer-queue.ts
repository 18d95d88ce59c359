// Observations on their way to observers, off the path of the run. Each observer is told in order per session, and one
// that is slow delays only itself: other observers, and the same one in other sessions, go on. An observer that falls
// too far behind misses what is new rather than holding everything in memory.

import { within } from '../protocol/time-limit.ts';

/** How many observations may wait for one observer, all sessions together. */
export const MAX_WAITING = 1_000;

export class ObserverQueue {
  /** The last observation that waits, per observer and session; only as long as there is one. */
  readonly #tails = new Map<string, Map<string, Promise<void>>>();
  readonly #waiting = new Map<string, number>();
  readonly #drained = new Set<() => void>();
  #pending = 0;

  /** How many observations were taken and have not been told yet. */
  get pending(): number {
    return this.#pending;
  }

  /** `tell` must not reject. Resolves when it is done; undefined when the observer is too far behind. */
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

  /** Waits until everything is told, at most this long. Returns how many observations are left. */
  async drain(timeoutMs: number): Promise<number> {
    if (this.#pending > 0) await within(timeoutMs, new Promise<void>((resolve) => this.#drained.add(resolve)));
    return this.#pending;
  }

  #done(observer: string): void {
    this.#pending -= 1;
    const waiting = (this.#waiting.get(observer) ?? 1) - 1;
    if (waiting > 0) this.#waiting.set(observer, waiting);
    else {
      this.#waiting.delete(observer);
      this.#tails.delete(observer);
    }
    if (this.#pending > 0) return;
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }
}

/** The run that observes goes on first. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
