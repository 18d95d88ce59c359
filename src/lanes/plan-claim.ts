// The commit with which a lane takes a trigger: the run begins, or begins again under a higher claim, and the trigger
// is marked as claimed. Triggers that are handled together with it are claimed in the same commit and get its run id.
// Because of its preconditions, only one of two simultaneous claims succeeds.

import { resolveAgentIdFromSessionKey } from '../protocol/session-key.ts';
import type { Claim, Write } from '../store/store.ts';
import type { InboxRow, RunRow } from '../store/tables.ts';
import { MAX_CLAIMS } from './lanes.ts';

export interface PlannedClaim {
  readonly claim: Claim;
  readonly writes: readonly Write[];
  /** The run was claimed too often without progress, so this claim only serves to end it. */
  readonly isLast: boolean;
}

export interface ClaimCircumstances {
  /** The claim before this one failed for a reason outside of the run, so it does not count. */
  readonly isForgiven?: boolean | undefined;
  readonly joined?: readonly InboxRow[] | undefined;
  /** The member of the cluster that claims; null where there is one gateway alone. */
  readonly node?: string | null | undefined;
  /** Further preconditions. */
  readonly guards?: readonly Write[] | undefined;
}

export function planClaim(
  trigger: InboxRow,
  run: RunRow | undefined,
  now: number,
  { isForgiven = false, joined = [], node = null, guards = [] }: ClaimCircumstances = {},
): PlannedClaim {
  const { seq, runId, status } = trigger;
  const claim = (run?.claim ?? 0) + 1;
  const progressClaim = Math.min((run?.progressClaim ?? 0) + (isForgiven ? 1 : 0), run?.claim ?? 0);
  const take: Write = { update: 'inbox', where: { seq, status }, set: { status: 'claimed' }, expect: 1 };
  const begin: Write = run
    ? {
        update: 'runs',
        where: { runId, claim: run.claim, status: run.status },
        set: { claim, progressClaim, status: 'running', node },
        expect: 1,
      }
    : { insert: 'runs', row: newRun(trigger, now, node) };
  return {
    claim: { runId, claim },
    writes: [...guards, begin, take, ...joined.map((row) => join(row, runId))],
    isLast: claim - progressClaim > MAX_CLAIMS,
  };
}

function join({ seq, status }: InboxRow, runId: string): Write {
  return { update: 'inbox', where: { seq, status }, set: { status: 'claimed', runId }, expect: 1 };
}

function newRun({ runId, sessionKey, payload }: InboxRow, now: number, node: string | null): RunRow {
  return {
    runId,
    sessionKey,
    agentId: payload?.agentId ?? resolveAgentIdFromSessionKey(sessionKey),
    sessionId: null,
    status: 'running',
    claim: 1,
    progressClaim: 0,
    startedAt: now,
    endedAt: null,
    outcome: null,
    observed: false,
    node,
    stopReason: null,
  };
}
