// One timer for a time on the clock. It checks the clock often enough to notice that the machine slept or that the
// clock was set, never waits longer than a timer can, and does not keep a process alive.

/** A timer does not count while the machine sleeps, but the clock goes on. */
const LOOK_EVERY_MS = 30_000;

export class Alarm {
  readonly #now: () => number;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number, ring: () => void) {
    this.#now = now;
    this.#ring = ring;
  }

  /**
   * Rings once at this time, at once when the time has passed, or soon after the clock was set back. A later call
   * replaces the earlier one.
   */
  set(at: number): void {
    this.clear();
    const from = this.#now();
    const wait = Math.min(Math.max(at - from, 0), LOOK_EVERY_MS);
    this.#timer = setTimeout(() => {
      // When the clock was set back, the owner must decide again how long to wait.
      if (this.#now() >= at || this.#now() < from) this.#ring();
      else this.set(at);
    }, wait);
    this.#timer.unref();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
