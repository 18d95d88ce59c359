// The trigger that lets a suspended run go on with what it was started by. It is a row of data, so that the caller can
// commit it together with the reason: an answer, a result that arrived, or a time that is over.

import type { Store, Write } from './store.ts';
import type { InboxRow, TriggerKind, TriggerPayload } from './tables.ts';

export interface Waker {
  readonly kind: Extract<TriggerKind, 'approval' | 'wake' | 'client'>;
  /** The same reason wakes a run once. */
  readonly dedupeKey: string;
  /** What it was woken with, as a hash, for a client that may bring it again. */
  readonly fingerprint?: string | null | undefined;
  /** What the run was started by, as it counts from now on. Without it, the run goes on with what it was started by. */
  readonly renew?:
    | ((payload: TriggerPayload) => { readonly payload: TriggerPayload; readonly acceptedAt: number })
    | undefined;
}

/** Nothing when the run is over. The caller tells the lane after its commit. */
export async function wakeRun(
  store: Store,
  runId: string,
  { kind, dedupeKey, fingerprint = null, renew }: Waker,
): Promise<readonly Write[]> {
  const rows = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  const origin: InboxRow | undefined = rows[0];
  if (!origin?.payload || origin.status === 'done' || origin.status === 'dead') return [];
  // It has the age of what it resumes, because a client of an earlier process no longer waits.
  const { payload, acceptedAt } = renew?.(origin.payload) ?? origin;
  return [
    {
      insert: 'inbox',
      row: {
        runId,
        sessionKey: origin.sessionKey,
        kind,
        dedupeKey,
        fingerprint,
        payload: { ...(payload ?? origin.payload), resumes: origin.payload.resumes ?? origin.kind },
        acceptedAt,
        status: 'queued',
      },
    },
  ];
}
