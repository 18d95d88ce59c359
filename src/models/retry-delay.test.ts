import { describe, expect, it } from 'vitest';
import type { ModelFailure } from './model.ts';
import { retryDelayMs } from './retry-delay.ts';

const overloaded: ModelFailure = { kind: 'overloaded', message: 'busy', retryable: true };
const least = () => 0;
const most = () => 1;

describe('the wait before a model is asked again', () => {
  it('doubles from attempt to attempt, spread by chance', () => {
    expect([1, 2, 3].map((attempt) => retryDelayMs(overloaded, attempt, least))).toEqual([500, 1000, 2000]);
    expect([1, 2, 3].map((attempt) => retryDelayMs(overloaded, attempt, most))).toEqual([1000, 2000, 4000]);
  });

  it('is never, after the fourth attempt or for a failure that would come again', () => {
    expect(retryDelayMs(overloaded, 4, least)).toBeUndefined();
    expect(retryDelayMs({ ...overloaded, retryable: false }, 1, least)).toBeUndefined();
  });

  it('is at least what the provider asked for', () => {
    expect(retryDelayMs({ ...overloaded, retryAfterMs: 7_000 }, 1, least)).toBe(7_000);
    expect(retryDelayMs({ ...overloaded, retryAfterMs: 7_000 }, 3, most)).toBe(7_700);
    expect(retryDelayMs({ ...overloaded, retryAfterMs: 60_000 }, 1, most)).toBe(61_000);
    expect(retryDelayMs({ ...overloaded, retryAfterMs: 0 }, 1, most)).toBe(0);
  });

  it('is never when the provider asks for more than a minute', () => {
    expect(retryDelayMs({ ...overloaded, retryAfterMs: 60_001 }, 1, least)).toBeUndefined();
  });
});
