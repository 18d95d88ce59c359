import { describe, expect, it } from 'vitest';
import { findSurplus, planFreeDuties, type SharedDuties } from './spread-duties.ts';

const ALL = ['channel:telegram:a', 'channel:telegram:b', 'channel:slack:c', 'channel:slack:d', 'chores', 'lanes'];
const sharing = (...ids: readonly string[]) => new Map(ids.map((id) => [id, new Set(ALL)]));

describe('duties that nobody has', () => {
  it('are spread over the members, those of one kind first', () => {
    const planned = planFreeDuties({ shares: sharing('a#1', 'b#2'), holders: new Map() });
    expect(Object.fromEntries(planned)).toEqual({
      'channel:slack:c': 'a#1',
      'channel:slack:d': 'b#2',
      'channel:telegram:a': 'a#1',
      'channel:telegram:b': 'b#2',
      chores: 'a#1',
      lanes: 'b#2',
    });
  });

  it('go to the only member that shares them, whatever it has', () => {
    const shares = new Map([...sharing('a#1'), ['b#2', new Set<string>()]]);
    expect(new Set(planFreeDuties({ shares, holders: new Map() }).values())).toEqual(new Set(['a#1']));
  });

  it('go to the member with less of that kind', () => {
    const holders = new Map([
      ['channel:telegram:a', 'a#1'],
      ['chores', 'b#2'],
      ['lanes', 'b#2'],
    ]);
    const planned = planFreeDuties({ shares: sharing('a#1', 'b#2'), holders });
    expect(planned.get('channel:slack:c')).toBe('b#2');
  });
});

describe('a member with more duties than another one', () => {
  it.each([2, 3, 4])('leaves some until %i members are even, and then nothing moves', (count) => {
    const ids = Array.from({ length: count }, (_, index) => `n${index}#${index}`);
    const shares = sharing(...ids);
    const holders = new Map(ALL.map((name) => [name, ids[0] ?? '']));
    let moves = 0;
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const id of ids) {
        const name = findSurplus({ shares, holders }, id);
        if (name === undefined) continue;
        isMoving = true;
        moves += 1;
        holders.delete(name);
        for (const [free, taker] of planFreeDuties({ shares, holders })) holders.set(free, taker);
      }
      expect(moves).toBeLessThan(20);
    }
    const of = (names: readonly string[]) => ids.map((id) => names.filter((name) => holders.get(name) === id).length);
    const spread = (counts: readonly number[]) => Math.max(...counts) - Math.min(...counts);
    expect(spread(of(ALL.filter((name) => name.startsWith('channel:'))))).toBeLessThanOrEqual(1);
    expect(spread(of(ALL))).toBeLessThanOrEqual(1);
  });

  it('keeps what no other one shares', () => {
    const state: SharedDuties = {
      shares: new Map([...sharing('a#1'), ['b#2', new Set<string>()]]),
      holders: new Map(ALL.map((name) => [name, 'a#1'])),
    };
    expect(findSurplus(state, 'a#1')).toBeUndefined();
  });
});
