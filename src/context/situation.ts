// The agent, session and time for which a prompt is composed. The clock and the time zone are part of the value, so
// composing twice for the same situation gives the same bytes.

import type { ChannelContext, TimeContext } from '../protocol/bootstrap-event.ts';
import { zonedFormatter } from '../protocol/local-time.ts';
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
  /** Several people read what comes of the session, although its key does not say so: it works for one in a group. */
  readonly isForSeveralPeople?: boolean | undefined;
  readonly at: Date;
  readonly timezone: string;
}

export function isHeartbeat({ trigger, sessionKey }: Pick<Situation, 'trigger' | 'sessionKey'>): boolean {
  return trigger === 'heartbeat' || isHeartbeatSessionKey(sessionKey);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A process that asks for more zones uses invented spellings, so no more are remembered. */
const MAX_ZONES = 64;

const formatterOf = zonedFormatter({ weekday: 'short', hour: '2-digit', hourCycle: 'h23' });

/** The last answer of each zone, because computing the local time costs more than the rest of a handler call. */
const lastTimes = new Map<string, { minute: number; time: TimeContext }>();

export function timeContextOf(at: Date, timezone: string): TimeContext {
  const minute = Math.floor(at.getTime() / 60_000);
  const last = lastTimes.get(timezone);
  if (last?.minute === minute) return { ...last.time };
  const parts = formatterOf(timezone).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const dayOfWeek = WEEKDAYS.indexOf(part('weekday'));
  const time = { hour: Number(part('hour')) % 24, dayOfWeek, isWeekend: dayOfWeek === 0 || dayOfWeek === 6, timezone };
  if (lastTimes.size >= MAX_ZONES) lastTimes.clear();
  lastTimes.set(timezone, { minute, time });
  return { ...time };
}
