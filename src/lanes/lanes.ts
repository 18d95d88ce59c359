// The Lanes contract: which trigger may run next. A lane is the FIFO of one session key, read from the inbox; one run
// at a time holds it, and different keys run side by side up to a limit.
//
// Errors: a handler that rejects has left its run unfinished; the lane claims the same trigger again, after a pause
// that grows. A trigger claimed `MAX_CLAIMS` times without progress is handed to `giveUp` instead.
// Rules: triggers of one key are claimed in the order of their `seq`; the next one only after the handler of the one
// before it has settled. A claim is committed before the handler's own first commit can be. A run that suspends itself
// leaves its trigger `claimed` and resolves: its lane stays shut, without a slot, until a trigger with the same run id
// is queued, for any reason, which then goes first. A handler that resolves with its run still `running` counts as one that
// rejected. Triggers that wait directly one behind the other and that the work wants to have together are claimed in one
// commit and get the run id of the first: they are one run from then on, also after a crash.
// When it fires: `open` first takes up what a dead process left `claimed`, then what is `queued`; `wake` says that a
// row was committed for a key. `close` claims nothing more and waits for running handlers up to its budget, then aborts
// them.

import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { InboxRow, TriggerKind } from '../store/tables.ts';

export interface Lanes {
  open(work: LaneWork): Promise<void>;
  wake(sessionKey: string): void;
  /**
   * Aborts the run that holds this key's lane with a RunStoppedError, on whatever node it is. False when there is none, or
   * it is suspended, or it is another one than `runId`.
   */
  stop(sessionKey: string, reason: string, runId?: string): Promise<boolean>;
  /**
   * When it resolves, no run of this key begins, on any node, until the function that is returned has been called. A run that
   * has begun, also a suspended one, goes on. Several callers may hold one key.
   */
  hold(sessionKey: string): Promise<() => void>;
  /** Changes how many keys may run at once on this node, and how many of those with slots of their own. Runs that go on are not stopped. */
  resize(limit: number, asideLimit: number): void;
  /** What runs on this node. */
  readonly running: readonly RunningLane[];
  /** Returns the number of waiting triggers over all lanes. */
  waiting(): Promise<number>;
  close(budgetMs: number): Promise<void>;
}

export interface LaneWork {
  /**
   * Runs one trigger to its end. It must obey the signal, whose reason says why: a RunStoppedError ends the run for
   * good; any other reason (a RunInterruptedError, a claim that could not be committed) leaves the run to be claimed
   * again.
   */
  run(claimed: ClaimedTrigger): Promise<void>;
  /** Turns a trigger that made no progress into a visible failure. */
  giveUp(claimed: ClaimedTrigger): Promise<void>;
  /** Ends a suspended run that another node has asked to stop. Without it such a run stays suspended. */
  cancel?(runId: string, reason: string): Promise<unknown>;
  /** Without it every trigger is a run of its own. */
  readonly joining?: Joining | undefined;
}

/**
 * Which triggers one run handles together. The lane hands over the first one; the others have its run id in the inbox.
 */
export interface Joining {
  /** Only behind a trigger of this kind does the lane look for others. */
  readonly kind: TriggerKind;
  /** The most triggers that become one run. */
  readonly limit: number;
  /** Whether `next`, which waits directly behind those that were taken, is handled with them. */
  takes(taken: readonly InboxRow[], next: InboxRow): boolean;
}

export interface RunningLane {
  readonly sessionKey: string;
  readonly runId: string;
  readonly since: number;
}

/** A run claimed this often without progress becomes a visible failure and a dead letter. */
export const MAX_CLAIMS = 3;
