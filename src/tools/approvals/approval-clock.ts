// Answers approvals that no person answers in time with `timeout`, also when their time ended while no gateway ran. One
// timer is set for the approval that is due next; without waiting approvals there is no timer.
//
// Errors: none. A store that refuses is asked again after a pause that grows, and the operator is told once.
// When it fires: `open` once, `look` whenever an approval was asked for, `close` once.

import { errorText } from '../../protocol/one-line.ts';
import { LONGEST_TIMER_MS } from '../../protocol/time-limit.ts';
import type { Store } from '../../store/store.ts';
import { ApprovalAnsweredError, UnknownApprovalError } from '../errors.ts';

export interface ApprovalClockParts {
  readonly store: Store;
  /** Writes down that the time of this approval is over, and wakes its run. */
  readonly expire: (approvalId: string) => Promise<unknown>;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** The pause after the first failure; each further one doubles it. */
  readonly firstPauseMs?: number | undefined;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const AT_ONCE = 50;

export class ApprovalClock {
  readonly #parts: ApprovalClockParts;
  #timer: NodeJS.Timeout | undefined;
  /** The number of failures in a row. */
  #failures = 0;
  /** Settles when the look that is going on is over. */
  #looking: Promise<void> | undefined;
  /** A look was requested while one was in progress. */
  #mustLookAgain = false;
  #isClosed = false;

  constructor(parts: ApprovalClockParts) {
    this.#parts = parts;
  }

  /** Resolves when everything that is overdue has been answered. */
  open(): Promise<void> {
    return this.look();
  }

  look(): Promise<void> {
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
        await this.#answerOverdue();
        await this.#setTimer();
        this.#failures = 0;
      } catch (error) {
        this.#tryAgainLater(error);
      }
    }
  }

  async #answerOverdue(): Promise<void> {
    const { store, expire, now } = this.#parts;
    for (;;) {
      const overdue = await store.select('approvals', {
        where: { status: 'waiting', expiresAt: { lte: now() } },
        orderBy: [['expiresAt', 'asc']],
        limit: AT_ONCE,
      });
      for (const { id } of overdue) {
        if (this.#isClosed) return;
        await expire(id).catch(unlessAnswered);
      }
      if (overdue.length < AT_ONCE) return;
    }
  }

  async #setTimer(): Promise<void> {
    const { store, now } = this.#parts;
    const [next] = await store.select('approvals', {
      where: { status: 'waiting' },
      orderBy: [['expiresAt', 'asc']],
      limit: 1,
    });
    if (next) this.#lookIn(next.expiresAt - now());
  }

  #tryAgainLater(error: unknown): void {
    if (this.#isClosed) return;
    const why = errorText(error);
    if (this.#failures === 0) this.#parts.warn(`Approvals whose time is over could not be answered yet: ${why}`);
    const { firstPauseMs = FIRST_PAUSE_MS } = this.#parts;
    this.#lookIn(Math.min(firstPauseMs * 2 ** this.#failures++, LONGEST_PAUSE_MS));
  }

  #lookIn(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.look(), Math.min(Math.max(ms, 1), LONGEST_TIMER_MS));
    this.#timer.unref();
  }
}

/** A person answered first, or the session is gone. */
function unlessAnswered(error: unknown): void {
  if (!(error instanceof ApprovalAnsweredError || error instanceof UnknownApprovalError)) throw error;
}
