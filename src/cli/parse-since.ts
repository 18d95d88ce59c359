// `--since` and `--until`: a moment of the past as people name it. Without a zone, it is meant in the zone that is handed
// in, as every written time is.

import { BadFlagError } from '../gateway/errors.ts';
import { parseDuration } from '../protocol/duration.ts';
import { lastDailyBoundary } from '../protocol/last-daily-boundary.ts';
import { parseLocalTime } from '../protocol/parse-local-time.ts';

/** The line of the help. */
export const SINCE_TEXT = '"today", "24h", "7d", a date such as 2026-05-01, or a time such as 2026-05-01T08:00';

export function parseSince(text: string, now: number, timezone: string, flag = '--since'): number {
  const word = text.trim().toLowerCase();
  if (word === 'today') return lastDailyBoundary(now, 0, timezone);
  const span = parseDuration(word);
  if (span !== undefined) return Math.max(0, now - span);
  const moment = parseLocalTime(word, new Date(now), timezone);
  if (moment) return Math.max(0, moment.getTime());
  throw new BadFlagError({ flag, value: text, expected: SINCE_TEXT });
}
