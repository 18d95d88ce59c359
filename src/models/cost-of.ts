// Computes what a model call cost, where its prices are known. Some providers charge more for a whole request when its
// prompt is long, so the prices depend on the tokens of its input.

import type { ModelPrices, Prices } from '../protocol/model-prices.ts';
import type { Usage } from '../protocol/usage.ts';

export interface KnownPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Returns undefined unless the prices of input and output are given: an unknown cost is not a cost of zero. */
export function costOf(usage: Usage, prices: ModelPrices | undefined): number | undefined {
  const known = knownPricesOf(prices && pricesFor(usage.input, prices));
  if (!known) return undefined;
  const { input, output, cacheRead, cacheWrite } = known;
  // The input count contains cached tokens, which have prices of their own.
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const million = fresh * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return million / 1_000_000;
}

/**
 * What a call costs at most that reads and writes no more tokens than these, however much of them is cached. Undefined
 * when a price is not known that may hold for it.
 */
export function costAtMost(
  tokens: { readonly input: number; readonly output: number },
  prices: ModelPrices | undefined,
): number | undefined {
  const reached = (prices?.tiers ?? []).filter(({ from }) => from <= tokens.input);
  const costs = [prices, ...reached].map((each) => {
    const known = knownPricesOf(each);
    if (!known) return undefined;
    const dearest = Math.max(known.input, known.cacheRead, known.cacheWrite);
    return (tokens.input * dearest + tokens.output * known.output) / 1_000_000;
  });
  return costs.reduce((most, cost) => (most === undefined || cost === undefined ? undefined : Math.max(most, cost)), 0);
}

/** The prices that hold for a request with this much input. */
export function pricesFor(input: number, prices: ModelPrices): Prices {
  return prices.tiers?.findLast(({ from }) => from <= input) ?? prices;
}

export function knownPricesOf({ input, output, cacheRead, cacheWrite }: Prices = {}): KnownPrices | undefined {
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}
