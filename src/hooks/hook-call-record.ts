// What is written down about one call of one handler. Trajectories, the console and `atrium hooks status` read these;
// nothing decides by them.

import type { HandlerOutcome } from '../protocol/handler.ts';

/** `aborted`: the caller went away first. `dropped`: an observer was so far behind that it was not told. */
export type HookOutcome = HandlerOutcome | 'aborted' | 'dropped';

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
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
}
