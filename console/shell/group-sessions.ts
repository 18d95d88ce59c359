// The conversations of the sidebar in groups: by day for those that people hold, and folded groups for subagents,
// scheduled runs, calls of programs and what a person has put away. Of one key only the latest session is listed. It is pure.

import type { ListedSession } from '../client/gateway-client.ts';

export interface SessionGroup {
  readonly title: string;
  /** What people do not read every day is folded. */
  readonly isFolded: boolean;
  readonly sessions: readonly ListedSession[];
}

export interface SessionFilter {
  readonly agentId?: string | undefined;
  /** Where it takes place, as `surfaceName` says it. */
  readonly place?: string | undefined;
  readonly now: number;
}

export function groupSessions(
  sessions: readonly ListedSession[],
  { agentId, place, now }: SessionFilter,
): readonly SessionGroup[] {
  const latest = latestOfKeys(
    sessions.filter(
      (session) =>
        session.endReason !== 'deleted' &&
        (agentId === undefined || session.agentId === agentId) &&
        (place === undefined || surfaceName(session) === place),
    ),
  );
  const sorted = latest.toSorted((one, other) => other.activeAt - one.activeAt);
  const groups = new Map<string, ListedSession[]>(TITLES.map((title) => [title, []]));
  for (const session of sorted) groups.get(titleOf(session, now))?.push(session);
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => ({ title, isFolded: FOLDED.has(title), sessions: members }));
}

/** An open session stands for its key, else the one that began last. */
function latestOfKeys(sessions: readonly ListedSession[]): readonly ListedSession[] {
  const byKey = new Map<string, ListedSession>();
  for (const session of sessions) {
    const known = byKey.get(session.sessionKey);
    if (!known || isRather(session, known)) byKey.set(session.sessionKey, session);
  }
  return [...byKey.values()];
}

function isRather(session: ListedSession, known: ListedSession): boolean {
  if ((session.endedAt === null) !== (known.endedAt === null)) return session.endedAt === null;
  return session.startedAt > known.startedAt;
}

function titleOf({ type, surface, activeAt, archivedAt }: ListedSession, now: number): string {
  if (archivedAt !== null) return PUT_AWAY;
  if (type === 'subagent') return 'Subagents';
  if (type === 'scheduled') return 'Scheduled';
  if (surface?.channel === 'api') return 'API calls';
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (activeAt >= today) return 'Today';
  if (activeAt >= today - DAY_MS) return 'Yesterday';
  return activeAt >= today - 7 * DAY_MS ? 'Last 7 days' : 'Older';
}

const DAY_MS = 24 * 3_600_000;
const PUT_AWAY = 'Put away';
const TITLES = ['Today', 'Yesterday', 'Last 7 days', 'Older', 'Subagents', 'Scheduled', 'API calls', PUT_AWAY];
const FOLDED: ReadonlySet<string> = new Set(['Subagents', 'Scheduled', 'API calls', PUT_AWAY]);

/** The places of conversations that people hold, in the order of the alphabet. */
export function placesOf(sessions: readonly ListedSession[]): readonly string[] {
  const held = sessions.filter(({ type, surface }) => type === 'interactive' && surface !== null);
  return [...new Set(held.map(surfaceName))].toSorted();
}

/** Where a conversation takes place, in words. */
export function surfaceName({ surface, type }: ListedSession): string {
  if (surface === null) return type === 'interactive' ? 'no surface' : type;
  const { channel, peer } = surface;
  if (channel === 'web') return 'web';
  if (channel === 'cli') return 'terminal';
  return peer.kind === 'direct' ? channel : `${channel} ${peer.kind}`;
}
