// For whom and when a prompt is composed. The clock and the time zone are part of the value: composing twice for the
// same situation gives the same bytes.

import type { ChannelContext, TimeContext } from '../protocol/bootstrap-event.ts';
import { isHeartbeatSessionKey } from '../protocol/session-key.ts';
import type { SessionType, Trigger } from '../protocol/session-type.ts';

export interface Situation {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly sessionType: SessionType;
  /** What started the run; a heartbeat is scheduled, yet reads every file. */
  readonly trigger?: Trigger | undefined;
  readonly channel?: ChannelContext | undefined;
  readonly at: Date;
  readonly timezone: string;
}

export function isHeartbeat({ trigger, sessionKey }: Pick<Situation, 'trigger' | 'sessionKey'>): boolean {
  return trigger === 'heartbeat' || isHeartbeatSessionKey(sessionKey);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** One formatter per zone: building one costs more than composing a prompt. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function timeContextOf(at: Date, timezone: string): TimeContext {
  const parts = formatterFor(timezone).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const dayOfWeek = WEEKDAYS.indexOf(part('weekday'));
  return { hour: Number(part('hour')) % 24, dayOfWeek, isWeekend: dayOfWeek === 0 || dayOfWeek === 6, timezone };
}

export function isTimezone(timezone: string): boolean {
  try {
    formatterFor(timezone);
    return true;
  } catch {
    return false;
  }
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
    formatters.set(timezone, formatter);
  }
  return formatter;
}
