// Removes old captures and trajectories regularly, a few at a time, without delaying other work.

import { planPrune } from '../recorder/prune-captures.ts';
import { pruneTrajectories } from '../recorder/prune-trajectories.ts';
import type { Store } from '../store/store.ts';

export interface HousekeepingParts {
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  readonly trajectoryDir: string;
  readonly limits: { readonly maxBytes?: number | undefined; readonly maxDays?: number | undefined } | undefined;
}

/** The first time comes soon, because a gateway that is restarted often would otherwise never do it. */
const FIRST_MS = 1_000;
const EVERY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DAYS = 30;
const MAX_TRAJECTORIES = 10_000;

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #first: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#first = setTimeout(() => void this.prune(), FIRST_MS);
    this.#first.unref();
    this.#timer = setInterval(() => void this.prune(), EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#first);
    clearInterval(this.#timer);
  }

  async prune(): Promise<void> {
    const { store, now, warn, limits, trajectoryDir } = this.#parts;
    const maxBytes = limits?.maxBytes ?? MAX_BYTES;
    const maxAgeMs = (limits?.maxDays ?? MAX_DAYS) * DAY_MS;
    try {
      for (let more = true; more && !this.#isClosed; ) {
        const plan = await planPrune(store, { maxBytes, maxAgeMs, now: now() });
        if (plan.writes.length > 0) await store.commit(plan.writes, { site: 'prune' });
        more = plan.more;
      }
    } catch (error) {
      if (!this.#isClosed) warn(`Old requests could not make room: ${(error as Error).message}`);
    }
    await pruneTrajectories(trajectoryDir, { maxAgeMs, maxFiles: MAX_TRAJECTORIES, now: now() });
  }
}
