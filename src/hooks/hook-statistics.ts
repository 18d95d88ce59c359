// How often each handler was called, how long it took and how it ended, since the process started. The records of the
// runner feed it; it decides nothing and writes nothing to disk.
// Promise: counting is cheap, and memory is bounded for any number of handlers and calls. Error texts of a handler are
// kept only when a caller hands them over separately, once it knows that they may be shown.

import type { HookCallRecord } from './hook-call-record.ts';

export interface HandlerStatistics {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  /** The number of calls, with any outcome. */
  readonly calls: number;
  /** The number of calls in which the handler threw or gave an invalid answer. */
  readonly errors: number;
  readonly timeouts: number;
  /**
   * How often the handler was due and was not called: it was suspended, too far behind, or the run had no time left.
   */
  readonly notCalled: number;
  /** Computed from the last calls; null before the first call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFiredAt: number | null;
  readonly lastFailure: { readonly at: number; readonly outcome: string; readonly error: string | null } | null;
}

export class HookStatistics {
  readonly #hooks = new Map<string, Map<string, Counted>>();
  #size = 0;

  count({ hook, id, owner, at, ms, outcome }: HookCallRecord): void {
    const counted = this.#countedOf(hook, id, owner);
    if (outcome === 'skipped' || outcome === 'suspended' || outcome === 'dropped') {
      counted.notCalled += 1;
      return;
    }
    counted.times[counted.calls % KEPT_TIMES] = ms;
    counted.calls += 1;
    counted.lastFiredAt = at;
    if (outcome === 'done' || outcome === 'aborted') return;
    if (outcome === 'timed-out') counted.timeouts += 1;
    else counted.errors += 1;
    counted.lastFailure = { at, outcome, error: null };
  }

  /** Adds the error text of a failure that was counted before. */
  explain({ hook, id, owner, at }: Pick<HookCallRecord, 'hook' | 'id' | 'owner' | 'at'>, error: string): void {
    const counted = this.#hooks.get(hook)?.get(id);
    if (counted?.owner !== owner || counted.lastFailure?.at !== at) return;
    counted.lastFailure = { ...counted.lastFailure, error };
  }

  snapshot(): readonly HandlerStatistics[] {
    return [...this.#hooks].flatMap(([hook, handlers]) =>
      [...handlers].map(([id, { times, ...counted }]) => ({
        hook,
        id,
        ...counted,
        p50Ms: percentileOf(times, 0.5),
        p95Ms: percentileOf(times, 0.95),
      })),
    );
  }

  /** A handler of the same name with another owner is another handler, so its counts start at zero. */
  #countedOf(hook: string, id: string, owner: string): Counted {
    let handlers = this.#hooks.get(hook);
    if (!handlers) {
      handlers = new Map();
      this.#hooks.set(hook, handlers);
    }
    const known = handlers.get(id);
    if (known?.owner === owner) return known;
    if (!known) {
      if (this.#size >= MAX_HANDLERS) this.#forgetOne();
      this.#size += 1;
    }
    const counted = { owner, calls: 0, errors: 0, timeouts: 0, notCalled: 0, lastFiredAt: null, lastFailure: null };
    const made: Counted = { ...counted, times: [] };
    handlers.set(id, made);
    return made;
  }

  #forgetOne(): void {
    for (const [hook, handlers] of this.#hooks) {
      const [oldest] = handlers.keys();
      if (oldest !== undefined) {
        handlers.delete(oldest);
        this.#size -= 1;
      }
      if (handlers.size === 0) this.#hooks.delete(hook);
      if (oldest !== undefined) return;
    }
  }
}

interface Counted {
  readonly owner: string;
  calls: number;
  errors: number;
  timeouts: number;
  notCalled: number;
  lastFiredAt: number | null;
  lastFailure: HandlerStatistics['lastFailure'];
  /** The durations of the last calls, in no order. */
  readonly times: number[];
}

const KEPT_TIMES = 256;
const MAX_HANDLERS = 5_000;

function percentileOf(times: readonly number[], share: number): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
