// Decides which old rows of ended work are removed, and makes the writes. What is still owed is never removed: rows of
// runs that go on, of answers that were not sent, of dead letters, of sessions that are open. A message
// can still be recognised as a duplicate for DEDUPE_MS, and what a month has cost can still be summed up.
//
// Each plan is one step over a page of rows, the oldest first, for one commit at the site `prune`. The caller goes on at
// `next`.

import { planForgetWords } from '../store/plan-forget-words.ts';
import type { Store, Where, Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { batchesOf } from './capture.ts';

export const PRUNABLE_ROWS = ['transcripts', 'messages', 'hook-records', 'usage', 'approvals'] as const;
export type PrunableRows = (typeof PRUNABLE_ROWS)[number];

export interface RowsRequest {
  /** Rows that were settled before this time are removed. */
  readonly before: number;
  readonly now: number;
  /** With it, only as many of them as free so many bytes. */
  readonly bytesToFree?: number | undefined;
  /** Where the plan before this one has ended. */
  readonly after?: number | undefined;
}

export interface RowsPlan {
  /** Empty when nothing of this page is removed. */
  readonly writes: readonly Write[];
  readonly rows: number;
  /** How many bytes they take; 0 unless `bytesToFree` was given. */
  readonly bytes: number;
  /** Undefined when every row was looked at, or enough is freed. */
  readonly next: number | undefined;
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
  'hook-records': (store, request) => planByTime(store, 'hookRecords', request),
  usage: (store, request) =>
    planByTime(store, 'usage', { ...request, before: Math.min(request.before, request.now - USAGE_MS) }),
  approvals: planApprovals,
};

/** Rows that nothing refers to. By age alone, all of them go at once. */
async function planByTime(store: Store, table: 'hookRecords' | 'usage', request: RowsRequest): Promise<RowsPlan> {
  const { before, after = 0, bytesToFree } = request;
  const at = { lt: before };
  if (bytesToFree === undefined) {
    const rows = await store.count(table, { at });
    return { writes: rows === 0 ? [] : [{ remove: table, where: { at } }], rows, bytes: 0, next: undefined };
  }
  const page = await store.select(table, {
    where: { seq: { gt: after }, at },
    orderBy: [['seq', 'asc']],
    limit: PAGE_ROWS,
  });
  const seqs = page.map(({ seq }) => seq);
  const { taken, bytes, isEnough } = await take(seqs, bytesToFree, (some) =>
    store.measure(table, { seq: { in: some } }),
  );
  const writes: readonly Write[] = taken.length === 0 ? [] : [{ remove: table, where: { seq: { in: taken } } }];
  return { writes, rows: taken.length, bytes, next: isEnough ? undefined : nextOf(page, page.at(-1)?.seq) };
}

/** What was said in sessions that have ended. Their rows stay, so that references to them still resolve. */
async function planTranscripts(store: Store, { before, after = -1, bytesToFree }: RowsRequest): Promise<RowsPlan> {
  const { sessions, next } = await endedSessions(store, before, after);
  const busy = new Set((await openRuns(store)).map(({ sessionId }) => sessionId));
  const ended = sessions
    .filter(({ sessionId, endToTell }) => !endToTell && !busy.has(sessionId))
    .map(({ sessionId }) => sessionId);
  const of = (ids: readonly string[]): Where<'transcript'> => ({ sessionId: { in: ids } });
  const { taken, bytes, isEnough } = await take(ended, bytesToFree, (ids) => store.measure('transcript', of(ids)));
  const rows = taken.length === 0 ? 0 : await store.count('transcript', of(taken));
  const writes: readonly Write[] =
    rows === 0 ? [] : [{ remove: 'transcript', where: of(taken) }, ...planForgetWords({ sessionId: { in: taken } })];
  return { writes, rows, bytes, next: isEnough ? undefined : next };
}

/** A page by the time of the end. Sessions that ended at the same moment are on the same page. */
async function endedSessions(
  store: Store,
  before: number,
  after: number,
): Promise<{ readonly sessions: readonly SessionRow[]; readonly next: number | undefined }> {
  const found = await store.select('sessions', {
    where: { endedAt: { gt: after } },
    orderBy: [['endedAt', 'asc']],
    limit: PAGE_ROWS,
  });
  const end = found.at(-1)?.endedAt ?? null;
  const isLast = found.length < PAGE_ROWS || end === null || end >= before;
  const page = isLast
    ? found
    : [
        ...found.filter(({ endedAt }) => endedAt !== end),
        ...(await store.select('sessions', { where: { endedAt: end } })),
      ];
  return {
    sessions: page.filter(({ endedAt }) => endedAt !== null && endedAt < before),
    next: isLast ? undefined : end,
  };
}

/** What ended runs came from, how they went step by step, and the answers that were sent. */
async function planMessages(store: Store, { before, now, after = 0, bytesToFree }: RowsRequest): Promise<RowsPlan> {
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
  const { taken, bytes, isEnough } = await take(settled, bytesToFree, async (some) => {
    const runId = { in: some };
    const [inbox, outbox, journal] = await Promise.all([
      store.measure('inbox', { runId, status, acceptedAt }),
      store.measure('outbox', { runId }),
      store.measure('journal', { runId }),
    ]);
    return inbox + outbox + journal;
  });
  const writes = batchesOf(taken).flatMap((batch): readonly Write[] => {
    const runId = { in: batch };
    return [
      { remove: 'inbox', where: { runId, status, acceptedAt } },
      { remove: 'outbox', where: { runId, status: { in: ['sent', 'suppressed'] } } },
      { remove: 'journal', where: { runId } },
    ];
  });
  const removed = new Set(taken);
  const rows = page.filter(({ runId }) => removed.has(runId)).length;
  return { writes, rows, bytes, next: isEnough ? undefined : nextOf(page, page.at(-1)?.seq) };
}

async function planApprovals(store: Store, { before, after = 0, bytesToFree }: RowsRequest): Promise<RowsPlan> {
  const page = await store.select('approvals', {
    where: { seq: { gt: after }, status: { in: ['answered', 'void'] }, createdAt: { lt: before } },
    orderBy: [['seq', 'asc']],
    limit: PAGE_ROWS,
  });
  // A run that goes on may still look for its answer.
  const open = new Set((await openRuns(store)).map(({ runId }) => runId));
  const settled = page.filter(({ runId }) => !open.has(runId)).map(({ id }) => id);
  const { taken, bytes, isEnough } = await take(settled, bytesToFree, (ids) =>
    store.measure('approvals', { id: { in: ids } }),
  );
  const writes: readonly Write[] = taken.length === 0 ? [] : [{ remove: 'approvals', where: { id: { in: taken } } }];
  return { writes, rows: taken.length, bytes, next: isEnough ? undefined : nextOf(page, page.at(-1)?.seq) };
}

interface Taken<Key> {
  readonly taken: readonly Key[];
  readonly bytes: number;
  readonly isEnough: boolean;
}

/** The first of these that free enough together; all of them when no size is asked for. */
async function take<Key>(
  keys: readonly Key[],
  bytesToFree: number | undefined,
  measure: (keys: readonly Key[]) => Promise<number>,
): Promise<Taken<Key>> {
  if (bytesToFree === undefined || keys.length === 0) return { taken: keys, bytes: 0, isEnough: false };
  const all = await measure(keys);
  if (all < bytesToFree) return { taken: keys, bytes: all, isEnough: false };
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    bytes += await measure([key]);
    if (bytes >= bytesToFree) return { taken: keys.slice(0, index + 1), bytes, isEnough: true };
  }
  return { taken: keys, bytes, isEnough: true };
}

function openRuns(store: Store) {
  return store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
}

function nextOf<Key>(page: readonly unknown[], last: Key | undefined): Key | undefined {
  return page.length < PAGE_ROWS ? undefined : last;
}
