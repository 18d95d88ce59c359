// The last commit of a run for every kind of end, and the telling that follows it. The journal is removed with it: a
// run that is over needs no recovery.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { RunStoppedError } from '../protocol/errors.ts';
import type { RunStatus } from '../protocol/live-event.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import { SESSION_RESET } from '../sessions/sessions.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Write } from '../store/store.ts';
import type { InboxRow, RunOutcome } from '../store/tables.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
import { tellNearLimitsAfter } from './spend/tell-near-limits.ts';
import { type PlannedChildEnd, planChildEndOfRun } from './subagents/end-child.ts';
import { findChild } from './subagents/find-child.ts';
import { tellAgentEnd } from './tell-agent-end.ts';

export interface RunEnd {
  readonly site: CommitSite;
  readonly status: Exclude<RunStatus, 'running' | 'suspended'>;
  readonly outcome: RunOutcome;
  readonly writes: readonly Write[];
  /** The changes to the trigger; the payload of a blocked one is removed. */
  readonly trigger?: Partial<InboxRow> | undefined;
}

export async function endRun(parts: RunParts, run: OpenRun, end: RunEnd): Promise<void> {
  const { runId, sessionKey } = run;
  const { status, outcome } = end;
  const isObserved = !parts.hooks.has('agent_end');
  const childEnd = await commitWithChildEnd(parts, run, end, [
    ...end.writes,
    { update: 'runs', where: { runId }, set: { status, outcome, endedAt: parts.now(), observed: isObserved } },
    { update: 'inbox', where: { runId }, set: { status: 'done', ...end.trigger } },
    { remove: 'journal', where: { runId } },
    ...run.spending.close(),
  ]);
  if (run.attempt === 1) parts.noteEnd({ runId, status, outcome, startedAt: run.claimedAt });
  const observed = isObserved ? undefined : parts.hooks.expectObservation();
  void tellNearLimitsAfter(parts, run);
  const { reply, error, errorCode, usage = NO_USAGE } = outcome;
  // This is told before anything is delivered, so that a client which waits for the answer does not wait for the
  // receipt too.
  const ms = parts.now() - run.startedAt;
  void parts.tell('run-ended', { runId, sessionKey, status, reply, error, errorCode, usage, ms });
  childEnd.tell();
  parts.delivery.wake();
  if (observed) {
    const { sessionId } = run.session;
    const recovered = run.isRecovered ? { recovered: true } : {};
    // A client that waits gets its answer first: telling many observers of a long conversation takes a while.
    await nextTurn();
    void tellAgentEnd(parts, { runId, sessionId, status, error, durationMs: ms, ...recovered }, run.context).finally(
      observed,
    );
  }
}

/**
 * The run may be the last one of a child, which then ends in the same commit. Whether it is the last one may change in
 * between, for example because a person stops the child; then it is decided again.
 */
async function commitWithChildEnd(
  parts: RunParts,
  run: OpenRun,
  { site, status, outcome }: RunEnd,
  writes: readonly Write[],
): Promise<PlannedChildEnd> {
  const { runId, sessionKey, ledger, results } = run;
  const usage = ledger.attached.flatMap((write) => ('insert' in write && write.insert === 'usage' ? [write.row] : []));
  for (let tries = 1; ; tries++) {
    const childEnd = await planChildEndOfRun(parts, {
      ...{ runId, sessionKey, results, status, usage },
      sessionId: run.session.sessionId,
      reply: outcome.reply,
      error: outcome.error,
      errorCode: outcome.errorCode,
      hasReset: run.said.work?.kind === 'new-session',
      isToldAgain: isCutByReset(run),
    });
    try {
      await ledger.commit(site, [...writes, ...childEnd.writes]);
      return childEnd;
    } catch (error) {
      const isMeanwhileOver =
        childEnd.child !== undefined && (await findChild(parts.store, sessionKey))?.endedAt !== null;
      const hasChanged = error instanceof PreconditionFailedError && (childEnd.isGuarded || isMeanwhileOver);
      if (!hasChanged || tries === 3) throw error;
    }
  }
}

/** The session was reset while the run dealt with results of children, which are then told in the new session. */
function isCutByReset({ results, signal }: OpenRun): boolean {
  const { reason } = signal;
  return results.length > 0 && reason instanceof RunStoppedError && reason.reason === SESSION_RESET;
}
