// Builds the statements of writes and queries, and keeps each prepared statement under its text. Commits of the same
// shape differ only in their values, so each shape is prepared once.

import { CeilingPassedError, InvalidStoreRequestError, PreconditionFailedError } from '../errors.ts';
import type { Add, Claim, Condition, Query, Where, Write } from '../store.ts';
import type { TableName, Tables } from '../tables.ts';
import type { Database, SqlValue, Statement } from './database.ts';
import { type Column, codecOf, columnOf, decodeRow, encodeRow, encodeValue, type TableCodec } from './row-codec.ts';
import { isConflict } from './store-error.ts';

/** This is far above the number of shapes in the product; only a program that invents queries would reach it. */
const MOST_STATEMENTS = 512;
/** Measuring this many rows blocks the process for a few milliseconds. */
const SLICE_ROWS = 5_000;

export class Statements {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Checks and encodes a write now, so that later changes of the object have no effect. Returns the function that
   * executes it.
   */
  prepareWrite(write: Write): () => WriteResult {
    if ('insert' in write) return this.#prepareInsert(write.insert, write.row, write.onConflict === 'ignore');
    if ('update' in write) return this.#prepareUpdate(write.update, write.where, write.set, write.expect);
    if ('add' in write) return this.#prepareAdd(write);
    return this.#prepareRemove(write.remove, write.where, write.expect);
  }

