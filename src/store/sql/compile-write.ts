// A write as SQL, with what must be true of its result. It is checked and encoded here, so that later changes of the
// object that was given have no effect.

import { InvalidStoreRequestError } from '../errors.ts';
import type { Add, Claim, Write } from '../store.ts';
import type { TableName } from '../tables.ts';
import { compileWhere } from './compile-where.ts';
import type { Dialect, SqlStatement } from './dialect.ts';
import { type Column, codecOf, columnOf, encodeRow, encodeValue, type TableCodec } from './row-codec.ts';

export interface CompiledWrite {
  readonly table: string;
  readonly statement: SqlStatement;
  /** True when each inserted row gets a number. */
  readonly isNumbered: boolean;
  /** The precondition: exactly this many rows are changed. */
  readonly expect: number | undefined;
  /**
   * Each is asked before the statement; a row in the answer means that the addition would pass the ceiling. Where others
   * can write, `lock` comes first, so that the rows are still the same when they are added to.
   */
  readonly ceilings: readonly CompiledCeiling[];
  readonly lock?: SqlStatement | undefined;
}

export interface CompiledCeiling {
  readonly columns: readonly string[];
  readonly most: number;
  readonly statement: SqlStatement;
}

export function compileWrite(dialect: Dialect, write: Write): CompiledWrite {
  if ('insert' in write) return compileInsert(dialect, write.insert, write.row, write.onConflict === 'ignore');
  if ('update' in write) return compileUpdate(dialect, write.update, write.where, write.set, write.expect);
  if ('add' in write) return compileAdd(dialect, write);
  return compileRemove(dialect, write.remove, write.where, write.expect);
}

/** Its answer has a row while the claim is the latest one of a run that has not ended. */
export function compileClaim(dialect: Dialect, { runId, claim }: Claim): SqlStatement {
  const sql = `SELECT 1 FROM runs WHERE run_id = ${dialect.mark(1)} AND claim = ${dialect.mark(2)} AND status IN ('running', 'suspended')${dialect.keepsRows}`;
  return { sql, values: [runId, claim] };
}

const INSERTS = new WeakMap<Dialect, Map<TableCodec, readonly [fail: string, ignore: string]>>();

function compileInsert(dialect: Dialect, table: TableName, row: object, ignoresConflict: boolean): CompiledWrite {
  const codec = codecOf(table);
  const sql = insertTextsOf(dialect, codec)[ignoresConflict ? 1 : 0];
  const statement = { sql, values: encodeRow(codec, row) };
  return { table: codec.table, statement, isNumbered: codec.isNumbered, expect: undefined, ceilings: [] };
}

/** The text depends on the table alone, and most writes are inserts, so it is kept. */
function insertTextsOf(dialect: Dialect, codec: TableCodec): readonly [fail: string, ignore: string] {
  let ofDialect = INSERTS.get(dialect);
  if (!ofDialect) {
    ofDialect = new Map();
    INSERTS.set(dialect, ofDialect);
  }
  let texts = ofDialect.get(codec);
  if (!texts) {
    const names = codec.inserted.map(({ name }) => name).join(', ');
    const marks = codec.inserted.map((_, index) => dialect.mark(index + 1)).join(', ');
    const sql = `INSERT INTO ${codec.table} (${names}) VALUES (${marks})`;
    const returning = codec.isNumbered ? dialect.returnsSeq : '';
    texts = [`${sql}${returning}`, `${sql} ON CONFLICT DO NOTHING${returning}`];
    ofDialect.set(codec, texts);
  }
  return texts;
}

