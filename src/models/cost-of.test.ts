import { expect, it } from 'vitest';
import { costOf } from './cost-of.ts';

const USAGE = { input: 1_000_000, output: 100_000, cacheRead: 600_000, cacheWrite: 200_000 };

it('counts every token once, at its own price', () => {
  expect(costOf(USAGE, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
    0.6 + 1.5 + 0.18 + 0.75,
  );
});

it('takes a price that is not named for nothing, and no prices for not knowing', () => {
  expect(costOf(USAGE, { output: 10 })).toBeCloseTo(1);
  expect(costOf(USAGE, undefined)).toBeUndefined();
});
