// Moves everything from one store to another: rows in the order of their keys with their numbers, then the numbers that
// come next, then the bytes of files. The old store is only read. When everything is there, both are read again and
// compared by counts and hashes, and only then is the new one a store that a gateway opens.
//
// It can be killed at any moment and be called again with the same two places: each page of rows is one transaction with
// the note of how far it came. Memory is bounded by a page, or by one file.
// Errors: StoreSamePlaceError, StoreNotEmptyError, StoreMoveDiffersError, and those of the two stores.

import { createHash } from 'node:crypto';
import type { BlobStore } from '../blobs/blob-store.ts';
import { StoreMoveDiffersError, StoreNotEmptyError, StoreSamePlaceError } from '../errors.ts';
import { ConnectionLostError } from '../postgres/postgres-connection.ts';
import { TABLES } from '../sql/columns.ts';
import { codecOf } from '../sql/row-codec.ts';
import type { TableName } from '../tables.ts';
import { countRows, keyIn, type MovedRow, type MoveSide, readNumber, readPage } from './move-side.ts';
import { MOVE_TABLE } from './move-table.ts';

export interface StoreMove {
  readonly from: MoveSide;
  readonly to: MoveSide;
  readonly fromBlobs: BlobStore;
  readonly toBlobs: BlobStore;
  /** What to do when the place to fill has rows of its own. */
  readonly remedy: string;
  readonly progress: (step: MoveStep) => void;
}

export interface MoveStep {
  readonly doing: 'moving' | 'checking';
  /** A table, or `files`. */
  readonly what: string;
  /** How many of all rows and files are moved. */
  readonly done: number;
  readonly all: number;
}

export interface MoveReport {
  readonly tables: readonly MovedTable[];
  readonly files: { readonly moved: number; readonly damaged: readonly string[] };
}

export interface MovedTable {
  readonly table: TableName;
  readonly rows: number;
  /** The SHA-256 over the rows, which is the same on both sides. */
  readonly hash: string;
}

export const MOVED_TABLES = Object.keys(TABLES) as readonly TableName[];

export async function moveStore(move: StoreMove): Promise<MoveReport> {
  const { from, to } = move;
  await beginMove(move);
  const sizes = new Map<TableName, number>();
  for (const table of MOVED_TABLES) sizes.set(table, await countRows(from, table));
  const files = await countBlobs(move.fromBlobs);
  const all = [...sizes.values()].reduce((sum, rows) => sum + rows, 0) + files;
  let before = 0;
  for (const table of MOVED_TABLES) {
    await moveTable(move, table, (moved) => move.progress({ doing: 'moving', what: table, done: before + moved, all }));
    before += sizes.get(table) ?? 0;
  }
  const moved = await moveBlobs(move, (done) =>
    move.progress({ doing: 'moving', what: 'files', done: before + done, all }),
  );
  const tables = await checkTables(move, all);
  for (const { codec, last } of await lastNumbers(from)) await to.writeLastNumber(codec, last);
  await checkBlobs(move, moved.damaged, (done) =>
    move.progress({ doing: 'checking', what: 'files', done: before + done, all }),
  );
  await to.transact([{ sql: `DROP TABLE ${MOVE_TABLE}`, values: [] }]);
  return { tables, files: { moved: moved.count, damaged: moved.damaged } };
}

/** What a move would find: nothing, a part of this same move, or rows that are not its own. */
export async function lookAtTarget(from: Pick<MoveSide, 'identity'>, to: MoveSide): Promise<TargetState> {
  if (from.identity === to.identity) return { is: 'the same place' };
  let rows = 0;
  for (const table of MOVED_TABLES) if (await to.hasTable(codecOf(table).table)) rows += await countRows(to, table);
  if (!(await to.hasTable(MOVE_TABLE))) return rows === 0 ? { is: 'empty' } : { is: 'not empty', rows };
  const begun = await to.ask({ sql: `SELECT place FROM ${MOVE_TABLE} WHERE name = ''`, values: [] }, ['text']);
  return begun[0]?.[0] === from.identity ? { is: 'begun', rows } : { is: 'not empty', rows };
}

export type TargetState =
  | { readonly is: 'the same place' | 'empty' }
  | { readonly is: 'begun' | 'not empty'; readonly rows: number };

async function beginMove({ from, to, remedy }: StoreMove): Promise<void> {
  const found = await lookAtTarget(from, to);
  if (found.is === 'the same place') throw new StoreSamePlaceError({ store: to.description });
  if (found.is === 'not empty') throw new StoreNotEmptyError({ store: to.description, rows: found.rows, remedy });
  if (found.is === 'begun') return;
  await to.transact([
    {
      sql: `CREATE TABLE ${MOVE_TABLE} (name TEXT NOT NULL PRIMARY KEY, place TEXT NOT NULL, moved BIGINT NOT NULL)`,
      values: [],
    },
    noteOf(to, '', from.identity, 0),
  ]);
}

/** How far a table came, in the place of what was noted before. */
function noteOf({ dialect }: MoveSide, name: string, place: string, moved: number) {
  const marks = [1, 2, 3].map((position) => dialect.mark(position)).join(', ');
  const sql = `INSERT INTO ${MOVE_TABLE} (name, place, moved) VALUES (${marks}) ON CONFLICT (name) DO UPDATE SET place = excluded.place, moved = excluded.moved`;
  return { sql, values: [name, place, moved] };
}

