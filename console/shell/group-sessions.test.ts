import { describe, expect, it } from 'vitest';
import type { ListedSession } from '../client/gateway-client.ts';
import { groupSessions } from './group-sessions.ts';

const now = new Date(2026, 10, 17, 12).getTime();
const DAY = 24 * 3_600_000;

function session(sessionKey: string, activeAt: number, more: Partial<ListedSession> = {}): ListedSession {
  return {
    sessionId: `ses_${sessionKey}_${activeAt}`,
    pageSurface: 'session.1',
    sessionKey,
    agentId: 'main',
    startedAt: activeAt,
    activeAt,
    endedAt: null,
    endReason: null,
    surface: { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'x' } },
    resumedFrom: null,
    title: null,
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
    type: 'interactive',
    ...more,
  };
}

const titles = (sessions: readonly ListedSession[], agentId?: string) =>
  groupSessions(sessions, { agentId, now }).map(({ title, sessions: members }) => [
    title,
    ...members.map(({ sessionKey }) => sessionKey),
  ]);

describe('the conversations of the sidebar', () => {
  it('stand by day, the one that was active last first', () => {
    const all = [session('a', now - 1), session('b', now), session('c', now - DAY), session('d', now - 3 * DAY)];
    expect(titles([...all, session('e', now - 30 * DAY)])).toEqual([
      ['Today', 'b', 'a'],
      ['Yesterday', 'c'],
      ['Last 7 days', 'd'],
      ['Older', 'e'],
    ]);
  });

  it('fold away what people do not read every day', () => {
    const api = { channel: 'api', accountId: 'default', peer: { kind: 'direct', id: 'x' } } as const;
    const all = [
      session('a', now, { type: 'subagent' }),
      session('b', now, { type: 'scheduled' }),
      session('c', now, { surface: api }),
    ];
    expect(titles(all)).toEqual([
      ['Subagents', 'a'],
      ['Scheduled', 'b'],
      ['API calls', 'c'],
    ]);
    expect(groupSessions(all, { now }).every(({ isFolded }) => isFolded)).toBe(true);
  });

  it('name each key once, by the session that is open', () => {
    const [group] = groupSessions([session('a', now, { endedAt: now }), session('a', now - 5)], { now });
    expect(group?.sessions.map(({ endedAt }) => endedAt)).toEqual([null]);
  });

  it('can be those of one agent', () => {
    expect(titles([session('a', now), session('b', now, { agentId: 'coder' })], 'coder')).toEqual([['Today', 'b']]);
  });
});
