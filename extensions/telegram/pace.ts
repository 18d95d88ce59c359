// How long the channel waits before it tries again, and how often it looks. Waits grow up to a bound and are spread by
// chance, so that many gateways do not come back in the same moment.

export interface Pace {
  /** The wait before the second try. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** How long Telegram holds back the answer to a fetch when nothing has come. */
  readonly pollSeconds: number;
  /** How often the webhook is looked after. */
  readonly checkEveryMs: number;
}

export const USUAL_PACE: Pace = { firstWaitMs: 500, longestWaitMs: 30_000, pollSeconds: 25, checkEveryMs: 60_000 };

export function waitBefore(attempt: number, { firstWaitMs, longestWaitMs }: Pace): number {
  const whole = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt - 1, 20));
  return Math.round(whole * (0.5 + Math.random() / 2));
}