function compileUpdate(
  dialect: Dialect,
  table: TableName,
  where: object,
  set: object,
  expect: number | undefined,
): CompiledWrite {
  const codec = codecOf(table);
  const changes = Object.entries(set).filter(([, value]) => value !== undefined);
  if (changes.length === 0)
    throw new InvalidStoreRequestError({ table: codec.table, problem: 'the update changes no column' });
  const columns = changes.map(([field]) => columnOf(codec, field));
  const values = changes.map(([, value], index) => encodeValue(codec.table, columns[index] as Column, value));
  const assignments = columns.map(({ name }, index) => `${name} = ${dialect.mark(index + 1)}`).join(', ');
  const conditions = compileWhere(dialect, codec, where, { undefinedConditions: 'refuse', after: values.length });
  const sql = `UPDATE ${codec.table} SET ${assignments}${conditions.sql}`;
  return changing(codec, { sql, values: [...values, ...conditions.values] }, expect);
}

type AnyAdd = { [T in TableName]: Add<T> }[TableName];

/** The ceilings are looked at before the addition, so that the conditions mean the rows as they are. */
function compileAdd(dialect: Dialect, { add, where, by, ceilings = [], expect }: AnyAdd): CompiledWrite {
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
  const additions = [...amounts.keys()].map(({ name }, index) => `${name} = ${name} + ${dialect.mark(index + 1)}`);
  const conditions = compileWhere(dialect, codec, where, { undefinedConditions: 'refuse', after: amounts.size });
  const sql = `UPDATE ${codec.table} SET ${additions.join(', ')}${conditions.sql}`;
  return {
    ...changing(codec, { sql, values: [...amounts.values(), ...conditions.values] }, expect),
    ...(ceilings.length > 0 && dialect.locksRows !== '' && { lock: compileLock(dialect, codec, where) }),
    ceilings: ceilings.map(({ of, most }) => ({
      columns: of,
      most,
      statement: compileCeiling(dialect, codec, where, { of, most, amounts }),
    })),
  };
}

function compileLock(dialect: Dialect, codec: TableCodec, where: object): SqlStatement {
  const { sql, values } = compileWhere(dialect, codec, where, { undefinedConditions: 'refuse' });
  return { sql: `SELECT 1 FROM ${codec.table}${sql}${dialect.locksRows}`, values };
}

function compileCeiling(
  dialect: Dialect,
  codec: TableCodec,
  where: object,
  { of, most, amounts }: { of: readonly string[]; most: number; amounts: ReadonlyMap<Column, number> },
): SqlStatement {
  const columns = of.map((field) => numberColumnOf(codec, field));
  if (columns.length === 0 || !Number.isFinite(most)) {
    throw new InvalidStoreRequestError({ table: codec.table, problem: 'a ceiling needs columns and a number' });
  }
  const added = columns.reduce((sum, column) => sum + (amounts.get(column) ?? 0), 0);
  const sum = columns.map(({ name }) => name).join(' + ');
  const { sql, values } = compileWhere(dialect, codec, where, { undefinedConditions: 'refuse' });
  const [addedMark, mostMark] = [dialect.mark(values.length + 1), dialect.mark(values.length + 2)];
  const above = `${sql === '' ? ' WHERE' : `${sql} AND`} ${sum} + ${dialect.number(addedMark)} > ${dialect.number(mostMark)}`;
  return { sql: `SELECT 1 FROM ${codec.table}${above} LIMIT 1`, values: [...values, added, most] };
}

function compileRemove(dialect: Dialect, table: TableName, where: object, expect: number | undefined): CompiledWrite {
  const codec = codecOf(table);
  const conditions = compileWhere(dialect, codec, where, { undefinedConditions: 'refuse' });
  const sql = `DELETE FROM ${codec.table}${conditions.sql}`;
  return changing(codec, { sql, values: conditions.values }, expect);
}

function changing({ table }: TableCodec, statement: SqlStatement, expect: number | undefined): CompiledWrite {
  return { table, statement, isNumbered: false, expect, ceilings: [] };
}

/** Adding to null gives null, and the store alone numbers rows; so both are refused. */
function numberColumnOf(codec: TableCodec, field: string): Column {
  const column = columnOf(codec, field);
  const isNumber = column.kind === 'integer' || column.kind === 'real';
  if (!isNumber || column.isNullable)
    throw new InvalidStoreRequestError({ table: codec.table, problem: `nothing can be added to "${field}"` });
  return column;
}
