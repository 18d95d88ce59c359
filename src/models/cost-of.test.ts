import fc from 'fast-check';
import { expect, it } from 'vitest';
import { costAtMost, costOf, knownPricesOf } from './cost-of.ts';

const USAGE = { input: 1_000_000, output: 100_000, cacheRead: 600_000, cacheWrite: 200_000 };

it('counts every token once, at its own price', () => {
  expect(costOf(USAGE, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })).toBeCloseTo(
    0.6 + 1.5 + 0.18 + 0.75,
  );
});

it('takes cached tokens for other input where they have no price of their own', () => {
  expect(costOf(USAGE, { input: 3, output: 15 })).toBeCloseTo(3 + 1.5);
  expect(costOf(USAGE, { input: 3, output: 15, cacheRead: 0 })).toBeCloseTo(1.2 + 1.5);
});

it('does not know a cost without the prices of input and output', () => {
  expect(costOf(USAGE, undefined)).toBeUndefined();
  expect(costOf(USAGE, {})).toBeUndefined();
  expect(costOf(USAGE, { output: 10 })).toBeUndefined();
  expect(costOf(USAGE, { input: 0, output: 0 })).toBe(0);
});

it('never comes to more than the most that was said before', () => {
  const price = fc.double({ min: 0, max: 100, noNaN: true });
  const count = fc.nat(1_000_000);
  fc.assert(
    fc.property(
      fc.record({ input: price, output: price, cacheRead: price, cacheWrite: price }),
      fc.record({ fresh: count, output: count, cacheRead: count, cacheWrite: count }),
      (prices, { fresh, ...used }) => {
        const input = fresh + used.cacheRead + used.cacheWrite;
        const known = knownPricesOf(prices);
        const most = known && costAtMost({ input, output: used.output }, known);
        expect(costOf({ ...used, input }, prices)).toBeLessThanOrEqual((most ?? 0) * (1 + 1e-12));
      },
    ),
  );
});