  /** True while the claim is the latest one of a run that has not ended. */
  holdsClaim({ runId, claim }: Claim): boolean {
    const held = this.#prepare(
      "SELECT 1 FROM runs WHERE run_id = ? AND claim = ? AND status IN ('running', 'suspended')",
    ).get(runId, claim);
    return held !== undefined;
  }

  select<T extends TableName>(table: T, { where = {}, orderBy = [], limit }: Query<T>): readonly Tables[T][] {
    const codec = codecOf(table);
    const conditions = buildWhere(codec, where, 'skip');
    const values = [...conditions.values];
    let sql = `SELECT ${codec.columns.map(({ name }) => name).join(', ')} FROM ${codec.table}${conditions.sql}`;
    if (orderBy.length > 0) {
      const terms = orderBy.map(
        ([field, direction]) => `${columnOf(codec, field).name} ${direction === 'desc' ? 'DESC' : 'ASC'}`,
      );
      sql += ` ORDER BY ${terms.join(', ')}`;
    }
    if (limit !== undefined) {
      if (!Number.isSafeInteger(limit) || limit < 0) {
        throw new InvalidStoreRequestError({ table: codec.table, problem: `a limit cannot be ${limit}` });
      }
      sql += ' LIMIT ?';
      values.push(limit);
    }
    const rows: readonly (readonly unknown[])[] = this.#prepare(sql).all(...values);
    return rows.map((row) => decodeRow<T>(codec, row));
  }

  count<T extends TableName>(table: T, where: Where<T>): number {
    const codec = codecOf(table);
    const conditions = buildWhere(codec, where, 'skip');
    const row: readonly unknown[] = this.#prepare(`SELECT COUNT(*) FROM ${codec.table}${conditions.sql}`).get(
      ...conditions.values,
    );
    return Number(row[0]);
  }

  /** How many bytes the values of these rows take. Long texts are not read for it. */
  measure<T extends TableName>(table: T, where: Where<T>): number {
    const codec = codecOf(table);
    return this.#measure(codec, buildWhere(codec, where, 'skip'));
  }

  /** The same for a whole table, in slices of its rows. */
  measureSlices(table: TableName): readonly (() => number)[] {
    const codec = codecOf(table);
    const ends: readonly unknown[] = this.#prepare(`SELECT MIN(rowid), MAX(rowid) FROM ${codec.table}`).get();
    const [first, last] = [Number(ends[0] ?? 0), Number(ends[1] ?? -1)];
    const slices: (() => number)[] = [];
    for (let from = first; from <= last; from += SLICE_ROWS) {
      const values = [from, Math.min(last, from + SLICE_ROWS - 1)];
      slices.push(() => this.#measure(codec, { sql: ' WHERE rowid BETWEEN ? AND ?', values }));
    }
    return slices;
  }

  #measure(codec: TableCodec, { sql, values }: { readonly sql: string; readonly values: readonly SqlValue[] }): number {
    const sizes = codec.columns.map(({ name, kind }) =>
      kind === 'text' || kind === 'json' ? `COALESCE(octet_length(${name}), 0)` : `IIF(${name} IS NULL, 0, 8)`,
    );
    const row: readonly unknown[] = this.#prepare(`SELECT SUM(${sizes.join(' + ')}) FROM ${codec.table}${sql}`).get(
      ...values,
    );
    return Number(row[0] ?? 0);
  }

  #prepareInsert(table: TableName, row: object, ignoresConflict: boolean): () => WriteResult {
    const codec = codecOf(table);
    const statement = this.#prepare(insertSql(codec, ignoresConflict));
    const values = encodeRow(codec, row);
    return () => {
      const { changes, lastInsertRowid } = runWrite(codec, statement, values);
      return { changed: changes, seq: codec.isNumbered && changes > 0 ? Number(lastInsertRowid) : undefined };
    };
  }

  #prepareUpdate(table: TableName, where: object, set: object, expect: number | undefined): () => WriteResult {
    const codec = codecOf(table);
    const changes = Object.entries(set).filter(([, value]) => value !== undefined);
    if (changes.length === 0)
      throw new InvalidStoreRequestError({ table: codec.table, problem: 'the update changes no column' });
    const columns = changes.map(([field]) => columnOf(codec, field));
    const values = changes.map(([, value], index) => encodeValue(codec.table, columns[index] as Column, value));
    const conditions = buildWhere(codec, where, 'refuse');
    const assignments = columns.map(({ name }) => `${name} = ?`).join(', ');
    const statement = this.#prepare(`UPDATE ${codec.table} SET ${assignments}${conditions.sql}`);
    return expecting(codec, statement, [...values, ...conditions.values], expect);
  }

  /** The ceilings are looked at before the addition, so that the conditions mean the rows as they are. */
  #prepareAdd({ add, where, by, ceilings = [], expect }: AnyAdd): () => WriteResult {
    const codec = codecOf(add);
    const amounts = new Map(
      Object.entries(by)
        .filter(([, amount]) => amount !== undefined)
        .map(([field, amount]) => {
          const column = numberColumnOf(codec, field);
          return [column, encodeValue(codec.table, column, amount) as number];
        }),
    );
    if (amounts.size === 0) throw new InvalidStoreRequestError({ table: codec.table, problem: 'nothing is added' });
    const conditions = buildWhere(codec, where, 'refuse');
    const checks = ceilings.map(({ of, most }) => this.#prepareCeiling(codec, conditions, of, most, amounts));
    const additions = [...amounts.keys()].map(({ name }) => `${name} = ${name} + ?`).join(', ');
    const statement = this.#prepare(`UPDATE ${codec.table} SET ${additions}${conditions.sql}`);
    const addAll = expecting(codec, statement, [...amounts.values(), ...conditions.values], expect);
    return () => {
      for (const check of checks) check();
      return addAll();
    };
  }

  #prepareCeiling(
    codec: TableCodec,
    conditions: { readonly sql: string; readonly values: readonly SqlValue[] },
    of: readonly string[],
    most: number,
    amounts: ReadonlyMap<Column, number>,
  ): () => void {
    const columns = of.map((field) => numberColumnOf(codec, field));
    if (columns.length === 0 || !Number.isFinite(most)) {
      throw new InvalidStoreRequestError({ table: codec.table, problem: 'a ceiling needs columns and a number' });
    }
    const added = columns.reduce((sum, column) => sum + (amounts.get(column) ?? 0), 0);
    const sum = columns.map(({ name }) => name).join(' + ');
    const above = `${conditions.sql === '' ? ' WHERE' : `${conditions.sql} AND`} ${sum} + ? > ?`;
    const statement = this.#prepare(`SELECT 1 FROM ${codec.table}${above} LIMIT 1`);
    return () => {
      if (statement.get(...conditions.values, added, most) !== undefined)
        throw new CeilingPassedError({ table: codec.table, columns: of, most });
    };
  }

  #prepareRemove(table: TableName, where: object, expect: number | undefined): () => WriteResult {
    const codec = codecOf(table);
    const conditions = buildWhere(codec, where, 'refuse');
    return expecting(codec, this.#prepare(`DELETE FROM ${codec.table}${conditions.sql}`), conditions.values, expect);
  }

  #prepare(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (this.#prepared.size >= MOST_STATEMENTS) this.#prepared.clear();
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

type AnyAdd = { [T in TableName]: Add<T> }[TableName];

/** Adding to null gives null, and the store alone numbers rows; so both are refused. */
function numberColumnOf(codec: TableCodec, field: string): Column {
  const column = columnOf(codec, field);
  const isNumber = column.kind === 'integer' || column.kind === 'real';
  if (!isNumber || column.isNullable)
    throw new InvalidStoreRequestError({ table: codec.table, problem: `nothing can be added to "${field}"` });
  return column;
}

export interface WriteResult {
  readonly changed: number;
  readonly seq: number | undefined;
}

