// Executes writes and queries, and keeps each prepared statement under its text. Commits of the same shape differ only in
// their values, so each shape is prepared once.

import { CeilingPassedError, PreconditionFailedError } from '../errors.ts';
import { compileCount, compileMeasure, compileSelect } from '../sql/compile-query.ts';
import { compileWhere } from '../sql/compile-where.ts';
import { type CompiledWrite, compileClaim, compileWrite } from '../sql/compile-write.ts';
import type { SqlStatement } from '../sql/dialect.ts';
import { codecOf, decodeRow } from '../sql/row-codec.ts';
import type { Claim, Query, Where, Write } from '../store.ts';
import type { TableName, Tables } from '../tables.ts';
import type { Database, SqlValue, Statement } from './database.ts';
import { SQLITE } from './sqlite-dialect.ts';
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
    const compiled = compileWrite(SQLITE, write);
    const { statement, isNumbered, expect, table } = compiled;
    const run = this.#prepare(statement.sql);
    const checks = compiled.ceilings.map(({ columns, most, statement: ceiling }) => () => {
      if (this.#get(ceiling) !== undefined) throw new CeilingPassedError({ table, columns, most });
    });
    return () => {
      for (const check of checks) check();
      const { changes, lastInsertRowid } = runWrite(compiled, run);
      if (expect !== undefined && changes !== expect) {
        throw new PreconditionFailedError({ table, problem: `has ${changes} such rows instead of ${expect}` });
      }
      return { changed: changes, seq: isNumbered && changes > 0 ? Number(lastInsertRowid) : undefined };
    };
  }

  /** True while the claim is the latest one of a run that has not ended. */
  holdsClaim(claim: Claim): boolean {
    return this.#get(compileClaim(SQLITE, claim)) !== undefined;
  }

  select<T extends TableName>(table: T, query: Query<T>): readonly Tables[T][] {
    const codec = codecOf(table);
    const { sql, values } = compileSelect(SQLITE, codec, query);
    const rows: readonly (readonly unknown[])[] = this.#prepare(sql).all(...plain(values));
    return rows.map((row) => decodeRow<T>(codec, row));
  }

  count<T extends TableName>(table: T, where: Where<T>): number {
    return this.#number(compileCount(SQLITE, codecOf(table), where));
  }

  /** How many bytes the values of these rows take. Long texts are not read for it. */
  measure<T extends TableName>(table: T, where: Where<T>): number {
    const codec = codecOf(table);
    const clause = compileWhere(SQLITE, codec, where, { undefinedConditions: 'skip' });
    return this.#number(compileMeasure(SQLITE, codec, clause));
  }

  /** The same for a whole table, in slices of its rows. */
  measureSlices(table: TableName): readonly (() => number)[] {
    const codec = codecOf(table);
    const ends: readonly unknown[] = this.#prepare(`SELECT MIN(rowid), MAX(rowid) FROM ${codec.table}`).get();
    const [first, last] = [Number(ends[0] ?? 0), Number(ends[1] ?? -1)];
    const slices: (() => number)[] = [];
    for (let from = first; from <= last; from += SLICE_ROWS) {
      const values = [from, Math.min(last, from + SLICE_ROWS - 1)];
      const slice = { sql: ' WHERE rowid BETWEEN ? AND ?', values };
      slices.push(() => this.#number(compileMeasure(SQLITE, codec, slice)));
    }
    return slices;
  }

  #get({ sql, values }: SqlStatement): readonly unknown[] | undefined {
    return this.#prepare(sql).get(...plain(values));
  }

  #number(statement: SqlStatement): number {
    return Number(this.#get(statement)?.[0] ?? 0);
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

export interface WriteResult {
  readonly changed: number;
  readonly seq: number | undefined;
}

function runWrite({ table, statement }: CompiledWrite, run: Statement): ReturnType<Statement['run']> {
  try {
    return run.run(...plain(statement.values));
  } catch (cause) {
    if (isConflict(cause))
      throw new PreconditionFailedError({ table, problem: 'has a row of this key already' }, { cause });
    throw cause;
  }
}

/** This dialect sends a list as JSON, so each value is a single one. */
function plain(values: SqlStatement['values']): readonly SqlValue[] {
  return values as readonly SqlValue[];
}
