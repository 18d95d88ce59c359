// One handler's time limit, and the abort signal that goes with it. The signal is made only for handlers that look at
// it. What a handler does after its deadline settles into nothing; it is not interrupted, because nothing can.

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
  /** Why it is over, once it is. */
  #over: unknown;

  /** `caller` is the signal of whoever asked: when it aborts, the handler's time is over as well. */
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

  /** For whoever carries the handler's call elsewhere and needs no signal: told when its time is over. */
  whenOver(tell: (reason: unknown) => void): void {
    this.#whenOver = tell;
  }

  /** A value that is no promise is returned at once: only waiting needs a timer. */
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
      // A handler that settles after its deadline settles into nothing, and is no unhandled rejection either.
      result.then(resolve, reject);
    });
  }

  /**
   * A handler that never pauses cannot be interrupted; that it took too long counts all the same. Gives the milliseconds
   * that it took.
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
