// The agent, session and time for which a prompt is composed. The clock and the time zone are part of the value, so
// composing twice for the same situation gives the same bytes.

import type { ChannelContext, TimeContext } from '../protocol/bootstrap-event.ts';
import { isHeartbeatSessionKey } from '../protocol/session-key.ts';
import type { SessionType, Trigger } from '../protocol/session-type.ts';

export interface Situation {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionType: SessionType;
  /** What started the run. A heartbeat is scheduled, but it reads every file. */
  readonly trigger?: Trigger | undefined;
  readonly channel?: ChannelContext | undefined;
  readonly at: Date;
  readonly timezone: string;
}

export function isHeartbeat({ trigger, sessionKey }: Pick<Situation, 'trigger' | 'sessionKey'>): boolean {
  return trigger === 'heartbeat' || isHeartbeatSessionKey(sessionKey);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A process that asks for more zones uses invented spellings, so no more are remembered. */
const MAX_ZONES = 64;

/** One formatter per zone: building one costs more than composing a prompt. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The last answer of each zone, because computing the local time costs more than the rest of a handler call. */
const lastTimes = new Map<string, { minute: number; time: TimeContext }>();

export function timeContextOf(at: Date, timezone: string): TimeContext {
  const minute = Math.floor(at.getTime() / 60_000);
  const last = lastTimes.get(timezone);
  if (last?.minute === minute) return { ...last.time };
  const parts = formatterFor(timezone).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const dayOfWeek = WEEKDAYS.indexOf(part('weekday'));
  const time = { hour: Number(part('hour')) % 24, dayOfWeek, isWeekend: dayOfWeek === 0 || dayOfWeek === 6, timezone };
  if (lastTimes.size >= MAX_ZONES) lastTimes.clear();
  lastTimes.set(timezone, { minute, time });
  return { ...time };
}

function formatterFor(timezone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timezone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      weekday: 'short',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    if (formatters.size >= MAX_ZONES) formatters.clear();
    formatters.set(timezone, formatter);
  }
  return formatter;
}

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
  const today = localFields(now, timezone);
  const [year, month, day] = match[1]
    ? [Number(match[1]), Number(match[2]), Number(match[3])]
    : [today.year, today.month, today.day];
  const [hour, minute, second] = [Number(match[4] ?? 0), Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  // Without this check, the thirty-first of April would silently be the first of May.
  if (new Date(wanted).getUTCDate() !== day) return undefined;
  // The zone's offset depends on the result, so the first guess is corrected once.
  const guess = wanted - offsetAt(new Date(wanted), timezone);
  return new Date(wanted - offsetAt(new Date(guess), timezone));
}

function offsetAt(at: Date, timezone: string): number {
  const { year, month, day, hour, minute, second } = localFields(at, timezone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at.getTime() / 1000) * 1000;
}

interface LocalFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function localFields(at: Date, timezone: string): LocalFields {
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const fields = Object.fromEntries(formatter.formatToParts(at).map((part) => [part.type, Number(part.value)]));
  return fields as unknown as LocalFields;
}
