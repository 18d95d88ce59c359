// The writes that release queued texts when the run that they were bound to did not answer. Each text is shown once in
// all: either it waits for the next message and later requests leave it out of the failed one, or it stays in the
// failed message and counts as shown. The second happens only where its words cannot be separated from the rest any
// more.

import type { Store, Write } from '../store/store.ts';
import type { InjectionRow, TranscriptRow } from '../store/tables.ts';
import { toldEntries } from './history-of.ts';
import { authorOfPiece, writtenPieces } from './message-spans.ts';
import { type Contribution, injectionAuthor } from './prepare-message.ts';

export interface FailedRun {
  readonly runId: string;
  readonly sessionId: string;
  /** False for a run whose messages are removed from the conversation, such as a heartbeat. */
  readonly keepsEntries: boolean;
}

export async function releaseInjections(store: Store, run: FailedRun): Promise<readonly Write[]> {
  const { runId, sessionId, keepsEntries } = run;
  const bound = await store.select('injections', { where: { runId, status: 'bound' } });
  if (bound.length === 0) return [];
  const entries = keepsEntries
    ? await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] })
    : [];
  const shown = entries.find(
    ({ runId: of, kind, message }) => of === runId && kind === 'message' && message.role === 'user',
  );
  if (!shown) return bound.map(waits);
  const isTold = toldEntries(entries, runId).some(({ position }) => position === shown.position);
  const pieces = isTold ? writtenPieces(shown) : [];
  const isApart = (row: InjectionRow) => pieces.some((piece) => isOf(row, piece));
  return [
    ...bound.map((row) => (isApart(row) ? waits(row) : counts(row))),
    ...(bound.some(isApart) ? [tellOnce(shown, pieces, bound)] : []),
  ];
}

function waits({ id }: InjectionRow): Write {
  return { update: 'injections', where: { id, status: 'bound' }, set: { status: 'queued', runId: null } };
}

function counts({ id }: InjectionRow): Write {
  return { update: 'injections', where: { id, status: 'bound' }, set: { status: 'consumed' } };
}

function tellOnce(
  { sessionId, position, meta }: TranscriptRow,
  pieces: readonly Contribution[],
  bound: readonly InjectionRow[],
): Write {
  const authors = pieces.map((piece) =>
    authorOfPiece(bound.some((row) => isOf(row, piece)) ? { ...piece, told: 'once' } : piece),
  );
  return { update: 'transcript', where: { sessionId, position }, set: { meta: { ...meta, authors } } };
}

function isOf({ owner, text }: InjectionRow, piece: Contribution): boolean {
  return piece.origin === injectionAuthor(owner) && piece.text === text;
}
