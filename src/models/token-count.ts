// Counts of tokens, as providers report them: numbers, texts of digits, or nothing.

/** A higher count is not plausible. The limit leaves room to add up the calls of years. */
const MOST_TOKENS = 1_000_000_000;

/** Reads a count leniently. Returns undefined for a value that is none. */
export function tokenCount(told: unknown): number | undefined {
  if (typeof told === 'number') return told;
  return typeof told === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(told) ? Number(told) : undefined;
}

/** A provider may report any number. An impossible count must not make its answer unusable, nor a cost negative. */
export function plausibleCount(count: number | undefined): number {
  if (count === undefined || !(count > 0)) return 0;
  return Math.min(MOST_TOKENS, Math.round(count));
}