async function readNote(to: MoveSide, table: TableName): Promise<{ after: MovedRow | undefined; moved: number }> {
  const sql = `SELECT place, moved FROM ${MOVE_TABLE} WHERE name = ${to.dialect.mark(1)}`;
  const [row] = await to.ask({ sql, values: [table] }, ['text', 'integer']);
  return row
    ? { after: JSON.parse(String(row[0])) as MovedRow, moved: Number(row[1]) }
    : { after: undefined, moved: 0 };
}

async function moveTable({ from, to }: StoreMove, table: TableName, progress: (moved: number) => void): Promise<void> {
  const codec = codecOf(table);
  let { after, moved } = await readNote(to, table);
  progress(moved);
  for (;;) {
    const rows = await readPage(from, table, after);
    const last = rows.at(-1);
    if (!last) return;
    const key = keyIn(table, last);
    try {
      await to.fill(codec, rows, noteOf(to, table, JSON.stringify(key), moved + rows.length));
      after = key;
      moved += rows.length;
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      // Only the store knows whether this page is there.
      ({ after, moved } = await readNote(to, table));
    }
    progress(moved);
  }
}

/** A table that differs, because the old store was used between two parts of the move, is moved again once. */
async function checkTables(move: StoreMove, all: number): Promise<readonly MovedTable[]> {
  const { from, to } = move;
  const checked: MovedTable[] = [];
  const differing: string[] = [];
  let before = 0;
  const progress = (table: TableName) => (done: number) =>
    move.progress({ doing: 'checking', what: table, done: before + done, all });
  for (const table of MOVED_TABLES) {
    let [there, here] = await hashBoth(move, table, progress(table));
    if (there.hash !== here.hash) {
      await emptyTable(to, table);
      await moveTable(move, table, () => undefined);
      [there, here] = await hashBoth(move, table, progress(table));
    }
    if (there.hash !== here.hash || (await countRows(from, table)) !== (await countRows(to, table)))
      differing.push(codecOf(table).table);
    checked.push({ table, rows: here.rows, hash: here.hash });
    before += there.rows;
  }
  if (differing.length > 0) throw new StoreMoveDiffersError({ store: to.description, tables: differing });
  return checked;
}

async function emptyTable(to: MoveSide, table: TableName): Promise<void> {
  await to.transact([
    { sql: `DELETE FROM ${codecOf(table).table}`, values: [] },
    { sql: `DELETE FROM ${MOVE_TABLE} WHERE name = ${to.dialect.mark(1)}`, values: [table] },
  ]);
}

async function hashBoth({ from, to }: StoreMove, table: TableName, progress: (done: number) => void) {
  // Both are awaited also when one fails, so that nothing is under way when the stores are closed.
  const [there, here] = await Promise.allSettled([hashTable(from, table, progress), hashTable(to, table)]);
  if (there.status === 'rejected') throw there.reason;
  if (here.status === 'rejected') throw here.reason;
  return [there.value, here.value] as const;
}

export async function hashTable(
  side: MoveSide,
  table: TableName,
  progress: (done: number) => void = () => undefined,
): Promise<{ readonly rows: number; readonly hash: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  let after: MovedRow | undefined;
  for (;;) {
    const page = await readPage(side, table, after);
    const last = page.at(-1);
    if (!last) return { rows, hash: hash.digest('hex') };
    for (const row of page) hash.update(`${JSON.stringify(row)}\n`);
    rows += page.length;
    after = keyIn(table, last);
    progress(rows);
  }
}

/** A row that was removed may have had a higher number than all that are left. */
async function lastNumbers(from: MoveSide) {
  const numbered = MOVED_TABLES.map((table) => codecOf(table)).filter(({ isNumbered }) => isNumbered);
  return Promise.all(
    numbered.map(async (codec) => {
      const highest = await readNumber(from, `SELECT MAX(seq) FROM ${codec.table}`);
      return { codec, last: Math.max(highest, await from.readLastNumber(codec)) };
    }),
  );
}

async function countBlobs(blobs: BlobStore): Promise<number> {
  let count = 0;
  for await (const _ of blobs.list()) count += 1;
  return count;
}

async function moveBlobs({ fromBlobs, toBlobs }: StoreMove, progress: (done: number) => void) {
  const damaged: string[] = [];
  let count = 0;
  for await (const { hash, putAt } of fromBlobs.list()) {
    const bytes = (await toBlobs.has(hash)) ? undefined : await fromBlobs.read(hash);
    if (bytes) await toBlobs.put(hash, bytes, putAt);
    else if (!(await toBlobs.has(hash))) damaged.push(hash);
    count += 1;
    progress(count);
  }
  return { count: count - damaged.length, damaged };
}

/** Reading a blob compares its bytes with its hash; one that does not fit is put again once. */
async function checkBlobs(
  { fromBlobs, toBlobs, to }: StoreMove,
  damaged: readonly string[],
  progress: (done: number) => void,
): Promise<void> {
  let count = 0;
  for await (const { hash, putAt } of fromBlobs.list()) {
    if (!damaged.includes(hash) && !(await toBlobs.read(hash))) {
      const bytes = await fromBlobs.read(hash);
      if (bytes) await toBlobs.put(hash, bytes, putAt);
      if (bytes && !(await toBlobs.read(hash)))
        throw new StoreMoveDiffersError({ store: to.description, tables: ['the files of messages'] });
    }
    count += 1;
    progress(count);
  }
}
