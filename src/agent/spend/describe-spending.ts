// Limits on spending in words for people: what a limit is, what was spent of it, and when it begins anew. It is pure.

import { localFieldsOf } from '../../protocol/local-time.ts';
import { BILLIONTHS, formatMoney } from '../../protocol/money.ts';
import { describeScope, parseSubject, type SpendLimit } from '../../protocol/spend-limit.ts';
import type { SpendPeriod } from '../../protocol/spend-period.ts';
import type { SpendingRow } from '../../store/tables.ts';
import type { SpendCounter } from './spend-counters.ts';

export type SpendUnit = 'money' | 'tokens';

/** `the limit of 5.00 a day for the agent "main" (limits.spend[0])`. */
export function describeLimit(limit: SpendLimit, subject?: string): string {
  const amounts = [
    ...(limit.money === undefined ? [] : [formatMoney(limit.money * BILLIONTHS)]),
    ...(limit.tokens === undefined ? [] : [formatAmount('tokens', limit.tokens)]),
  ];
  const scope = subject === undefined ? limit : parseSubject(subject);
  return `the limit of ${amounts.join(' and ')} ${PERIODS[limit.per]} for ${describeScope(scope)} (${limit.setting})`;
}

const PERIODS = { day: 'a day', month: 'a month', session: 'a session' } as const;

export function formatAmount(unit: SpendUnit, amount: number): string {
  return unit === 'money' ? formatMoney(amount) : `${amount.toLocaleString('en-US')} tokens`;
}

/** The share of its limit that a counter has come to without what is reserved; of two amounts the larger share. */
export function shareOf({ money, tokens }: SpendLimit, row: Pick<SpendingRow, 'money' | 'tokens'>): number {
  return Math.max(
    money === undefined ? 0 : row.money / (money * BILLIONTHS),
    tokens === undefined ? 0 : row.tokens / tokens,
  );
}

/** `4.10 of 5.00`, for each amount that is limited. */
export function describeSpent({ money, tokens }: SpendLimit, row: Pick<SpendingRow, 'money' | 'tokens'>): string {
  return [
    ...(money === undefined ? [] : [`${formatMoney(row.money)} of ${formatMoney(money * BILLIONTHS)}`]),
    ...(tokens === undefined ? [] : [`${row.tokens.toLocaleString('en-US')} of ${formatAmount('tokens', tokens)}`]),
  ].join(' and ');
}

/** When it begins anew, in the operator's time: `on 2026-05-02 at 00:00 (Europe/Berlin)`. */
export function describeAnew({ until }: SpendPeriod, timezone: string): string {
  if (until === undefined) return 'with a new session (/new)';
  const { year, month, day, hour, minute } = localFieldsOf(until, timezone);
  const two = (number: number) => String(number).padStart(2, '0');
  return `on ${year}-${two(month)}-${two(day)} at ${two(hour)}:${two(minute)} (${timezone})`;
}

/** A type, and no interface, because errors take any record as their facts. */
export type RefusalFacts = {
  readonly limit: string;
  readonly spent: string;
  readonly reserved: string | undefined;
  readonly needed: string;
  /** A full sentence: when there will be room, or what has to be changed for it. */
  readonly next: string;
  readonly setting: string;
};

export function refusalFacts(
  { limit, row, period }: SpendCounter,
  about: {
    readonly unit: SpendUnit;
    readonly reserved: number;
    readonly needed: number;
    readonly timezone: string;
  },
): RefusalFacts {
  const { unit, reserved, needed, timezone } = about;
  const most = mostOf(limit, unit);
  const anew = `The limit begins anew ${describeAnew(period, timezone)}; the operator can raise it.`;
  return {
    limit: describeLimit(limit, row.subject),
    spent: formatAmount(unit, row[unit]),
    reserved: reserved > 0 ? formatAmount(unit, reserved) : undefined,
    needed: formatAmount(unit, needed),
    next: needed > most ? TOO_SMALL : row[unit] + needed <= most ? LATER : anew,
    setting: limit.setting,
  };
}

/** No wait would help. */
const TOO_SMALL =
  'The whole limit is smaller than what this one call may take, so that it would be refused at any time: the operator can raise the limit, or set "maxTokens" of the model lower.';
const LATER = 'There is room again when some of those calls have ended: try again in a moment.';

/** In the unit in which counters count. */
function mostOf({ money, tokens }: SpendLimit, unit: SpendUnit): number {
  if (unit === 'tokens') return tokens ?? Number.POSITIVE_INFINITY;
  return money === undefined ? Number.POSITIVE_INFINITY : Math.floor(money * BILLIONTHS);
}
