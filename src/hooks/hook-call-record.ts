// What is written down about one call of one handler. Trajectories, the console and `atrium hooks status` read these;
// nothing decides by them.

import type { HandlerOutcome } from '../protocol/handler.ts';
import type { FieldChange } from './field-change.ts';

/**
 * `aborted`: the caller went away first. The other three were not called at all. `dropped`: an observer was too far
 * behind. `skipped`: the handlers of the run had used up their time. `suspended`: it timed out too often, or its plugin
 * was stopped; said once, and each time where it closes a gate.
 */
export type HookOutcome = HandlerOutcome | 'aborted' | 'dropped' | 'skipped' | 'suspended';

export interface HookCallRecord {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  readonly outcome: HookOutcome;
  /** One line, bounded, in the handler's own words where it threw. */
  readonly error?: string | undefined;
  /** The fields of the combined result that this handler changed. */
  readonly changed: readonly string[];
  /**
   * What it changed them from and to, worked out when it is asked for. It holds what people said, so it is not to be kept
   * before the run's gate has passed.
   */
  readonly diff?: (() => readonly FieldChange[]) | undefined;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
}
