// A point in time as people write it on a command line: "today", so long ago, or the beginning of a day.

import { BadFlagError } from '../gateway/errors.ts';
import { lastDailyBoundary } from '../protocol/last-daily-boundary.ts';

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS };

export function parseSince(text: string, now: number, timezone: string): number {
  const word = text.trim().toLowerCase();
  if (word === 'today') return lastDailyBoundary(now, 0, timezone);
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(word) ?? [];
  if (count !== undefined) return Math.max(0, now - Number(count) * (UNITS[unit] ?? 0));
  const noon = /^\d{4}-\d\d-\d\d$/.test(word) ? Date.parse(`${word}T12:00:00Z`) : Number.NaN;
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  // Noon of a zone far from Greenwich is another day there.
  const inside = [noon, noon - 12 * HOUR_MS, noon + 12 * HOUR_MS].find(
    (moment) => !Number.isNaN(moment) && day.format(moment) === word,
  );
  if (inside === undefined)
    throw new BadFlagError({
      flag: '--since',
      value: text,
      expected: '"today", "24h", "7d" or a date such as 2026-05-01',
    });
  return Math.max(0, lastDailyBoundary(inside, 0, timezone));
}
