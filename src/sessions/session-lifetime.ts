// Decides when a session ends by itself: never, unless the operator has configured it. The functions are pure; the
// clock and the time zone are handed in.

import { isJsonObject } from '../protocol/json.ts';
import { lastDailyBoundary } from '../protocol/last-daily-boundary.ts';
import { parseSessionKey } from '../protocol/session-key.ts';
import type { SessionRow } from '../store/tables.ts';

export interface LifetimeSettings {
  /** The time zone in which `atHour` is read. */
  readonly timezone: string;
  readonly reset?: ResetRule | undefined;
  /** `dm` is the older name of `direct`. */
  readonly resetByType?: Readonly<Partial<Record<'direct' | 'dm' | 'group' | 'thread', ResetRule>>> | undefined;
  readonly resetByChannel?: Readonly<Record<string, ResetRule>> | undefined;
  /** The setting from before there were rules: a session that is silent for longer ends. */
  readonly idleMinutes?: number | undefined;
}

export interface ResetRule {
  /** Without a mode, the other fields of the rule decide. */
  readonly mode?: 'daily' | 'idle' | 'never' | undefined;
  readonly atHour?: number | undefined;
  /** It counts beside `daily` as well: the session ends at the earlier of the two times. */
  readonly idleMinutes?: number | undefined;
}

const DEFAULT_HOUR = 4;
const DEFAULT_IDLE_MINUTES = 60;

/**
 * Why the session is over at `now`; undefined while it is not. This is checked when a message arrives, never by a
 * timer. A conversation that was brought from elsewhere goes on with its first message here, however old it is.
 */
export function decideRollover(
  session: Pick<SessionRow, 'sessionKey' | 'surface' | 'activeAt'> & Partial<Pick<SessionRow, 'state'>>,
  settings: LifetimeSettings,
  now: number,
): 'idle' | 'daily' | undefined {
  if (session.activeAt <= broughtAt(session.state)) return undefined;
  const rule = ruleFor(session, settings);
  const mode = rule.mode ?? (rule.atHour !== undefined ? 'daily' : rule.idleMinutes !== undefined ? 'idle' : 'never');
  if (mode === 'never') return undefined;
  const idleMinutes = rule.idleMinutes ?? (mode === 'idle' ? DEFAULT_IDLE_MINUTES : undefined);
  const idleEnd = idleMinutes === undefined ? Number.POSITIVE_INFINITY : session.activeAt + idleMinutes * 60_000;
  const isIdle = now > idleEnd;
  if (mode === 'daily') {
    const boundary = lastDailyBoundary(now, rule.atHour ?? DEFAULT_HOUR, settings.timezone);
    if (session.activeAt < boundary && !(isIdle && idleEnd < boundary)) return 'daily';
  }
  return isIdle ? 'idle' : undefined;
}

/** When the session was brought from another program; before all times when it began here. */
function broughtAt(state: SessionRow['state'] | undefined): number {
  const mark = state?.import;
  const at = isJsonObject(mark) ? mark.at : undefined;
  return typeof at === 'number' ? at : Number.NEGATIVE_INFINITY;
}

/** A rule for the channel is used alone; a rule for the type is completed by the general rule. */
function ruleFor(
  { sessionKey, surface }: Pick<SessionRow, 'sessionKey' | 'surface'>,
  { reset, resetByType, resetByChannel, idleMinutes }: LifetimeSettings,
): ResetRule {
  const key = parseSessionKey(sessionKey);
  const channel = (surface?.channel ?? key.channel ?? '').toLowerCase();
  const ofChannel = Object.entries(resetByChannel ?? {}).find(([name]) => name.trim().toLowerCase() === channel);
  if (channel !== '' && ofChannel) return ofChannel[1];
  const type = typeOf(key);
  const ofType = resetByType?.[type] ?? (type === 'direct' ? resetByType?.dm : undefined);
  return { idleMinutes, ...given(reset), ...given(ofType) };
}

function typeOf({ surface, threadId, peerId }: ReturnType<typeof parseSessionKey>): 'direct' | 'group' | 'thread' {
  if (threadId !== undefined || peerId?.toLowerCase().includes(':topic:')) return 'thread';
  return surface === 'group' || surface === 'channel' ? 'group' : 'direct';
}

/** Removes fields that are present but undefined, because they would hide those of a more general rule. */
function given(rule: ResetRule | undefined): ResetRule {
  return Object.fromEntries(Object.entries(rule ?? {}).filter(([, value]) => value !== undefined));
}
