// A trigger that a lane handed over, with the right to write for its run.

import type { Claim } from './store.ts';
import type { InboxRow } from './tables.ts';

export interface ClaimedTrigger {
  readonly trigger: InboxRow;
  readonly claim: Claim;
  /** 1 for the first claim; higher when an earlier one was cut short. Drafts carry it. */
  readonly attempt: number;
  /** When it was claimed, which is when its run began if this is the first claim. */
  readonly claimedAt: number;
  readonly signal: AbortSignal;
  /** Says that the run has begun and waits for others from now on, first of all for a model. */
  begun(): void;
}
