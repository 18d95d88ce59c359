// Computes how long to wait before the same request is sent again. The function is pure: the random source is passed
// in, and the caller does the waiting.

import type { ModelFailure } from './model.ts';

/** The number of calls for one request, with the first one. */
const MAX_MODEL_ATTEMPTS = 4;

/** A provider that asks for a longer pause is given up; then a fallback or a person decides. */
const LONGEST_RETRY_AFTER_MS = 60_000;

const FIRST_DELAY_MS = 1_000;

/**
 * Returns the milliseconds to wait after the attempt of this number (the first is 1) has failed, or undefined to give
 * up. `random` returns a number from 0 to 1 and spreads runs that failed at the same time.
 */
export function retryDelayMs(failure: ModelFailure, attempt: number, random: () => number): number | undefined {
  if (!failure.retryable || attempt >= MAX_MODEL_ATTEMPTS) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > LONGEST_RETRY_AFTER_MS) return undefined;
  const backOff = FIRST_DELAY_MS * 2 ** (attempt - 1);
  if (asked !== undefined) return Math.round(asked + Math.min(asked / 10, FIRST_DELAY_MS) * random());
  return Math.round(backOff / 2 + (backOff / 2) * random());
}
