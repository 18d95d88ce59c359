// The day, the month or the session for which a limit counts. Days begin at midnight of the operator's clocks, also
// where the clocks are changed then: a day may have 23 or 25 hours, and every moment belongs to one day and one month.

import { lastDailyBoundary } from './last-daily-boundary.ts';
import { localFieldsOf, zoneOffsetOf } from './local-time.ts';
import type { SpendPeriodKind } from './spend-limit.ts';

export interface SpendPeriod {
  readonly per: SpendPeriodKind;
  /** `2026-05-01`, `2026-05` or the id of the session. */
  readonly period: string;
  readonly since: number;
  /** When it begins anew; undefined for a session, which ends when a person or its lifetime says so. */
  readonly until?: number | undefined;
}

export function spendPeriodOf(
  per: SpendPeriodKind,
  at: number,
  timezone: string,
  session: { readonly sessionId: string; readonly startedAt: number },
): SpendPeriod {
  if (per === 'session') return { per, period: session.sessionId, since: session.startedAt };
  return calendarPeriodOf(per, at, timezone);
}

export function calendarPeriodOf(per: 'day' | 'month', at: number, timezone: string): SpendPeriod {
  const since = lastDailyBoundary(at, 0, timezone);
  // Twelve hours after its beginning, the clocks show the date of this day, however they were changed at midnight.
  const { year, month, day } = localFieldsOf(since + 12 * HOUR_MS, timezone);
  if (per === 'day') {
    // The longest day has 25 hours, so one more begins within 26 hours, and only one.
    return {
      per,
      period: `${nameOfMonth(year, month)}-${two(day)}`,
      since,
      until: lastDailyBoundary(since + 26 * HOUR_MS, 0, timezone),
    };
  }
  return {
    per,
    period: nameOfMonth(year, month),
    since: firstMomentOf(year, month, timezone),
    until: firstMomentOf(month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, timezone),
  };
}

const HOUR_MS = 3_600_000;

function firstMomentOf(year: number, month: number, timezone: string): number {
  const noon = Date.UTC(year, month - 1, 1, 12);
  return lastDailyBoundary(noon - zoneOffsetOf(noon, timezone), 0, timezone);
}

function nameOfMonth(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${two(month)}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
