// Plans a branch: a new session of the same agent whose transcript begins with a copy of what was said in another one, up
// to a run. The copy keeps the positions, the runs and the exact messages, so the next request of the branch has the same
// history as a request there would have had. The other session is not changed. This file only plans writes.

import type { Surface } from '../protocol/inbound.ts';
import { newId } from '../protocol/new-id.ts';
import { planIndexing } from '../store/plan-indexing.ts';
import type { Write } from '../store/store.ts';
import type { AttachmentRow, SessionRow, TranscriptRow } from '../store/tables.ts';
import { sessionModelOf, withSessionModel } from './session-model.ts';

/** Where a branch begins: behind a run, before one, or at the end of what was said. */
export type BranchPoint = { readonly through: string } | { readonly before: string } | undefined;

export interface BranchSource {
  readonly origin: SessionRow;
  /** The whole transcript of the origin, in order. */
  readonly entries: readonly TranscriptRow[];
  /** The files that the origin's messages name. */
  readonly files: readonly AttachmentRow[];
  /** The runs of the origin that are not over. What they have said so far is not copied. */
  readonly openRunIds: ReadonlySet<string>;
}

export interface Branch {
  readonly sessionKey: string;
  readonly surface: Surface;
  readonly title: string | null;
  readonly now: number;
}

/** The entries that a branch begins with; undefined when it cannot begin there. */
export function entriesOfBranch(
  { entries, openRunIds }: Pick<BranchSource, 'entries' | 'openRunIds'>,
  point: BranchPoint,
): readonly TranscriptRow[] | undefined {
  const over = entries.filter(({ runId }) => !openRunIds.has(runId));
  if (point === undefined) return over;
  const runId = 'through' in point ? point.through : point.before;
  if ('before' in point) {
    const first = entries.find((entry) => entry.runId === runId);
    return first && over.filter(({ position }) => position < first.position);
  }
  const last = over.findLast((entry) => entry.runId === runId);
  return last && over.filter(({ position }) => position <= last.position);
}

export function planBranch(
  { origin, files }: BranchSource,
  entries: readonly TranscriptRow[],
  { sessionKey, surface, title, now }: Branch,
): { readonly session: SessionRow; readonly writes: readonly Write[] } {
  const sessionId = newId('ses', now);
  const session: SessionRow = {
    sessionId,
    sessionKey,
    agentId: origin.agentId,
    startedAt: now,
    activeAt: now,
    endedAt: null,
    endReason: null,
    surface,
    resumedFrom: null,
    endToTell: false,
    title,
    archivedAt: null,
    seenAt: now,
    branchOf: origin.sessionId,
    branchAt: entries.at(-1)?.position ?? 0,
    state: withSessionModel({ state: {} }, sessionModelOf(origin)),
  };
  const copied = entries.map((entry): Write => ({ insert: 'transcript', row: { ...entry, sessionId } }));
  const runIds = new Set(entries.map(({ runId }) => runId));
  // A file is named once for each run; the run that named it belongs to the origin, so the branch names it by itself.
  const named = files
    .filter(({ runId }) => runIds.has(runId))
    .map(
      (file): Write => ({
        insert: 'attachments',
        row: { ...file, runId: sessionId, sessionKey, at: now },
        onConflict: 'ignore',
      }),
    );
  return {
    session,
    writes: [
      // Words that were deleted meanwhile must not come back.
      {
        update: 'sessions',
        where: { sessionId: origin.sessionId, endReason: { not: 'deleted' } },
        set: { branchOf: origin.branchOf },
        expect: 1,
      },
      { insert: 'sessions', row: session },
      ...copied,
      ...planIndexing(copied),
      ...named,
    ],
  };
}
