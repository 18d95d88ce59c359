// A schedule in words, and as a person would write it again.

import type { JsonObject } from '../../src/protocol/json.ts';
import type { JobSchedule } from '../../src/schedule/job-schedule.ts';
import { formatClock } from '../view/format.ts';

/** A schedule that is written down came through the gateway's own parser. */
function scheduleOf(schedule: JsonObject): JobSchedule {
  return schedule as unknown as JobSchedule;
}

export function describeSchedule(given: JsonObject): string {
  const schedule = scheduleOf(given);
  if (schedule.kind === 'at') return `once, ${formatClock(schedule.at)}`;
  if (schedule.kind === 'every') return `every ${formatPace(schedule.everyMs)}`;
  return `${schedule.expr} (${schedule.tz})`;
}

export interface WrittenSchedule {
  readonly kind: 'at' | 'every' | 'cron';
  readonly text: string;
  readonly tz?: string | undefined;
}

export function writeSchedule(given: JsonObject): WrittenSchedule {
  const schedule = scheduleOf(given);
  if (schedule.kind === 'at') return { kind: 'at', text: new Date(schedule.at).toISOString() };
  if (schedule.kind === 'every') return { kind: 'every', text: formatPace(schedule.everyMs) };
  return { kind: 'cron', text: schedule.expr, tz: schedule.tz };
}

/** For example `1h30m`, which the gateway reads too. */
export function formatPace(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ];
  let left = ms;
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
