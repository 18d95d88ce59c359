// One handler's time limit, and the abort signal that goes with it. The signal is created only for handlers that read
// it. A handler cannot be interrupted at its deadline; what it answers later is ignored. Time in which the code of others keeps
// the handler's thread from it is not the handler's: its limit begins anew, within bounds.

import type { DeadlineTimer, Waiting } from './deadline-timer.ts';

/** How long a handler may be kept from beginning by others before its time counts after all. */
export const MAX_HELD_UP_MS = 30_000;
/** How often it is looked whether it is being held up, within its limit. */
const LOOKS = 4;
const MIN_LOOK_MS = 25;

export class Deadline {
  readonly timeoutMs: number;
  readonly #timer: DeadlineTimer;
  readonly #isHeldUp: (() => boolean) | undefined;
  #started: number;
  #heldUpMs = 0;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #waiting: Waiting | undefined;
  #onCallerAbort: (() => void) | undefined;
  #whenOver: ((reason: unknown) => void) | undefined;
  /** The reason for the end, once the time is over. */
  #over: unknown;

  /**
   * `caller` is the signal of the caller: when it aborts, the handler's time is over as well. `isHeldUp` says whether
   * others keep the handler from beginning right now. `startedAt` is now by `performance.now()`, for a caller that knows it.
   */
  constructor(
    timeoutMs: number,
    timer: DeadlineTimer,
    caller?: AbortSignal,
    isHeldUp?: () => boolean,
    startedAt = performance.now(),
  ) {
    this.timeoutMs = timeoutMs;
    this.#started = startedAt;
    this.#timer = timer;
    this.#caller = caller;
    this.#isHeldUp = isHeldUp;
  }

  /** The time by `performance.now()`. It is later than the call when the handler was held up. */
  get startedAt(): number {
    return this.#started;
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
      this.#wait(reject);
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

  #wait(reject: (reason: unknown) => void): void {
    const overAt = this.#started + this.timeoutMs;
    const lookAt = performance.now() + Math.max(MIN_LOOK_MS, this.timeoutMs / LOOKS);
    const isNew = this.#heldUpMs === 0;
    const dueAt = !this.#isHeldUp || (isNew && overAt < lookAt) ? overAt : lookAt;
    this.#waiting = { dueAt, expire: () => this.#look(reject) };
    this.#timer.add(this.#waiting);
  }

  #look(reject: (reason: unknown) => void): void {
    const now = performance.now();
    if (this.#heldUpMs < MAX_HELD_UP_MS && this.#isHeldUp?.()) {
      this.#heldUpMs += now - this.#started;
      this.#started = now;
      this.#wait(reject);
    } else if (this.#isHeldUp && now + 1 < this.#started + this.timeoutMs) this.#wait(reject);
    else reject(this.#end(new DeadlineExceeded(this.timeoutMs)));
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
