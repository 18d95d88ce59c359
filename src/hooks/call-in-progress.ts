// One call of one handler. Its deadline starts with the call, and the call leaves one record when it ends.

import type { HandlerCall } from '../protocol/handler.ts';
import type { ArmedHandler } from './armed-handler.ts';
import type { Deadline } from './deadline.ts';
import type { HandlerFailure } from './handler-failure.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HookContext } from './hook-context.ts';

/** Where a record goes. */
export type RecordSink = ((call: HookCallRecord) => void) | undefined;

export class CallInProgress {
  readonly deadline: Deadline;
  readonly #called: Pick<ArmedHandler, 'registered' | 'isGate'>;
  readonly #context: Pick<HookContext, 'runId' | 'sessionKey'>;
  readonly #at: number;
  readonly #record: RecordSink;
  #ms: number | undefined;

  constructor(
    called: Pick<ArmedHandler, 'registered' | 'isGate'>,
    context: Pick<HookContext, 'runId' | 'sessionKey'>,
    deadline: Deadline,
    at: number,
    record: RecordSink,
  ) {
    this.deadline = deadline;
    this.#called = called;
    this.#context = context;
    this.#at = at;
    this.#record = record;
  }

  /** Calls the handler. Returns its answer if that is a plain value, else a promise that rejects at the deadline. */
  invoke(handler: unknown, event: unknown, context: object): unknown {
    return this.deadline.race((handler as (event: unknown, context: unknown) => unknown)(event, context));
  }

  /**
   * Must be called as soon as the handler has settled; throws when the deadline has passed. `ms` is the duration, where
   * another thread has measured it. Gives the time by `performance.now()`, where it was read.
   */
  settled(ms?: number): number | undefined {
    const now = ms === undefined ? performance.now() : undefined;
    this.#ms = this.deadline.check(ms ?? (now === undefined ? undefined : now - this.deadline.startedAt));
    return now;
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
    const { registered, isGate } = this.#called;
    const { hook, id, owner } = registered;
    const { runId, sessionKey } = this.#context;
    const at = this.#at;
    const ms = this.#ms ?? this.deadline.elapsedMs;
    this.deadline.close();
    const call = { hook, id, owner, at, ms, outcome, error, isOwnWords, changed, isGate, diff, runId, sessionKey };
    tell(this.#record, call);
    return call;
  }
}

const NOTHING: readonly string[] = Object.freeze([]);

/** An error in the record sink does not reach the run. */
export function tell(record: RecordSink, call: HookCallRecord): void {
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
