// Ends what waits in the store when its time is over, also when that time ended while no gateway ran. One timer is set
// for what is due next; while nothing waits there is no timer. What waits, and how it ends, is handed in.
//
// Errors: none. When ending one fails, it is tried again after a pause that grows, and the operator is told once.
// When it fires: `open` once, `look` whenever something new waits, `close` once.

import { errorText } from '../protocol/one-line.ts';
import { LONGEST_TIMER_MS } from '../protocol/time-limit.ts';

export interface DueClockParts<Id> {
  /** Those whose time is over at `now`, the earliest first, and at most `limit` of them. */
  readonly overdue: (now: number, limit: number) => Promise<readonly Id[]>;
  /** The time at which the next one is due; undefined while nothing waits. */
  readonly nextAt: () => Promise<number | undefined>;
  /** Ends one of them. It resolves also when somebody else was faster. */
  readonly expire: (id: Id) => Promise<unknown>;
  /** The beginning of the sentence for the operator when `expire` fails. */
  readonly trouble: string;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Set where several nodes share the store: whether this one ends what is due. Without it, it always does. */
  readonly isMine?: (() => boolean) | undefined;
  /** The pause after the first failure; each further one doubles it. */
  readonly firstPauseMs?: number | undefined;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const AT_ONCE = 50;

export class DueClock<Id> {
  readonly #parts: DueClockParts<Id>;
  #timer: NodeJS.Timeout | undefined;
  /** The number of failures in a row. */
  #failures = 0;
  /** Settles when the look that is going on is over. */
  #looking: Promise<void> | undefined;
  /** A look was requested while one was in progress. */
  #mustLookAgain = false;
  #isClosed = false;

  constructor(parts: DueClockParts<Id>) {
    this.#parts = parts;
  }

  /** Resolves when everything that is overdue has ended. */
  open(): Promise<void> {
    return this.look();
  }

  /** Ends what is overdue, also where another node would do it soon. Rejects with the errors of the store. */
  async endNow(): Promise<void> {
    if (!this.#isClosed) await this.#endOverdue();
  }

  /** Does nothing while another node ends what is due. */
  look(): Promise<void> {
    if (this.#parts.isMine?.() === false) return Promise.resolve();
    this.#mustLookAgain = true;
    this.#looking ??= this.#lookUntilCalm().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #lookUntilCalm(): Promise<void> {
    while (this.#mustLookAgain && !this.#isClosed) {
      this.#mustLookAgain = false;
      clearTimeout(this.#timer);
      try {
        await this.#endOverdue();
        await this.#setTimer();
        this.#failures = 0;
      } catch (error) {
        this.#tryAgainLater(error);
      }
    }
  }

  async #endOverdue(): Promise<void> {
    const { overdue, expire, now } = this.#parts;
    for (;;) {
      const ids = await overdue(now(), AT_ONCE);
      for (const id of ids) {
        if (this.#isClosed) return;
        await expire(id);
      }
      if (ids.length < AT_ONCE) return;
    }
  }

  async #setTimer(): Promise<void> {
    const at = await this.#parts.nextAt();
    if (at !== undefined) this.#lookIn(at - this.#parts.now());
  }

  #tryAgainLater(error: unknown): void {
    if (this.#isClosed) return;
    const why = errorText(error);
    if (this.#failures === 0) this.#parts.warn(`${this.#parts.trouble}: ${why}`);
    const { firstPauseMs = FIRST_PAUSE_MS } = this.#parts;
    this.#lookIn(Math.min(firstPauseMs * 2 ** this.#failures++, LONGEST_PAUSE_MS));
  }

  #lookIn(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.look(), Math.min(Math.max(ms, 1), LONGEST_TIMER_MS));
    this.#timer.unref();
  }
}
