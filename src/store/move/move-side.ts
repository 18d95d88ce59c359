// One side of a move: a store that is read, or one that is filled, below the Store contract. Rows travel as the values of
// their columns, in the order of `columns.ts`, so that nothing is understood or changed on the way: a text, a number, or
// null; booleans as 0 and 1, JSON as its text.
//
// A side that is filled has a table `store_move`, which says from where and how far. It is written in the transaction of
// the rows that it tells of, so that a move that was killed goes on behind the last row that is there.

import { columnName } from '../sql/columns.ts';
import type { Dialect, SqlStatement, SqlValue } from '../sql/dialect.ts';
import { codecOf, type EncodedValue, type TableCodec } from '../sql/row-codec.ts';
import { STORE_KEYS } from '../store-model.ts';
import type { TableName } from '../tables.ts';

export type MovedRow = readonly EncodedValue[];

export interface MoveSide {
  readonly kind: 'sqlite' | 'postgres';
  /** Names the place for people, without a password. */
  readonly description: string;
  /** The same text for the same place, so that a move can be told from one of another store. */
  readonly identity: string;
  readonly dialect: Dialect;
  /** The version of its tables; 0 when there are none. */
  readonly version: number;
  /** The rows of an answer, each value as `MovedRow` has it. `kinds` are those of the columns that were asked for. */
  ask(statement: SqlStatement, kinds: readonly ValueKindOf[]): Promise<readonly MovedRow[]>;
  /** Adds rows and changes the table of the move, together or not at all. */
  fill(codec: TableCodec, rows: readonly MovedRow[], progress: SqlStatement): Promise<void>;
  /** Executes statements in one transaction. */
  transact(statements: readonly SqlStatement[]): Promise<void>;
  hasTable(table: string): Promise<boolean>;
  /** The highest number that the store has given to a row of this table, also when that row is gone. */
  readLastNumber(codec: TableCodec): Promise<number>;
  /** The next row of this table gets a higher number. */
  writeLastNumber(codec: TableCodec, last: number): Promise<void>;
  /** How many bytes it takes on the disk. */
  measure(): Promise<number>;
  close(): Promise<void>;
}

type ValueKindOf = TableCodec['columns'][number]['kind'];

/** At most so many rows are read at once. */
const PAGE_ROWS = 2_000;
/** A page ends with the row that comes above this, so that a page of long rows is short. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** The columns by which the rows of a table are told apart and ordered. None of them is ever null. */
export function keyOf(table: TableName): readonly string[] {
  const [key] = STORE_KEYS[table].filter(({ only }) => only === undefined);
  return (key?.fields ?? []).map(columnName);
}

/** The rows behind this key, in the order of their keys; none when there are no more. */
export function readPage(side: MoveSide, table: TableName, after: MovedRow | undefined): Promise<readonly MovedRow[]> {
  const codec = codecOf(table);
  const key = keyOf(table);
  const names = codec.columns.map(({ name }) => name).join(', ');
  const order = key.join(', ');
  const marks = key.map((_, index) => side.dialect.mark(index + 1)).join(', ');
  const where = after ? ` WHERE (${order}) > (${marks})` : '';
  const bytes = codec.columns.map((column) => side.dialect.bytesOf(column)).join(' + ');
  const inner = `SELECT ${names}, ${bytes} AS row_bytes, SUM(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS page_bytes FROM ${codec.table}${where} ORDER BY ${order} LIMIT ${PAGE_ROWS}`;
  const sql = `SELECT ${names} FROM (${inner}) AS page WHERE page_bytes - row_bytes < ${PAGE_BYTES} ORDER BY ${order}`;
  return side.ask(
    { sql, values: (after ?? []) as readonly SqlValue[] },
    codec.columns.map(({ kind }) => kind),
  );
}

/** The key of a row. */
export function keyIn(table: TableName, row: MovedRow): MovedRow {
  const { columns } = codecOf(table);
  return keyOf(table).map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

export async function readNumber(side: MoveSide, sql: string, values: readonly SqlValue[] = []): Promise<number> {
  const [row] = await side.ask({ sql, values }, ['integer']);
  return Number(row?.[0] ?? 0);
}

export function countRows(side: MoveSide, table: TableName): Promise<number> {
  return readNumber(side, `SELECT COUNT(*) FROM ${codecOf(table).table}`);
}
