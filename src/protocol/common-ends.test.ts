import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonPrefix, commonSuffix } from './common-ends.ts';

describe('what two texts share', () => {
  it('is their beginning and their end, and nothing of both twice', () => {
    expect([commonPrefix('a quick fox', 'a quiet fox'), commonSuffix('a quick fox', 'a quiet fox', 5)]).toEqual([5, 4]);
    expect([commonPrefix('aaa', 'aa'), commonSuffix('aaa', 'aa', 2)]).toEqual([2, 0]);
  });

  it('never ends within a character, however long the texts are', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '😀', '😁', 'ä', 'x'.repeat(1_023)), maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, text, (start, one, other, end) => {
        const [a, b] = [start + one + end, start + other + end];
        const prefix = commonPrefix(a, b);
        const suffix = commonSuffix(a, b, prefix);
        expect(prefix).toBeGreaterThanOrEqual(start.length);
        expect(prefix + suffix).toBeLessThanOrEqual(Math.min(a.length, b.length));
        for (const whole of [a, b]) {
          const parts = [whole.slice(0, prefix), whole.slice(prefix, whole.length - suffix)];
          const last = whole.slice(whole.length - suffix);
          for (const part of [...parts, last]) expect(Buffer.from(part).toString()).toBe(part);
        }
        expect(a.slice(0, prefix)).toBe(b.slice(0, prefix));
        expect(a.slice(a.length - suffix)).toBe(b.slice(b.length - suffix));
      }),
    );
  });
});
