// Reads a moment as people write it: `2026-05-06T09:00`, with or without a zone behind it, or `in 20m`.

import { parseDuration } from '../protocol/duration.ts';

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** A time without a zone is read on the clock of `tz`. Returns undefined for text that is not a time. */
export async function parseTime(text: string, now: number, tz: string): Promise<number | undefined> {
  const trimmed = text.trim();
  const span = parseDuration(trimmed.replace(/^in\s+/i, ''));
  if (span !== undefined) return now + span;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone] = ISO_TIME.exec(trimmed) ?? [];
  if (year === undefined) return undefined;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // A `Date` would accept the thirtieth of February as a day in March, so this is refused here.
  const asUtc = new Date(`${local}Z`);
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString().slice(0, 19) !== local) return undefined;
  if (zone === undefined) return localTime(local, tz);
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const time = Date.parse(`${local}${offset}`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * When the clock skips the time, the result is later by the length of the jump. When the clock shows it twice, the
 * first time counts.
 */
async function localTime(local: string, tz: string): Promise<number | undefined> {
  const { Cron } = await import('croner');
  return new Cron(local, { timezone: tz, paused: true }).nextRun(new Date(0))?.getTime();
}
