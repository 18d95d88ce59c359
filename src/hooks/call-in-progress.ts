// One call of one handler, from the deadline that starts with it to the record that it leaves.

import type { HandlerCall } from '../protocol/handler.ts';
import { Deadline } from './deadline.ts';
import type { HandlerFailure } from './handler-failure.ts';
import type { HookCallRecord } from './hook-call-record.ts';

export interface CallSettings {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  readonly timeoutMs: number;
  readonly at: number;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly record?: ((call: HookCallRecord) => void) | undefined;
}

export class CallInProgress {
  readonly deadline: Deadline;
  readonly #settings: CallSettings;

  constructor(settings: CallSettings) {
    this.#settings = settings;
    this.deadline = new Deadline(settings.timeoutMs, settings.signal);
  }

  /** Gives the handler its event, and the shared context with a signal of its own. */
  invoke(handler: unknown, event: unknown, context: object): unknown {
    const { deadline } = this;
    const own = Object.freeze({
      ...context,
      get signal() {
        return deadline.signal;
      },
    });
    return deadline.race((handler as (event: unknown, context: unknown) => unknown)(event, own));
  }

  /** Ends in a value; `changed` names the fields of the result that are now this handler's. */
  done(changed: readonly string[]): HookCallRecord {
    return this.#end('done', undefined, changed);
  }

  failed({ outcome, error }: HandlerFailure): HookCallRecord {
    return this.#end(outcome, error, []);
  }

  aborted(): HookCallRecord {
    return this.#end('aborted', 'the caller went away', []);
  }

  #end(outcome: HookCallRecord['outcome'], error: string | undefined, changed: readonly string[]): HookCallRecord {
    const { hook, id, owner, at, runId, sessionKey, record } = this.#settings;
    const ms = this.deadline.elapsedMs;
    this.deadline.close();
    const call = { hook, id, owner, at, ms, outcome, error, changed, runId, sessionKey };
    tell(record, call);
    return call;
  }
}

/** Whatever becomes of a record, the run goes on. */
export function tell(record: CallSettings['record'], call: HookCallRecord): void {
  try {
    record?.(call);
  } catch {
    // The sink's trouble is the sink's to report.
  }
}

/** Without the time of day, so that reports of equal compositions stay equal. */
export function summaryOf({ hook, id, owner, ms, outcome, error }: HookCallRecord): HandlerCall {
  const settled = outcome === 'aborted' || outcome === 'dropped' ? 'threw' : outcome;
  return { hook, id, owner, ms, outcome: settled, ...(error === undefined ? {} : { error }) };
}
