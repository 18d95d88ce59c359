// The record of one call of one handler. Trajectories, the console and `atrium hooks status` read these records; no
// decision depends on them.

import type { HandlerOutcome } from '../protocol/handler.ts';
import type { FieldChange } from './field-change.ts';

/**
 * `aborted`: the caller was stopped first. With the other three outcomes the handler was not called at all. `dropped`:
 * an observer was too far behind. `skipped`: the handlers of the run had used up their time. `suspended`: the handler
 * timed out too often, or its plugin was stopped; this is recorded once, and additionally each time that it makes a
 * gate refuse.
 */
export type HookOutcome = HandlerOutcome | 'aborted' | 'dropped' | 'skipped' | 'suspended';

export interface HookCallRecord {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  /** The start of the call, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly outcome: HookOutcome;
  /** One line of bounded length; when the handler threw, it is the handler's own text. */
  readonly error?: string | undefined;
  /** The error repeats nothing that somebody said, so it may be shown although a gate has not passed the run. */
  readonly isOwnWords?: boolean | undefined;
  /** The fields of the combined result that this handler changed. */
  readonly changed: readonly string[];
  /** A failure of this handler refuses. */
  readonly isGate?: boolean | undefined;
  /**
   * The old and new values of those fields, computed when a reader asks. They contain what people said, so they must
   * not be stored before the run's gate has passed.
   */
  readonly diff?: (() => readonly FieldChange[]) | undefined;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
}
