// Whether the limits on spending have room for one call, and the writes that take it. It is pure. The most that a call may use is
// decided elsewhere.

import { costAtMost } from '../../models/cost-of.ts';
import type { ModelPrices } from '../../protocol/model-prices.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { BILLIONTHS, billionthsAbove } from '../../protocol/money.ts';
import type { SpendSettings } from '../../protocol/spend-limit.ts';
import type { Ceiling, Write } from '../../store/store.ts';
import type { ReservationRow } from '../../store/tables.ts';
import { SpendLimitError, UnknownPriceError } from '../errors.ts';
import { refusalFacts } from './describe-spending.ts';
import type { SpendCounter } from './spend-counters.ts';

/** What a call may use at most. */
export interface CallSize {
  readonly tokens: number;
  /** It is counted in billionths, and undefined when the price is not known. */
  readonly money: number | undefined;
}

export function callSizeOf(
  { input, output }: { readonly input: number; readonly output: number },
  prices: ModelPrices | undefined,
): CallSize {
  const most = costAtMost({ input, output }, prices);
  return { tokens: Math.ceil(input + output), money: most === undefined ? undefined : billionthsAbove(most) };
}

export function hasRoom(
  { limit, row }: SpendCounter,
  { tokens, money }: CallSize,
  own: ReservationRow | undefined,
): boolean {
  const before = ownIn(own, row);
  if (limit.tokens !== undefined && row.tokens + row.reservedTokens - before.tokens + tokens > limit.tokens)
    return false;
  if (limit.money === undefined || money === 0) return true;
  if (money === undefined) return limit.unknownPrice === 'allow';
  return row.money + row.reservedMoney - before.money + money <= limit.money * BILLIONTHS;
}

/** What the run itself has reserved in a counter for the call that this one takes the place of. */
function ownIn(
  own: ReservationRow | undefined,
  row: SpendCounter['row'],
): { readonly money: number; readonly tokens: number } {
  const isIn = own?.counters.some(
    ({ subject, per, period }) => subject === row.subject && per === row.per && period === row.period,
  );
  return own && isIn ? own : { money: 0, tokens: 0 };
}

export function reservationOf(
  runId: string,
  at: number,
  { provider, model }: ModelRef,
  { tokens, money }: CallSize,
  counters: readonly SpendCounter[],
): ReservationRow {
  const keys = counters.map(({ row: { subject, per, period } }) => ({ subject, per, period }));
  return { runId, at, provider, model, money: money ?? 0, tokens, isUnpriced: money === undefined, counters: keys };
}

/** What was reserved before is given back first: a recovered call takes the place of the one that was cut. */
export function writesOf(
  counters: readonly SpendCounter[],
  { tokens, money }: CallSize,
  reservation: ReservationRow,
  own: ReservationRow | undefined,
): readonly Write[] {
  return [
    ...(own ? releaseOf(own) : []),
    ...counters.flatMap(({ limit, row, isStored }): readonly Write[] => {
      const { subject, per, period } = row;
      const ceilings: Ceiling<'spending'>[] = [];
      if (limit.tokens !== undefined) ceilings.push({ of: ['tokens', 'reservedTokens'], most: limit.tokens });
      if (limit.money !== undefined && money)
        ceilings.push({ of: ['money', 'reservedMoney'], most: Math.floor(limit.money * BILLIONTHS) });
      return [
        ...(isStored ? [] : [{ insert: 'spending', row, onConflict: 'ignore' } as const]),
        {
          add: 'spending',
          where: { subject, per, period },
          by: { reservedMoney: reservation.money, reservedTokens: tokens },
          ceilings,
          expect: 1,
        },
      ];
    }),
    { insert: 'reservations', row: reservation },
  ];
}

function releaseOf({ runId, money, tokens, counters }: ReservationRow): readonly Write[] {
  return [
    { remove: 'reservations', where: { runId }, expect: 1 },
    ...counters.map(
      (counter): Write => ({
        add: 'spending',
        where: { ...counter },
        by: { reservedMoney: 0 - money, reservedTokens: 0 - tokens },
      }),
    ),
  ];
}

export function refusalOf(
  counter: SpendCounter,
  { tokens, money }: CallSize,
  own: ReservationRow | undefined,
  { timezone }: SpendSettings,
  model: ModelRef,
): SpendLimitError | UnknownPriceError {
  const { limit, row } = counter;
  const before = ownIn(own, row);
  const isOfTokens =
    limit.tokens !== undefined && row.tokens + row.reservedTokens - before.tokens + tokens > limit.tokens;
  if (!isOfTokens && money === undefined)
    return new UnknownPriceError({ model: nameOf(model), setting: limit.setting });
  return new SpendLimitError(
    refusalFacts(counter, {
      unit: isOfTokens ? 'tokens' : 'money',
      reserved: isOfTokens ? row.reservedTokens - before.tokens : row.reservedMoney - before.money,
      needed: isOfTokens ? tokens : (money ?? 0),
      timezone,
    }),
  );
}

export function nameOf({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}
