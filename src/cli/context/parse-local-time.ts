// A time as a person writes it on the command line, in the zone of the agent.

import { localFieldsOf, zoneOffsetOf } from '../../protocol/local-time.ts';

/**
 * Reads `23:30`, `2026-05-01` or `2026-05-01T08:00` in the given zone, or a full ISO time. Returns undefined for any
 * other text.
 */
export function parseLocalTime(text: string, now: Date, timezone: string): Date | undefined {
  const written = text.trim();
  const match = /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:(?:^|[T ])(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(written);
  if (!match || written === '') {
    const time = new Date(written);
    return /^\d{4}-\d{2}-\d{2}T/.test(written) && !Number.isNaN(time.getTime()) ? time : undefined;
  }
  const today = localFieldsOf(now, timezone);
  const [year, month, day] = match[1]
    ? [Number(match[1]), Number(match[2]), Number(match[3])]
    : [today.year, today.month, today.day];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  // Without this check, the thirty-first of April would silently be the first of May.
  if (new Date(wanted).getUTCDate() !== day) return undefined;
  // The zone's offset depends on the result, so the first guess is corrected once.
  const guess = wanted - zoneOffsetOf(wanted, timezone);
  return new Date(wanted - zoneOffsetOf(guess, timezone));
}
