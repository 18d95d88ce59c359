// Notices that the whole process did not run for a while: it was stopped, the machine slept, or something kept it busy.
// Messages waited meanwhile and time limits ran out without anybody's fault, so it is said.

import { performance } from 'node:perf_hooks';

const EVERY_MS = 2_000;
/** A shorter pause is what a busy machine does. */
const LEAST_PAUSE_MS = 3_000;

export class PauseWatch {
  readonly #warn: (sentence: string) => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  /** `now` must not follow the clock of the wall, which may be set. */
  constructor(warn: (sentence: string) => void, now: () => number = () => performance.now()) {
    this.#warn = warn;
    this.#now = now;
  }

  open(): void {
    let seenAt = this.#now();
    this.#timer = setInterval(() => {
      const lateMs = this.#now() - seenAt - EVERY_MS;
      seenAt = this.#now();
      if (lateMs < LEAST_PAUSE_MS) return;
      const seconds = Math.round(lateMs / 1_000);
      this.#warn(`This process did not run for ${seconds} seconds: it was stopped, or something kept it busy.`);
    }, EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
