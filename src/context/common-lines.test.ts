import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { commonLines } from './common-lines.ts';

const numbered = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`);

/** The length of the longest common subsequence, by the definition. */
function longest(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined || b.length === 0) return 0;
  const at = b.indexOf(first);
  return Math.max(longest(rest, b), at === -1 ? 0 : 1 + longest(rest, b.slice(at + 1)));
}

describe('common lines', () => {
  it('are equal, in order in both texts, and as many as possible', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 9 });
    forAll([lines, lines], (before, after) => {
      const pairs = commonLines(before, after) ?? [];
      expect(pairs).toHaveLength(longest(before, after));
      for (const [index, pair] of pairs.entries()) {
        expect(before[pair.before]).toBe(after[pair.after]);
        const last = pairs[index - 1];
        if (last) expect(pair.before > last.before && pair.after > last.after).toBe(true);
      }
    });
  });

  it('are found in very long texts that differ in a few places', () => {
    const before = numbered('line', 20_000);
    const after = before.with(100, 'other').with(19_000, 'other');
    expect(commonLines(before, after)).toHaveLength(19_998);
  });

  it.each<[string, string[], string[]]>([
    ['have other lines', numbered('old', 501), numbered('new', 500)],
    ['have the same lines in another order', numbered('line', 1_000), numbered('line', 1_000).reverse()],
    ['have some lines over and over', numbered('x', 3_000).map(parity), numbered('y', 4_500).map(parity)],
  ])('are not looked for when the texts %s in too many places', (_, before, after) => {
    expect(commonLines(before, after)).toBeUndefined();
  });

  it('are told as none while the texts differ in no more places than that', () => {
    expect(commonLines(numbered('old', 500), numbered('new', 500))).toEqual([]);
    expect(commonLines([], [])).toEqual([]);
  });

  it('need a library only once two texts share a line, so that it is not loaded before', async () => {
    const text = await readFile(new URL('./common-lines.ts', import.meta.url), 'utf8');
    expect(text.match(/^import .*$/gm)).toEqual(["import { createRequire } from 'node:module';"]);
  });
});

function parity(_: string, index: number): string {
  return (index * index * 7 + index) % 5 < 2 ? 'even' : 'odd';
}
