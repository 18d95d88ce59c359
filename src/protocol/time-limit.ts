// Limits of time: a signal that fires after a while, and a wait that ends after a while.
//
// The signal always fires, which `AbortSignal.any([AbortSignal.timeout(ms), ...])` does not promise: Node holds the
// timeout's signal weakly there, and a garbage collection removes it together with its timer. A plain timer holds its
// controller, so the limit survives every collection; the caller that sets a limit also clears it.

export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

/** Fires with `reason` after `ms`, or earlier with the first of `others`. It never keeps the process alive. */
export function timeLimit(ms: number, reason: () => Error, ...others: readonly AbortSignal[]): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), ms);
  timer.unref();
  const signal = others.length === 0 ? controller.signal : AbortSignal.any([controller.signal, ...others]);
  return { signal, clear: () => clearTimeout(timer) };
}

/** A timer that is set to more than this fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits for the promise, but no longer than this; false when the time is over first. Rejects when the promise rejects
 * in time. A later rejection is ignored.
 */
export async function within(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(timeoutMs, LONGEST_TIMER_MS));
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
