// Stops a run that waits for a person, in one commit: what it waits for is answered with `cancelled`, and the run is woken
// to end itself. An answer that the run has not used yet is overruled, and its rule is removed. Once the run has used it,
// the run is no longer suspended and nothing is cancelled. So either the call ran or it was stopped, and never both.

import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ApprovalRow } from '../../store/tables.ts';
import { wakeRun } from '../../store/wake-run.ts';
import { wakerOf } from './answer-approval.ts';

export interface Cancellation {
  readonly runId: string;
  /** Why, for people and for the run's own end. */
  readonly reason: string;
  readonly now: number;
}

/** What was cancelled; nothing when the run is not suspended. The caller tells its session's lane. */
export async function cancelApprovals(store: Store, cancellation: Cancellation): Promise<readonly ApprovalRow[]> {
  for (let tries = 1; ; tries++) {
    const approvals = await pendingOf(store, cancellation.runId);
    const first = approvals[0];
    if (!first) return [];
    try {
      return await cancel(store, approvals, first, cancellation);
    } catch (error) {
      // A person answered one of them meanwhile, or the run went on: look again.
      if (!(error instanceof PreconditionFailedError) || tries === MOST_TRIES) throw error;
    }
  }
}

/** Each retry means that another decision came in between, and a run waits for few decisions at a time. */
const MOST_TRIES = 100;

async function cancel(
  store: Store,
  approvals: readonly ApprovalRow[],
  first: ApprovalRow,
  { runId, reason, now }: Cancellation,
): Promise<readonly ApprovalRow[]> {
  const set = { status: 'answered', decision: 'cancelled', decidedAt: now, decidedBy: reason } as const;
  const isAsleep = first.status === 'waiting';
  await store.commit(
    [
      { update: 'runs', where: { runId, status: 'suspended' }, set: { status: 'suspended' }, expect: 1 },
      ...approvals.map(
        ({ id, status, decision }): Write => ({
          update: 'approvals',
          where: { id, status, decision },
          set,
          expect: 1,
        }),
      ),
      { remove: 'allowRules', where: { approvalId: { in: approvals.map(({ id }) => id) } } },
      ...(isAsleep ? await wakeRun(store, runId, wakerOf(first.id)) : []),
    ],
    { site: 'approval', waits: true },
  );
  return approvals.map((approval) => ({ ...approval, ...set }));
}

/** What a suspended run waits for; else the answers that it has not taken up. */
async function pendingOf(store: Store, runId: string): Promise<readonly ApprovalRow[]> {
  if ((await store.count('runs', { runId, status: 'suspended' })) === 0) return [];
  const rows = await store.select('approvals', {
    where: { runId, status: { not: 'void' } },
    orderBy: [['seq', 'asc']],
  });
  const waiting = rows.filter(({ status }) => status === 'waiting');
  if (waiting.length > 0) return waiting;
  const wakers = await store.select('inbox', { where: { runId, kind: 'approval', status: 'queued' } });
  const keys = new Set(wakers.map(({ dedupeKey }) => dedupeKey));
  return rows.filter(({ id, decision }) => decision !== 'cancelled' && keys.has(wakerOf(id).dedupeKey));
}
