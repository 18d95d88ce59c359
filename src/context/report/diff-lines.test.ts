import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { diffLines } from './diff-lines.ts';

describe('diffLines', () => {
  it('tells what went, what came and what stayed', () => {
    expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
      { kind: 'same', left: 0, right: 0 },
      { kind: 'removed', left: 1 },
      { kind: 'added', right: 1 },
      { kind: 'same', left: 2, right: 2 },
      { kind: 'added', right: 3 },
    ]);
  });

  it('finds nothing to tell between equal or empty lists', () => {
    expect(diffLines([], [])).toEqual([]);
    expect(diffLines(['a'], ['a'])).toEqual([{ kind: 'same', left: 0, right: 0 }]);
  });

  it('replaces as a whole what would take too long to compare', () => {
    const left = Array.from({ length: 3_000 }, (_, i) => `left ${i}`);
    const right = Array.from({ length: 3_000 }, (_, i) => `right ${i}`);
    const kinds = diffLines(left, right).map(({ kind }) => kind);
    expect(kinds.indexOf('added')).toBe(3_000);
    expect(kinds).toHaveLength(6_000);
  });

  it('always leads from one list to the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    forAll([lines, lines], (left, right) => {
      const differences = diffLines(left, right);
      const kept = differences.filter(({ kind }) => kind !== 'added');
      const now = differences.filter(({ kind }) => kind !== 'removed');
      expect(kept.map((each) => left['left' in each ? each.left : -1])).toEqual(left);
      expect(now.map((each) => right['right' in each ? each.right : -1])).toEqual(right);
      for (const each of differences) if (each.kind === 'same') expect(left[each.left]).toBe(right[each.right]);
    });
  });
});
