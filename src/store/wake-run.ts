// The trigger that lets a suspended run go on with what it was started by. It is a row of data, so that the caller can
// commit it together with the reason: an answer, a result that arrived, or a time that is over.

import type { Store, Write } from './store.ts';
import type { InboxRow, TriggerKind } from './tables.ts';

export interface Waker {
  readonly kind: Extract<TriggerKind, 'approval' | 'wake'>;
  /** The same reason wakes a run once. */
  readonly dedupeKey: string;
}

/** Nothing when the run is over. The caller tells the lane after its commit. */
export async function wakeRun(store: Store, runId: string, { kind, dedupeKey }: Waker): Promise<readonly Write[]> {
  const rows = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  const origin: InboxRow | undefined = rows[0];
  if (!origin?.payload || origin.status === 'done' || origin.status === 'dead') return [];
  return [
    {
      insert: 'inbox',
      row: {
        runId,
        sessionKey: origin.sessionKey,
        kind,
        dedupeKey,
        fingerprint: null,
        payload: { ...origin.payload, resumes: origin.payload.resumes ?? origin.kind },
        // It has the age of what it resumes, because a client of an earlier process no longer waits.
        acceptedAt: origin.acceptedAt,
        status: 'queued',
      },
    },
  ];
}
