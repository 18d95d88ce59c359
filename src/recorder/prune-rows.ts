// Decides which old rows of ended work are removed, and makes the writes. What is still owed is never removed: rows of
// runs that go on, of answers that were not sent, of dead letters. A message
// can still be recognised as a duplicate for DEDUPE_MS, and what a month has cost can still be summed up.
//
// Each plan is one step over a page of rows, for one commit at the site `prune`. The caller goes on at `next`.

import type { Store, Write } from '../store/store.ts';
import { batchesOf } from './capture.ts';

export const PRUNABLE_ROWS = ['transcripts', 'messages', 'hook-records', 'usage', 'approvals'] as const;
export type PrunableRows = (typeof PRUNABLE_ROWS)[number];

export interface RowsRequest {
  /** Rows that were settled before this time are removed. */
  readonly before: number;
  readonly now: number;
  /** Where the plan before this one has ended. */
  readonly after?: string | number | undefined;
}

export interface RowsPlan {
  /** Empty when nothing of this page is removed. */
  readonly writes: readonly Write[];
  readonly rows: number;
  /** Undefined when every row was looked at. */
  readonly next: string | number | undefined;
}

const DAY_MS = 24 * 60 * 60_000;
/** Platforms and clients send a message again within hours. A week is far beyond that. */
export const DEDUPE_MS = 7 * DAY_MS;
/** Limits on what may be spent in a month are computed from these rows. */
export const USAGE_MS = 62 * DAY_MS;
const PAGE_ROWS = 500;

export function planRows(store: Store, kind: PrunableRows, request: RowsRequest): Promise<RowsPlan> {
  return PLANS[kind](store, request);
}

type Plan = (store: Store, request: RowsRequest) => Promise<RowsPlan>;

const PLANS: Readonly<Record<PrunableRows, Plan>> = {
  transcripts: planTranscripts,
  messages: planMessages,
  'hook-records': async (store, { before }) => {
    const rows = await store.count('hookRecords', { at: { lt: before } });
    return allAtOnce(rows, { remove: 'hookRecords', where: { at: { lt: before } } });
  },
  usage: async (store, { before, now }) => {
    const at = { lt: Math.min(before, now - USAGE_MS) };
    return allAtOnce(await store.count('usage', { at }), { remove: 'usage', where: { at } });
  },
  approvals: planApprovals,
};

/** What was said in sessions that have ended. Their rows stay, so that references to them still resolve. */
async function planTranscripts(store: Store, { before, after = '' }: RowsRequest): Promise<RowsPlan> {
  const page = await store.select('sessions', {
    where: { sessionId: { gt: after }, endedAt: { lt: before }, endToTell: false },
    orderBy: [['sessionId', 'asc']],
    limit: PAGE_ROWS,
  });
  const open = await openRuns(store);
  const busy = new Set(open.map(({ sessionId }) => sessionId));
  const ended = page.map(({ sessionId }) => sessionId).filter((sessionId) => !busy.has(sessionId));
  const sessionId = { in: ended };
  const rows = ended.length === 0 ? 0 : await store.count('transcript', { sessionId });
  const writes: readonly Write[] = rows === 0 ? [] : [{ remove: 'transcript', where: { sessionId } }];
  return { writes, rows, next: nextOf(page, page.at(-1)?.sessionId) };
}

/** What ended runs came from, how they went step by step, and the answers that were sent. */
async function planMessages(store: Store, { before, now, after = 0 }: RowsRequest): Promise<RowsPlan> {
  const acceptedAt = { lt: Math.min(before, now - DEDUPE_MS) };
  const status = { in: ['done', 'dead'] };
  const page = await store.select('inbox', {
    where: { seq: { gt: after }, status, acceptedAt },
    orderBy: [['seq', 'asc']],
    limit: PAGE_ROWS,
  });
  const runIds = [...new Set(page.map(({ runId }) => runId))];
  const owed = new Set((await openRuns(store)).map(({ runId }) => runId));
  for (const batch of batchesOf(runIds)) {
    const runId = { in: batch };
    const rows = [
      ...(await store.select('runs', { where: { runId, observed: false } })),
      ...(await store.select('deadLetters', { where: { runId } })),
      ...(await store.select('inbox', { where: { runId, status: { in: ['queued', 'claimed'] } } })),
      ...(await store.select('outbox', { where: { runId, status: { in: ['queued', 'failed', 'dead'] } } })),
    ];
    for (const row of rows) owed.add(row.runId);
  }
  const settled = runIds.filter((runId) => !owed.has(runId));
  const writes = batchesOf(settled).flatMap((batch): readonly Write[] => {
    const runId = { in: batch };
    return [
      { remove: 'inbox', where: { runId, status, acceptedAt } },
      { remove: 'outbox', where: { runId, status: { in: ['sent', 'suppressed'] } } },
      { remove: 'journal', where: { runId } },
    ];
  });
  const removed = new Set(settled);
  const rows = page.filter(({ runId }) => removed.has(runId)).length;
  return { writes, rows, next: nextOf(page, page.at(-1)?.seq) };
}

async function planApprovals(store: Store, { before, after = 0 }: RowsRequest): Promise<RowsPlan> {
  const page = await store.select('approvals', {
    where: { seq: { gt: after }, status: { in: ['answered', 'void'] }, createdAt: { lt: before } },
    orderBy: [['seq', 'asc']],
    limit: PAGE_ROWS,
  });
  // A run that goes on may still look for its answer.
  const open = new Set((await openRuns(store)).map(({ runId }) => runId));
  const ids = page.filter(({ runId }) => !open.has(runId)).map(({ id }) => id);
  const writes: readonly Write[] = ids.length === 0 ? [] : [{ remove: 'approvals', where: { id: { in: ids } } }];
  return { writes, rows: ids.length, next: nextOf(page, page.at(-1)?.seq) };
}

function openRuns(store: Store) {
  return store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
}

function allAtOnce(rows: number, write: Write): RowsPlan {
  return { writes: rows === 0 ? [] : [write], rows, next: undefined };
}

function nextOf<Key>(page: readonly unknown[], last: Key | undefined): Key | undefined {
  return page.length < PAGE_ROWS ? undefined : last;
}
