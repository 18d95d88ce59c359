// When a job is due: once at a time, at a steady pace, or by cron fields in a time zone. A schedule is parsed from what
// people write, stored as plain data, and can compute the next slot. It has no clock: the time is passed in.
//
// Errors: `parseSchedule` rejects with InvalidScheduleError, which says what is accepted.
// Rules: a slot is later than the time that was passed in. A time of day that the clock skips is due when the clock
// jumps; one that it shows twice is due the first time. A pace of a few minutes stays steady across both.

import { formatDuration, parseDuration } from '../protocol/duration.ts';
import type { JsonObject } from '../protocol/json.ts';
import { errorText } from '../protocol/one-line.ts';
import { parseLocalTime } from '../protocol/parse-local-time.ts';
import { isTimezone } from '../protocol/timezone.ts';
import { InvalidScheduleError } from './errors.ts';

export type JobSchedule =
  | { readonly kind: 'at'; readonly at: number }
  /** Due at the anchor and at every multiple of the pace after it. */
  | { readonly kind: 'every'; readonly everyMs: number; readonly anchorMs: number }
  | { readonly kind: 'cron'; readonly expr: string; readonly tz: string };

/** A schedule as people write it: exactly one of the first three fields, and the zone of the clock that they mean. */
export interface WrittenSchedule {
  readonly at?: string | undefined;
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly tz?: string | undefined;
}

/** Each slot calls a model, so a faster pace is a mistake. */
export const SHORTEST_PACE_MS = 10_000;
const LONGEST_PACE_MS = 366 * 86_400_000;
/** The last time with a year of four digits; a little later no clock can show it. */
const LATEST_AT = Date.UTC(9999, 11, 31);
const LONGEST_WRITTEN = 200;
/** Seconds repeat every minute, so slots that are too close are found within a few slots. */
const SLOTS_LOOKED_AT = 8;

export async function parseSchedule(
  written: WrittenSchedule,
  { now, timezone }: { readonly now: number; readonly timezone: string },
): Promise<JobSchedule> {
  const given = [written.at, written.every, written.cron].filter((each) => each !== undefined);
  const [text] = given;
  if (text === undefined || given.length > 1) {
    throw new InvalidScheduleError({
      written: given.join(' '),
      problem: 'exactly one of at, every and cron is needed',
    });
  }
  if (text.length > LONGEST_WRITTEN) throw new InvalidScheduleError({ written: text, problem: 'it is too long' });
  const tz = written.tz?.trim() || timezone;
  if (!isTimezone(tz))
    throw new InvalidScheduleError({ written: tz, problem: 'it names no time zone such as "Europe/Lisbon"' });
  if (written.at !== undefined) return parseAt(written.at, now, tz);
  if (written.every !== undefined) return parseEvery(written.every, now);
  return parseCron(text, now, tz);
}

/** Returns the first slot after this time, or null when there is none. */
export async function nextSlot(schedule: JobSchedule, after: number): Promise<number | null> {
  switch (schedule.kind) {
    case 'at':
      return schedule.at > after ? schedule.at : null;
    case 'every': {
      const { everyMs, anchorMs } = schedule;
      if (after < anchorMs) return anchorMs;
      return anchorMs + (Math.floor((after - anchorMs) / everyMs) + 1) * everyMs;
    }
    case 'cron':
      return nextCronSlot(schedule.expr, schedule.tz, after);
  }
}

/** Returns the last slot up to this time. `known` is a slot that is not later. */
export async function lastSlot(schedule: JobSchedule, known: number, upTo: number): Promise<number> {
  if (schedule.kind === 'at') return known;
  if (schedule.kind === 'every') return known + Math.floor((upTo - known) / schedule.everyMs) * schedule.everyMs;
  let [last, tooLate] = [known, upTo + 1];
  // A binary search between a slot and a time without a slot after it.
  while (tooLate - last > 1) {
    const middle = Math.floor((last + tooLate) / 2);
    const slot = await nextSlot(schedule, middle - 1);
    if (slot !== null && slot <= upTo) last = slot;
    else tooLate = middle;
  }
  return last;
}

