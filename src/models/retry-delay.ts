// How long to wait before the same request is sent again. Pure: chance is handed in, and whoever asks does the waiting.

import type { ModelFailure } from './model.ts';

/** Calls of one request, the first one included. */
export const MAX_MODEL_ATTEMPTS = 4;

/** A provider that wants more patience than this is given up; a fallback or a person decides. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

const FIRST_DELAY_MS = 1_000;

/**
 * Milliseconds to wait after the attempt of this number (the first is 1) has failed; undefined to give up. `random`
 * gives a number from 0 to 1 and spreads runs that failed together.
 */
export function retryDelayMs(failure: ModelFailure, attempt: number, random: () => number): number | undefined {
  if (!failure.retryable || attempt >= MAX_MODEL_ATTEMPTS) return undefined;
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > LONGEST_RETRY_AFTER_MS) return undefined;
  const backOff = FIRST_DELAY_MS * 2 ** (attempt - 1);
  if (asked !== undefined) return Math.round(asked + Math.min(asked / 10, FIRST_DELAY_MS) * random());
  return Math.round(backOff / 2 + (backOff / 2) * random());
}
