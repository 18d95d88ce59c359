// One call of one handler. Its deadline starts with the call, and the call leaves one record when it ends.

import type { HandlerCall } from '../protocol/handler.ts';
import { Deadline } from './deadline.ts';
import type { DeadlineTimer } from './deadline-timer.ts';
import type { HandlerFailure } from './handler-failure.ts';
import type { HookCallRecord } from './hook-call-record.ts';

export interface CallSettings {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  /** The handler's own deadline, or what is left of the run's budget if that is less. */
  readonly limitMs: number;
  readonly timer: DeadlineTimer;
  readonly at: number;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A failure of this handler refuses. */
  readonly isGate?: boolean | undefined;
  /** Whether others keep the handler from beginning right now. */
  readonly isHeldUp?: (() => boolean) | undefined;
  readonly record?: ((call: HookCallRecord) => void) | undefined;
}

export class CallInProgress {
  readonly deadline: Deadline;
  readonly #settings: CallSettings;
  #ms: number | undefined;

  constructor(settings: CallSettings) {
    this.#settings = settings;
    this.deadline = new Deadline(settings.limitMs, settings.timer, settings.signal, settings.isHeldUp);
  }

  /** Calls the handler. Returns its answer if that is a plain value, else a promise that rejects at the deadline. */
  invoke(handler: unknown, event: unknown, context: object): unknown {
    return this.deadline.race((handler as (event: unknown, context: unknown) => unknown)(event, context));
  }

  /**
   * Must be called as soon as the handler has settled; throws when the deadline has passed. `ms` is the duration, where
   * another thread has measured it.
   */
  settled(ms?: number): void {
    this.#ms = this.deadline.check(ms);
  }

  /** Records that the call gave a value. `changed` names the fields of the result that this handler has set. */
  done(changed: readonly string[], diff?: HookCallRecord['diff']): HookCallRecord {
    return this.#end('done', undefined, changed, diff);
  }

  failed({ outcome, error, isOwnWords }: HandlerFailure): HookCallRecord {
    return this.#end(outcome, error, NOTHING, undefined, isOwnWords);
  }

  aborted(): HookCallRecord {
    return this.#end('aborted', 'the caller went away', NOTHING);
  }

  #end(
    outcome: HookCallRecord['outcome'],
    error: string | undefined,
    changed: readonly string[],
    diff?: HookCallRecord['diff'],
    isOwnWords?: boolean,
  ): HookCallRecord {
    const { hook, id, owner, at, isGate, runId, sessionKey, record } = this.#settings;
    const ms = this.#ms ?? this.deadline.elapsedMs;
    this.deadline.close();
    const call = { hook, id, owner, at, ms, outcome, error, isOwnWords, changed, isGate, diff, runId, sessionKey };
    tell(record, call);
    return call;
  }
}

const NOTHING: readonly string[] = Object.freeze([]);

/** An error in the record sink does not reach the run. */
export function tell(record: CallSettings['record'], call: HookCallRecord): void {
  try {
    record?.(call);
  } catch {
    // The sink reports its own errors.
  }
}

/** The summary leaves the time of day out, so that reports of equal compositions are equal. */
export function summaryOf({ hook, id, owner, ms, outcome, error }: HookCallRecord): HandlerCall {
  const settled = isSettled(outcome) ? outcome : 'threw';
  return { hook, id, owner, ms, outcome: settled, ...(error === undefined ? {} : { error }) };
}

function isSettled(outcome: HookCallRecord['outcome']): outcome is HandlerCall['outcome'] {
  return outcome === 'done' || outcome === 'threw' || outcome === 'timed-out' || outcome === 'invalid';
}
