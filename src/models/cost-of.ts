// Computes what a model call cost, where the configuration gives prices.

import type { Usage } from '../protocol/usage.ts';

/** Prices per million tokens. Without a price for cached tokens, they cost as much as other input. */
export interface ModelPrices {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface KnownPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Returns undefined unless the prices of input and output are given: an unknown cost is not a cost of zero. */
export function costOf(usage: Usage, prices: ModelPrices | undefined): number | undefined {
  const known = knownPricesOf(prices);
  if (!known) return undefined;
  const { input, output, cacheRead, cacheWrite } = known;
  // The input count contains cached tokens, which have prices of their own.
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const million = fresh * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return million / 1_000_000;
}

/** What a call costs at most that reads and writes no more tokens than these, however much of them is cached. */
export function costAtMost(tokens: { readonly input: number; readonly output: number }, prices: KnownPrices): number {
  const dearest = Math.max(prices.input, prices.cacheRead, prices.cacheWrite);
  return (tokens.input * dearest + tokens.output * prices.output) / 1_000_000;
}

export function knownPricesOf({ input, output, cacheRead, cacheWrite }: ModelPrices = {}): KnownPrices | undefined {
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
}