function expecting(
  codec: TableCodec,
  statement: Statement,
  values: readonly SqlValue[],
  expect: number | undefined,
): () => WriteResult {
  return () => {
    const { changes } = runWrite(codec, statement, values);
    if (expect !== undefined && changes !== expect) {
      throw new PreconditionFailedError({
        table: codec.table,
        problem: `has ${changes} such rows instead of ${expect}`,
      });
    }
    return { changed: changes, seq: undefined };
  };
}

function runWrite(codec: TableCodec, statement: Statement, values: readonly SqlValue[]): ReturnType<Statement['run']> {
  try {
    return statement.run(...values);
  } catch (cause) {
    if (isConflict(cause))
      throw new PreconditionFailedError({ table: codec.table, problem: 'has a row of this key already' }, { cause });
    throw cause;
  }
}

const INSERTS = new Map<TableCodec, readonly [fail: string, ignore: string]>();

function insertSql(codec: TableCodec, ignoresConflict: boolean): string {
  let texts = INSERTS.get(codec);
  if (!texts) {
    const names = codec.inserted.map(({ name }) => name).join(', ');
    const marks = codec.inserted.map(() => '?').join(', ');
    const sql = `INSERT INTO ${codec.table} (${names}) VALUES (${marks})`;
    texts = [sql, `${sql} ON CONFLICT DO NOTHING`];
    INSERTS.set(codec, texts);
  }
  return texts[ignoresConflict ? 1 : 0];
}

/** An undefined condition is ignored in a read. In a write it would match rows by mistake. */
function buildWhere(
  codec: TableCodec,
  where: object,
  undefinedConditions: 'skip' | 'refuse',
): { readonly sql: string; readonly values: SqlValue[] } {
  const values: SqlValue[] = [];
  let sql = '';
  for (const [field, condition] of Object.entries(where) as [string, Condition | undefined][]) {
    const column = columnOf(codec, field);
    if (condition === undefined) {
      if (undefinedConditions === 'skip') continue;
      throw new InvalidStoreRequestError({ table: codec.table, problem: `the condition on "${field}" is undefined` });
    }
    sql += `${sql === '' ? ' WHERE ' : ' AND '}${buildCondition(codec, column, condition, values)}`;
  }
  return { sql, values };
}

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function buildCondition(codec: TableCodec, column: Column, condition: Condition, values: SqlValue[]): string {
  const { table } = codec;
  const { name, field, kind } = column;
  if (condition === null) return `${name} IS NULL`;
  if (typeof condition === 'object' && 'not' in condition && condition.not === null) return `${name} IS NOT NULL`;
  if (kind === 'json') {
    throw new InvalidStoreRequestError({ table, problem: `"${field}" cannot be asked for by its value` });
  }
  if (typeof condition !== 'object') {
    values.push(encodeValue(table, column, condition));
    return `${name} = ?`;
  }
  if ('in' in condition) {
    // The whole list is one parameter, so that lists of any length have one shape.
    const list = condition.in.map((value) => wellFormed(encodeValue(table, column, value)));
    values.push(JSON.stringify(list));
    return `${name} IN (SELECT value FROM json_each(?))`;
  }
  if ('not' in condition) {
    values.push(encodeValue(table, column, condition.not));
    return `${name} IS DISTINCT FROM ?`;
  }
  if ('contains' in condition) {
    if (kind !== 'text') {
      throw new InvalidStoreRequestError({ table, problem: `"${field}" has no text that could be searched` });
    }
    values.push(encodeValue(table, column, condition.contains));
    return condition.ignoresCase ? `instr(lower(${name}), lower(?)) > 0` : `instr(${name}, ?) > 0`;
  }
  if ('phrases' in condition) return buildPhrases(codec, column, condition.phrases, values);
  for (const [key, value] of Object.entries(condition)) {
    const comparison = COMPARISONS[key as keyof typeof COMPARISONS];
    if (comparison) {
      values.push(encodeValue(table, column, value));
      return `${name} ${comparison} ?`;
    }
  }
  throw new InvalidStoreRequestError({ table, problem: `the condition on "${field}" is of no known form` });
}

/** All phrases must be in the text, and the last word of each may be only the beginning of a word. */
function buildPhrases(codec: TableCodec, { field }: Column, phrases: readonly string[], values: SqlValue[]): string {
  const { table } = codec;
  const index = codec.phrases[field];
  if (index === undefined)
    throw new InvalidStoreRequestError({ table, problem: `"${field}" has no words that could be searched` });
  if (phrases.length === 0 || !phrases.every((phrase) => PHRASE.test(phrase)))
    throw new InvalidStoreRequestError({ table, problem: 'a phrase needs words of letters and digits' });
  values.push(phrases.map((phrase) => `"${phrase}" *`).join(' AND '));
  return `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`;
}

const PHRASE = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;

/** JSON would keep a lone surrogate, but the column does not have one. */
function wellFormed(value: SqlValue): SqlValue {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}
