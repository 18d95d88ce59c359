import fc from 'fast-check';
import { expect, it } from 'vitest';
import { costAtMost, costOf } from './cost-of.ts';

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

it('takes the prices of long prompts for the whole request, from their first token on', () => {
  const prices = {
    input: 1,
    output: 10,
    cacheRead: 0.1,
    tiers: [
      { from: 200_001, input: 2, output: 15, cacheRead: 0.2 },
      { from: 500_000, input: 4, output: 20, cacheRead: 0.4 },
    ],
  };
  const cost = (input: number) => costOf({ input, output: 100_000, cacheRead: 100_000, cacheWrite: 0 }, prices);
  expect(cost(200_000)).toBeCloseTo(0.1 + 0.01 + 1);
  expect(cost(200_001)).toBeCloseTo(0.2 + 0.02 + 1.5);
  expect(cost(600_000)).toBeCloseTo(2 + 0.04 + 2);
  expect(costAtMost({ input: 200_000, output: 0 }, prices)).toBeCloseTo(0.2);
  expect(costAtMost({ input: 600_000, output: 0 }, prices)).toBeCloseTo(2.4);
  expect(costOf({ ...USAGE, input: 10 }, { ...prices, tiers: [{ from: 10 }] })).toBeUndefined();
  expect(costAtMost({ input: 10, output: 0 }, { ...prices, tiers: [{ from: 10 }] })).toBeUndefined();
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
  const priced = fc.record({ input: price, output: price, cacheRead: price, cacheWrite: price });
  const tier = fc.tuple(priced, fc.nat(3_000_000)).map(([prices, from]) => ({ ...prices, from }));
  fc.assert(
    fc.property(
      fc.tuple(priced, fc.array(tier, { maxLength: 3 })).map(([prices, tiers]) => ({
        ...prices,
        tiers: tiers.toSorted((a, b) => a.from - b.from),
      })),
      fc.record({ fresh: count, output: count, cacheRead: count, cacheWrite: count }),
      (prices, { fresh, ...used }) => {
        const input = fresh + used.cacheRead + used.cacheWrite;
        const most = costAtMost({ input, output: used.output }, prices);
        expect(costOf({ ...used, input }, prices)).toBeLessThanOrEqual((most ?? 0) * (1 + 1e-12));
      },
    ),
  );
});
