// Old captures make room now and then, a slice at a time, while nothing waits for it.

import { planPrune } from '../recorder/prune-captures.ts';
import type { Store } from '../store/store.ts';

export interface HousekeepingParts {
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  readonly limits: { readonly maxBytes?: number | undefined; readonly maxDays?: number | undefined } | undefined;
}

const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DAYS = 30;

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#timer = setInterval(() => void this.prune(), EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async prune(): Promise<void> {
    const { store, now, warn, limits } = this.#parts;
    const maxBytes = limits?.maxBytes ?? MAX_BYTES;
    const maxAgeMs = (limits?.maxDays ?? MAX_DAYS) * DAY_MS;
    try {
      for (let more = true; more; ) {
        const plan = await planPrune(store, { maxBytes, maxAgeMs, now: now() });
        if (plan.writes.length > 0) await store.commit(plan.writes, { site: 'prune' });
        more = plan.more;
      }
    } catch (error) {
      warn(`Old requests could not make room: ${(error as Error).message}`);
    }
  }
}
