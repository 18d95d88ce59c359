// One handler's time limit, and the abort signal that goes with it. The signal is created only for handlers that read
// it. A handler cannot be interrupted at its deadline; what it answers later is ignored.

import type { DeadlineTimer, Waiting } from './deadline-timer.ts';

export class Deadline {
  readonly timeoutMs: number;
  readonly #timer: DeadlineTimer;
  readonly #started = performance.now();
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #waiting: Waiting | undefined;
  #onCallerAbort: (() => void) | undefined;
  #whenOver: ((reason: unknown) => void) | undefined;
  /** The reason for the end, once the time is over. */
  #over: unknown;

  /** `caller` is the signal of the caller: when it aborts, the handler's time is over as well. */
  constructor(timeoutMs: number, timer: DeadlineTimer, caller?: AbortSignal) {
    this.timeoutMs = timeoutMs;
    this.#timer = timer;
    this.#caller = caller;
  }

  get elapsedMs(): number {
    return performance.now() - this.#started;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#caller?.aborted) this.#end(this.#caller.reason);
    if (this.#over !== undefined) this.#controller.abort(this.#over);
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /**
   * Calls `tell` when the handler's time is over. This is for code that sends the handler's call to another thread and
   * needs no signal.
   */
  whenOver(tell: (reason: unknown) => void): void {
    this.#whenOver = tell;
  }

  /** A value that is not a promise is returned at once: only waiting needs a timer. */
  race<Value>(result: Value | Promise<Value>): Value | Promise<Value> {
    if (!isPromiseLike(result)) return result;
    if (this.#waiting) this.close();
    return new Promise<Value>((resolve, reject) => {
      this.#waiting = {
        dueAt: this.#started + this.timeoutMs,
        expire: () => reject(this.#end(new DeadlineExceeded(this.timeoutMs))),
      };
      this.#timer.add(this.#waiting);
      if (this.#caller) {
        this.#onCallerAbort = () => reject(this.#end(this.#caller?.reason));
        this.#caller.addEventListener('abort', this.#onCallerAbort, { once: true });
        if (this.#caller.aborted) this.#onCallerAbort();
      }
      // The outcome of a handler that settles after its deadline is ignored, and a late rejection is not unhandled.
      result.then(resolve, reject);
    });
  }

  /**
   * A handler that never yields cannot be interrupted, but its overrun counts all the same. Gives the milliseconds that
   * it took.
   */
  check(elapsed = this.elapsedMs): number {
    if (elapsed > this.timeoutMs) throw this.#end(new DeadlineExceeded(this.timeoutMs));
    return elapsed;
  }

  close(): void {
    if (this.#waiting) this.#timer.remove(this.#waiting);
    if (this.#onCallerAbort) this.#caller?.removeEventListener('abort', this.#onCallerAbort);
  }

  #end<Reason>(reason: Reason): Reason {
    this.#over ??= reason;
    this.#controller?.abort(reason);
    this.#whenOver?.(reason);
    return reason;
  }
}

export class DeadlineExceeded extends Error {
  constructor(timeoutMs: number) {
    super(`timed out after ${Math.ceil(timeoutMs)}ms`);
  }
}

export function isPromiseLike<Value>(result: Value | PromiseLike<Value>): result is PromiseLike<Value> {
  if (result === null || (typeof result !== 'object' && typeof result !== 'function')) return false;
  return typeof (result as PromiseLike<Value>).then === 'function';
}
