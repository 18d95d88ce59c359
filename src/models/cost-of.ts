// Computes what a model call cost, where the configuration gives prices.

import type { Usage } from '../protocol/usage.ts';

/** Prices per million tokens. A price that is not given counts as zero. */
export interface ModelPrices {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** Returns undefined without prices, because an unknown cost is not a cost of zero. */
export function costOf(usage: Usage, prices: ModelPrices | undefined): number | undefined {
  if (!prices) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = prices;
  // The input count contains cached tokens, which have prices of their own.
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const million = fresh * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return million / 1_000_000;
}
