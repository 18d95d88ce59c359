// What a model call cost, where somebody said what tokens cost.

import type { Usage } from '../protocol/usage.ts';

/** Per million tokens. A price that is not named is nothing. */
export interface ModelPrices {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** Undefined without prices: an unknown cost is not a cost of nothing. */
export function costOf(usage: Usage, prices: ModelPrices | undefined): number | undefined {
  if (!prices) return undefined;
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = prices;
  // Input counts cached tokens too, which have prices of their own.
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const million = fresh * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return million / 1_000_000;
}