/** The command line, the tool and the page use the same words. */
export function formatSchedule(schedule: JobSchedule): string {
  switch (schedule.kind) {
    case 'at':
      return `at ${new Date(schedule.at).toISOString()}`;
    case 'every':
      return `every ${formatDuration(schedule.everyMs)}`;
    case 'cron':
      return `cron ${schedule.expr} (${schedule.tz})`;
  }
}

/** Reads a stored schedule. It was checked when it was stored; a value that is no longer valid is refused. */
export function readSchedule(kept: JsonObject): JobSchedule {
  const { kind, at, everyMs, anchorMs, expr, tz } = kept;
  if (kind === 'at' && typeof at === 'number') return { kind, at };
  if (kind === 'every' && typeof everyMs === 'number' && everyMs >= 1 && typeof anchorMs === 'number') {
    return { kind, everyMs, anchorMs };
  }
  if (kind === 'cron' && typeof expr === 'string' && typeof tz === 'string') return { kind, expr, tz };
  throw new InvalidScheduleError({
    written: JSON.stringify(kept),
    problem: 'the store holds something else than a schedule',
  });
}

async function parseAt(text: string, now: number, tz: string): Promise<JobSchedule> {
  const at = parseTime(text, now, tz);
  if (at === undefined)
    throw new InvalidScheduleError({ written: text, problem: 'it is no time such as "2026-05-06T09:00" or "in 20m"' });
  if (at <= now) throw new InvalidScheduleError({ written: text, problem: 'it is over already' });
  if (at > LATEST_AT) throw new InvalidScheduleError({ written: text, problem: 'it is too far away' });
  return { kind: 'at', at };
}

function parseEvery(text: string, now: number): JobSchedule {
  const everyMs = parseDuration(text);
  if (everyMs === undefined)
    throw new InvalidScheduleError({ written: text, problem: 'it is no span such as "30m" or "1h30m"' });
  if (everyMs < SHORTEST_PACE_MS)
    throw new InvalidScheduleError({ written: text, problem: 'the shortest pace is 10s' });
  if (everyMs > LONGEST_PACE_MS) throw new InvalidScheduleError({ written: text, problem: 'the longest pace is 366d' });
  return { kind: 'every', everyMs, anchorMs: now + everyMs };
}

async function parseCron(text: string, now: number, tz: string): Promise<JobSchedule> {
  const expr = text.trim().replace(/\s+/g, ' ');
  const fields = expr.split(' ').length;
  if (fields !== 5 && fields !== 6) {
    throw new InvalidScheduleError({
      written: text,
      problem: 'cron fields are minute, hour, day, month and weekday, with seconds first if any',
    });
  }
  let first: number | null;
  try {
    first = await nextCronSlot(expr, tz, now);
  } catch (error) {
    throw new InvalidScheduleError({ written: text, problem: problemOf(error) });
  }
  if (first === null) throw new InvalidScheduleError({ written: text, problem: 'no day fits it' });
  for (let slot: number | null = first, looked = 1; slot !== null && looked < SLOTS_LOOKED_AT; looked++) {
    const next: number | null = await nextCronSlot(expr, tz, slot);
    if (next !== null && next - slot < SHORTEST_PACE_MS) {
      throw new InvalidScheduleError({ written: text, problem: 'it is due more often than every 10 seconds' });
    }
    slot = next;
  }
  return { kind: 'cron', expr, tz };
}

async function nextCronSlot(expr: string, tz: string, after: number): Promise<number | null> {
  const { Cron } = await import('croner');
  const slot = new Cron(expr, { timezone: tz, paused: true, mode: '5-or-6-parts' }).nextRun(new Date(after));
  const time = slot?.getTime();
  return time === undefined || time <= after ? null : time;
}

/** Returns the library's message without its name in front, as the end of our sentence. */
function problemOf(error: unknown): string {
  const text = errorText(error);
  return text
    .replace(/^\w+: /, '')
    .replace(/\.\s*$/, '')
    .slice(0, 150);
}

/** A time without a zone is read on the clock of `tz`. Returns undefined for text that is not a time. */
function parseTime(text: string, now: number, tz: string): number | undefined {
  const span = parseDuration(text.trim().replace(/^in\s+/i, ''));
  return span === undefined ? parseLocalTime(text, new Date(now), tz)?.getTime() : now + span;
}
