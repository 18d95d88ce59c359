// What model calls have cost, in whatever currency the configuration names its prices. A price that nobody configured
// makes a cost unknown, never zero.

export interface Cost {
  /** Of the calls whose price is known; null when it is known of none. */
  readonly cost: number | null;
  /** How many calls have no known price. */
  readonly unpriced: number;
}

/** For people: `0.0123`, `unknown`, or `0.0123 and 2 calls of unknown cost`. */
export function formatCost({ cost, unpriced }: Cost): string {
  if (cost === null) return 'unknown';
  const known = cost === 0 ? '0' : cost.toFixed(cost < 1 ? 4 : 2);
  if (unpriced === 0) return known;
  return `${known} and ${unpriced.toLocaleString('en-US')} ${unpriced === 1 ? 'call' : 'calls'} of unknown cost`;
}
