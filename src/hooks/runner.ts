// The only callback registry. It keeps handlers in their order, calls them with a deadline, and records every call.
// It does not know what a value means: the caller says how a handler is invoked on a value, the runner decides
// whether the outcome counts.
//
// Errors: a handler that throws, rejects, overruns its deadline or leaves nonsense is recorded and its change
// dropped; only `onError: 'abort'` makes `chain` reject, with a HandlerAbortError.
// Rules: handlers run one after the other; what a handler does after its deadline has no effect, because the value
// that it was given was its own.

import { DuplicateHandlerError, HandlerAbortError, InvalidHandlerError, UnknownHookError } from '../protocol/errors.ts';
import {
  type Authorship,
  type HandlerCall,
  type HandlerInfo,
  type HandlerOutcome,
  InvalidHandlerResult,
  type OnError,
  type Stability,
} from '../protocol/handler.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from './catalog.ts';

export interface HandlerRegistration<Handler> {
  readonly hook: HookName;
  readonly id: string;
  readonly owner: string;
  readonly handler: Handler;
  readonly priority?: number | undefined;
  readonly description?: string | undefined;
  readonly stability?: Stability | undefined;
  readonly onError?: OnError | undefined;
  readonly timeoutMs?: number | undefined;
  readonly authorship?: Authorship | undefined;
}

export interface RegisteredHandler<Handler> extends HandlerInfo {
  readonly hook: HookName;
  readonly handler: Handler;
}

export class HookRunner<Handler> {
  /** Always in calling order, so that listing and running cannot disagree. */
  readonly #handlers = new Map<HookName, RegisteredHandler<Handler>[]>();

  /** Returns the undo. A second handler of the same id on the same hook is an error, not a replacement. */
  register(registration: HandlerRegistration<Handler>): () => void {
    const row: HookRow | undefined = HOOK_CATALOG[registration.hook];
    if (!row) throw new UnknownHookError(registration.hook, nearMatch(registration.hook, Object.keys(HOOK_CATALOG)));
    const problem = problemOf(registration);
    if (problem) throw new InvalidHandlerError(registration.hook, registration.id, problem);
    const handlers = this.#handlers.get(registration.hook) ?? [];
    const existing = handlers.find((handler) => handler.id === registration.id);
    if (existing) throw new DuplicateHandlerError(registration.hook, registration.id, existing.owner);
    const registered: RegisteredHandler<Handler> = {
      ...registration,
      priority: registration.priority ?? row.defaultPriority,
      onError: registration.onError ?? 'skip',
      timeoutMs: registration.timeoutMs ?? row.deadlineMs,
      authorship: registration.authorship ?? 'handler',
    };
    const direction = row.order === 'lowest-first' ? 1 : -1;
    // A stable sort keeps registration order among equals.
    const ordered = [...handlers, registered].sort((a, b) => direction * (a.priority - b.priority));
    this.#handlers.set(registration.hook, ordered);
    return () => this.#remove(registration.hook, registered);
  }

  unregister(hook: HookName, id: string): boolean {
    const registered = this.list(hook).find((handler) => handler.id === id);
    if (!registered) return false;
    this.#remove(hook, registered);
    return true;
  }

  /** In calling order. The array never changes under a caller that iterates over it. */
  list(hook: HookName): readonly RegisteredHandler<Handler>[] {
    return this.#handlers.get(hook) ?? [];
  }

