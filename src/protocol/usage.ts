// The tokens that model calls used, and what they cost, in the currency in which the configuration gives its prices.
// Where the configuration gives no price, the cost is unknown, never zero.

export interface Usage {
  /** All input tokens, with the cached ones. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export interface Cost {
  /** The sum over the calls whose price is known, or null when no call has a known price. */
  readonly cost: number | null;
  /** The number of calls that have no known price. */
  readonly unpriced: number;
}

/** The tokens and the cost of several calls. */
export interface UsageSum extends Usage, Cost {
  readonly calls: number;
}

export const NO_SUM: UsageSum = { ...NO_USAGE, calls: 0, cost: null, unpriced: 0 };

export function addSums(a: UsageSum, b: UsageSum): UsageSum {
  return {
    ...addUsage(a, b),
    calls: a.calls + b.calls,
    cost: a.cost === null ? b.cost : a.cost + (b.cost ?? 0),
    unpriced: a.unpriced + b.unpriced,
  };
}

/** A cost of null means that the price of the call is not known. */
export function addCall(sum: UsageSum, call: Usage & { readonly cost: number | null }): UsageSum {
  return addSums(sum, { ...call, calls: 1, unpriced: call.cost === null ? 1 : 0 });
}

/** Formats a cost for people: `0.0123`, `unknown`, or `0.0123 and 2 calls of unknown cost`. */
export function formatCost({ cost, unpriced }: Cost): string {
  if (cost === null) return 'unknown';
  const known = cost === 0 ? '0' : cost.toFixed(cost < 1 ? 4 : 2);
  if (unpriced === 0) return known;
  return `${known} and ${unpriced.toLocaleString('en-US')} ${unpriced === 1 ? 'call' : 'calls'} of unknown cost`;
}
