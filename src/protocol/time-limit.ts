// A signal that fires after a while, for certain. `AbortSignal.any([AbortSignal.timeout(ms), ...])` does not: Node holds
// the timeout's signal weakly there, and a garbage collection takes it and its timer away. A plain timer holds its
// controller, so the limit outlives every collection; whoever sets one clears it.

export interface TimeLimit {
  readonly signal: AbortSignal;
  readonly clear: () => void;
}

/** Fires with `reason` after `ms`, together with the first of `others`. It never keeps the process alive. */
export function timeLimit(ms: number, reason: () => Error, ...others: readonly AbortSignal[]): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), ms);
  timer.unref();
  const signal = others.length === 0 ? controller.signal : AbortSignal.any([controller.signal, ...others]);
  return { signal, clear: () => clearTimeout(timer) };
}