  /** A runner with the same handlers that goes its own way from here. */
  fork(): HookRunner<Handler> {
    const fork = new HookRunner<Handler>();
    for (const [hook, handlers] of this.#handlers) fork.#handlers.set(hook, handlers);
    return fork;
  }

  /** Lets each handler work on the value that the one before it left. */
  async chain<Value>(
    hook: HookName,
    initial: Value,
    invoke: (handler: RegisteredHandler<Handler>, value: Value, deadline: Deadline) => Value | Promise<Value>,
  ): Promise<{ value: Value; calls: HandlerCall[] }> {
    let value = initial;
    const calls: HandlerCall[] = [];
    for (const handler of this.list(hook)) {
      const deadline = new Deadline(handler.timeoutMs);
      const { id, owner } = handler;
      try {
        const answer = await deadline.race(invoke(handler, value, deadline));
        deadline.check();
        value = answer;
        calls.push({ hook, id, owner, ms: deadline.elapsedMs, outcome: 'done' });
      } catch (error) {
        const message = messageOf(error);
        calls.push({ hook, id, owner, ms: deadline.elapsedMs, outcome: outcomeOf(error), error: message });
        if (handler.onError === 'abort') throw new HandlerAbortError(hook, id, message, { cause: error });
      } finally {
        deadline.close();
      }
    }
    return { value, calls };
  }

  #remove(hook: HookName, registered: RegisteredHandler<Handler>): void {
    this.#handlers.set(
      hook,
      this.list(hook).filter((handler) => handler !== registered),
    );
  }
}

/** Registrations come from programs and configuration, so their types are claims. */
function problemOf({ id, handler, priority, timeoutMs }: HandlerRegistration<unknown>): string | undefined {
  if (typeof id !== 'string' || id.trim() === '') return 'its id must be a text that is not blank';
  if (typeof handler !== 'function') return 'its handler must be a function';
  if (priority !== undefined && !Number.isFinite(priority)) return 'its priority must be a number';
  if (timeoutMs !== undefined && !(timeoutMs > 0)) return 'its timeoutMs must be a number above 0';
  return undefined;
}

/** One handler's time limit. The abort signal is made only for handlers that look at it. */
export class Deadline {
  readonly timeoutMs: number;
  readonly #started = performance.now();
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  get elapsedMs(): number {
    return performance.now() - this.#started;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort(new DeadlineExceeded(this.timeoutMs));
    return this.#controller.signal;
  }

  /** A value that is no promise is returned at once: only waiting needs a timer. */
  race<Value>(result: Value | Promise<Value>): Value | Promise<Value> {
    if (!isPromiseLike(result)) return result;
    return new Promise<Value>((resolve, reject) => {
      this.#timer = setTimeout(() => reject(this.#end()), Math.min(this.timeoutMs, LONGEST_TIMER_MS));
      // A handler that settles after its deadline settles into nothing, and is no unhandled rejection either.
      result.then(resolve, reject);
    });
  }

  /** A handler that never pauses cannot be interrupted; that it took too long counts all the same. */
  check(): void {
    if (this.elapsedMs > this.timeoutMs) throw this.#end();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #end(): DeadlineExceeded {
    this.#over = true;
    const exceeded = new DeadlineExceeded(this.timeoutMs);
    this.#controller?.abort(exceeded);
    return exceeded;
  }
}

/** Timers that are set to more than this fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

class DeadlineExceeded extends Error {
  constructor(timeoutMs: number) {
    super(`timed out after ${timeoutMs}ms`);
  }
}

function isPromiseLike<Value>(result: Value | PromiseLike<Value>): result is PromiseLike<Value> {
  if (result === null || (typeof result !== 'object' && typeof result !== 'function')) return false;
  return typeof (result as PromiseLike<Value>).then === 'function';
}

/** What a handler throws may be anything at all, and looking at it may throw again. */
function outcomeOf(error: unknown): HandlerOutcome {
  try {
    if (error instanceof DeadlineExceeded) return 'timed-out';
    return error instanceof InvalidHandlerResult ? 'invalid' : 'threw';
  } catch {
    return 'threw';
  }
}

/** One line, bounded: a handler's error text is untrusted and ends up in reports and terminals. */
function messageOf(error: unknown): string {
  let text: string;
  try {
    text = String(error instanceof Error ? error.message : error);
  } catch {
    text = 'an error that cannot be shown';
  }
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 500);
}
