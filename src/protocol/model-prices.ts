// What a model costs, per million tokens. A price that is not given is not known, which is not the same as zero.

export interface Prices {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Without a price for cached tokens, they cost as much as other input. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface ModelPrices extends Prices {
  /** What a whole request costs whose input is long, in the order of `from`. */
  readonly tiers?: readonly PriceTier[] | undefined;
}

export interface PriceTier extends Prices {
  /** The tokens of input, cached ones included, from which on these prices hold. */
  readonly from: number;
}
