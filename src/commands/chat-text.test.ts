import { describe, expect, it } from 'vitest';
import { describeDuration } from './chat-text.ts';

describe('a duration', () => {
  it.each([
    [-5, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [90_000, '1 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [100_000_000, '1 d 3 h'],
  ])('of %d ms is %s', (ms, text) => {
    expect(describeDuration(ms)).toBe(text);
  });
});
