import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../src/testkit/for-all.ts';
import type { ListedSession } from '../client/gateway-client.ts';
import { forksOf } from './forks.ts';

let clock = 0;
function session(sessionId: string, branchOf: string | null = null, branchAt: number | null = null): ListedSession {
  clock += 1;
  return {
    sessionId,
    pageSurface: 'session.1',
    sessionKey: `key-${sessionId}`,
    agentId: 'main',
    startedAt: clock,
    activeAt: clock,
    endedAt: null,
    endReason: null,
    surface: null,
    resumedFrom: null,
    title: null,
    firstWords: null,
    archivedAt: null,
    seenAt: null,
    branchOf,
    branchAt,
    type: 'interactive',
  };
}

const told = (sessions: readonly ListedSession[], current: ListedSession | undefined) =>
  (current ? forksOf(sessions, current) : []).map(({ at, ways }) => [at, ...ways.map(({ sessionId }) => sessionId)]);

describe('the places where conversations part', () => {
  it('are told in the branch and in the one that it comes from', () => {
    const all = [session('a'), session('b', 'a', 2)];
    expect(told(all, all[0])).toEqual([[2, 'a', 'b']]);
    expect(told(all, all[1])).toEqual([[2, 'a', 'b']]);
  });

  it('join branches of branches at the same place', () => {
    const all = [session('a'), session('b', 'a', 2), session('c', 'b', 2)];
    for (const each of all) expect(told(all, each)).toEqual([[2, 'a', 'b', 'c']]);
  });

  it('are inherited: what parted earlier is told in a later branch too', () => {
    const all = [session('a'), session('b', 'a', 2), session('c', 'a', 6)];
    expect(told(all, all[2])).toEqual([
      [2, 'c', 'b'],
      [6, 'a', 'c'],
    ]);
    expect(told(all, all[0])).toEqual([
      [2, 'a', 'b'],
      [6, 'a', 'c'],
    ]);
    expect(told(all, all[1])).toEqual([[2, 'a', 'b']]);
  });

  it('join a branch of a branch with the conversation whose words it shares', () => {
    const all = [session('a'), session('b', 'a', 4), session('c', 'b', 2), session('d', 'c', 0)];
    expect(told(all, all[2])).toEqual([
      [0, 'c', 'd'],
      [2, 'a', 'c'],
    ]);
    expect(told(all, all[0])).toEqual([
      [0, 'a', 'd'],
      [2, 'a', 'c'],
      [4, 'a', 'b'],
    ]);
    expect(told(all, all[3])).toEqual([[0, 'a', 'd']]);
  });

  it('have the current conversation among their ways, whatever was branched of what', () => {
    const branch = fc.tuple(fc.nat(), fc.constantFrom(0, 2, 4, 6));
    forAll([fc.array(branch, { maxLength: 6 })], (branches) => {
      const all = [session('0')];
      for (const [of, at] of branches) all.push(session(String(all.length), String(of % all.length), at));
      for (const each of all)
        for (const { ways } of forksOf(all, each)) expect(ways.filter((way) => way === each)).toHaveLength(1);
    });
  });

  it('stay between branches of a conversation that is gone', () => {
    const gone = { ...session('a'), endReason: 'deleted' } as const;
    const all = [session('b', 'a', 2), session('c', 'a', 2)];
    for (const each of all) expect(told([gone, ...all], each)).toEqual([[2, 'b', 'c']]);
    for (const each of all) expect(told(all, each)).toEqual([[2, 'b', 'c']]);
  });

  it('are none where the other one is not known, or deleted', () => {
    const gone = { ...session('a'), endReason: 'deleted' } as const;
    const branch = session('b', 'a', 2);
    expect(told([branch], branch)).toEqual([]);
    expect(told([gone, branch], branch)).toEqual([]);
  });
});
