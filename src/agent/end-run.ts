// The last commit of a run for every kind of end, and the telling that follows it. The journal is removed with it: a
// run that is over needs no recovery.

import type { RunStatus } from '../protocol/live-event.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import type { Write } from '../store/store.ts';
import type { InboxRow, RunOutcome } from '../store/tables.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
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
  await run.ledger.commit(end.site, [
    ...end.writes,
    { update: 'runs', where: { runId }, set: { status, outcome, endedAt: parts.now(), observed: isObserved } },
    { update: 'inbox', where: { runId }, set: { status: 'done', ...end.trigger } },
    { remove: 'journal', where: { runId } },
  ]);
  const { reply, error, errorCode, usage = NO_USAGE } = outcome;
  // This is told before anything is delivered, so that a client which waits for the answer does not wait for the
  // receipt too.
  const ms = parts.now() - run.startedAt;
  void parts.tell('run-ended', { runId, sessionKey, status, reply, error, errorCode, usage, ms });
  parts.delivery.wake();
  if (!isObserved) {
    const { sessionId } = run.session;
    void tellAgentEnd(
      parts,
      {
        runId,
        sessionId,
        status,
        error,
        durationMs: parts.now() - run.startedAt,
        ...(run.isRecovered ? { recovered: true } : {}),
      },
      run.context,
    );
  }
}
