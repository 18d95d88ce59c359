// What a run holds of the limits on spending: the reservation of the call that it is making. A run makes one call at a
// time, so it holds one reservation at most, in memory as in the store.

import type { Store, Write } from '../../store/store.ts';
import type { ReservationRow } from '../../store/tables.ts';
import { type RunSpender, readSpender, type SpendingRun } from './read-spender.ts';

export class RunSpending {
  readonly #store: Store;
  readonly #run: SpendingRun;
  #held: ReservationRow | undefined;
  /** True while what is held was reserved for a call that a crash has cut. */
  #isCut: boolean;
  #spender: Promise<RunSpender> | undefined;

  /** `cut` is what an earlier attempt of the run has left in the store. */
  constructor(store: Store, run: SpendingRun, cut?: ReservationRow) {
    this.#store = store;
    this.#run = run;
    this.#held = cut;
    this.#isCut = cut !== undefined;
  }

  /** The reservation that waits for a call or for its result. */
  get held(): ReservationRow | undefined {
    return this.#held;
  }

  /** Looked up once, and only where there are limits. */
  spender(): Promise<RunSpender> {
    this.#spender ??= readSpender(this.#store, this.#run);
    return this.#spender;
  }

  /** Called after the commit that stores the reservation. */
  hold(reservation: ReservationRow): void {
    this.#held = reservation;
    this.#isCut = false;
  }

  /** The writes that count what a call has really used in place of what was reserved; none when nothing is held. */
  settle(used: SettledCall): readonly Write[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? settlementOf(held, used) : [];
  }

  /**
   * The writes for a run that is over while it holds a reservation. A call that was cut may have been charged, so all of
   * it counts; a call that was never made costs nothing.
   */
  close(): readonly Write[] {
    return this.settle(this.#isCut && this.#held ? wholeOf(this.#held) : NOTHING_USED);
  }
}

/** What a call has used. The cost is in billionths. */
export interface SettledCall {
  readonly money: number;
  readonly tokens: number;
  /** 1 when the call has used something whose price is not known. */
  readonly unpriced: number;
}

export const NOTHING_USED: SettledCall = { money: 0, tokens: 0, unpriced: 0 };

/** The call of a run that is given up after crashes counts with everything that was reserved for it. */
export async function planCutCall(store: Store, runId: string): Promise<readonly Write[]> {
  const [cut] = await store.select('reservations', { where: { runId }, limit: 1 });
  return cut ? settlementOf(cut, wholeOf(cut)) : [];
}

function wholeOf({ money, tokens, isUnpriced }: ReservationRow): SettledCall {
  return { money, tokens, unpriced: isUnpriced ? 1 : 0 };
}

/** The removal is expected to find the row, so that nothing can be settled twice. */
export function settlementOf({ runId, money, tokens, counters }: ReservationRow, used: SettledCall): readonly Write[] {
  return [
    { remove: 'reservations', where: { runId }, expect: 1 },
    ...counters.map(
      (counter): Write => ({
        add: 'spending',
        where: { ...counter },
        by: { ...used, reservedMoney: 0 - money, reservedTokens: 0 - tokens },
      }),
    ),
  ];
}
