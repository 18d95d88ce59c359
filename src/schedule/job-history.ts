// What happened to the slots of a job: which run each had, how it ended, and whether its answer arrived. It is read
// from the rows that the run and the outbox wrote, so it cannot contradict them.

import type { RunStatus } from '../protocol/live-event.ts';
import type { Store } from '../store/store.ts';
import type { JobSlotRow, OutboxRow } from '../store/tables.ts';

export interface JobHistoryEntry {
  readonly seq: number;
  readonly slot: number;
  readonly at: number;
  readonly how: JobSlotRow['how'];
  readonly runId: string | null;
  readonly status: 'skipped' | 'queued' | RunStatus;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly reply: string | null;
  readonly error: string | null;
  readonly delivery: JobDelivery;
}

/** `none` means that there was nothing to deliver, or no surface to deliver it to. */
export type JobDelivery = 'none' | OutboxRow['status'];

/** The latest slot is first. */
export async function readJobHistory(
  store: Store,
  jobId: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly JobHistoryEntry[]> {
  const slots = await store.select('jobSlots', {
    where: { jobId, ...(before === undefined ? {} : { seq: { lt: before } }) },
    orderBy: [['seq', 'desc']],
    limit,
  });
  const ids = slots.flatMap(({ runId }) => (runId === null ? [] : [runId]));
  if (ids.length === 0) return slots.map((slot) => entryOf(slot, undefined, []));
  const [runs, rows] = await Promise.all([
    store.select('runs', { where: { runId: { in: ids } } }),
    store.select('outbox', { where: { runId: { in: ids } } }),
  ]);
  return slots.map((slot) =>
    entryOf(
      slot,
      runs.find(({ runId }) => runId === slot.runId),
      rows.filter(({ runId }) => runId === slot.runId),
    ),
  );
}

/** Returns one word for all parts of an answer: the worst status of any of them. */
export function deliveryOf(rows: readonly Pick<OutboxRow, 'status'>[]): JobDelivery {
  return WORST_FIRST.find((status) => rows.some((row) => row.status === status)) ?? 'none';
}

const WORST_FIRST: readonly OutboxRow['status'][] = ['dead', 'failed', 'queued', 'suppressed', 'sent'];

type RunFacts = {
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: { readonly reply?: string | undefined; readonly error?: string | undefined } | null;
};

function entryOf(
  { seq, slot, at, how, runId }: JobSlotRow,
  run: RunFacts | undefined,
  rows: readonly OutboxRow[],
): JobHistoryEntry {
  return {
    seq,
    slot,
    at,
    how,
    runId,
    status: runId === null ? 'skipped' : (run?.status ?? 'queued'),
    startedAt: run?.startedAt ?? null,
    endedAt: run?.endedAt ?? null,
    reply: run?.outcome?.reply ?? null,
    error: run?.outcome?.error ?? null,
    delivery: deliveryOf(rows),
  };
}
