// A time as a person writes it, on the command line or in a schedule. There is one rule for all of them: what names no
// zone is meant in the zone that is handed in, which is the operator's unless a flag says another.

import { localFieldsOf, zoneOffsetOf } from './local-time.ts';

const DAY_MS = 86_400_000;
const TIME =
  /^(?:(\d{4})-(\d{2})-(\d{2}))?(?:(?:^|[T ])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:\s?(Z|[+-]\d{2}:?\d{2}))?$/i;

/**
 * Reads `23:30`, `2026-05-01`, `2026-05-01T08:00`, each in the given zone, or a time with its own zone:
 * `2026-05-01T08:00Z`, `2026-05-01T08:00+02:00`. Returns undefined for any other text. A time that the clock skips is
 * later by the length of the jump; of one that it shows twice, the first is meant.
 */
export function parseLocalTime(text: string, now: Date, timezone: string): Date | undefined {
  const written = text.trim();
  const match = written === '' ? null : TIME.exec(written);
  if (!match) return undefined;
  const zone = match[8];
  // A zone belongs to a date with a time.
  if (zone !== undefined && (match[1] === undefined || match[4] === undefined)) return undefined;
  const today = localFieldsOf(now, timezone);
  const [year, month, day] = match[1]
    ? [Number(match[1]), Number(match[2]), Number(match[3])]
    : [today.year, today.month, today.day];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second, ms);
  // Without this check, the thirty-first of April would silently be the first of May.
  if (new Date(wanted).getUTCDate() !== day) return undefined;
  if (zone !== undefined) {
    const offset = offsetOf(zone);
    return offset === undefined ? undefined : new Date(wanted - offset);
  }
  // Around a change of the clock there are two offsets. Where both fit, the earlier time is taken; where none does, the
  // clock skips the time, and the offset before the jump leads behind it.
  const [before, after] = [zoneOffsetOf(wanted - DAY_MS, timezone), zoneOffsetOf(wanted + DAY_MS, timezone)];
  const fits = [wanted - before, wanted - after].filter((time) => time + zoneOffsetOf(time, timezone) === wanted);
  return new Date(fits.length === 0 ? wanted - before : Math.min(...fits));
}

function offsetOf(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
