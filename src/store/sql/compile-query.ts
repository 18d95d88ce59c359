// Reads as SQL: rows, their number, and the bytes that they take.

import { InvalidStoreRequestError } from '../errors.ts';
import type { Query, Where } from '../store.ts';
import type { TableName } from '../tables.ts';
import { compileWhere } from './compile-where.ts';
import type { Dialect, SqlStatement } from './dialect.ts';
import { columnOf, type TableCodec } from './row-codec.ts';

export function compileSelect<T extends TableName>(
  dialect: Dialect,
  codec: TableCodec,
  { where = {}, orderBy = [], limit }: Query<T>,
): SqlStatement {
  const conditions = compileWhere(dialect, codec, where, { undefinedConditions: 'skip' });
  const values = [...conditions.values];
  let sql = `${beginningOf(codec)}${conditions.sql}`;
  if (orderBy.length > 0) {
    const terms = orderBy.map(([field, direction]) => dialect.orderTerm(columnOf(codec, field), direction));
    sql += ` ORDER BY ${terms.join(', ')}`;
  }
  if (limit !== undefined) {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new InvalidStoreRequestError({ table: codec.table, problem: `a limit cannot be ${limit}` });
    }
    values.push(limit);
    sql += ` LIMIT ${dialect.mark(values.length)}`;
  }
  return { sql, values };
}

const beginnings = new Map<TableCodec, string>();

/** The text depends on the table alone, so it is kept. */
function beginningOf(codec: TableCodec): string {
  const known = beginnings.get(codec);
  if (known !== undefined) return known;
  const made = `SELECT ${codec.columns.map(({ name }) => name).join(', ')} FROM ${codec.table}`;
  beginnings.set(codec, made);
  return made;
}

export function compileCount<T extends TableName>(dialect: Dialect, codec: TableCodec, where: Where<T>): SqlStatement {
  const conditions = compileWhere(dialect, codec, where, { undefinedConditions: 'skip' });
  return { sql: `SELECT COUNT(*) FROM ${codec.table}${conditions.sql}`, values: conditions.values };
}

/** How many bytes the values of the rows take that a clause selects. Long texts are not read for it. */
export function compileMeasure(dialect: Dialect, codec: TableCodec, { sql, values }: SqlStatement): SqlStatement {
  const sizes = codec.columns.map((column) => dialect.bytesOf(column));
  return { sql: `SELECT SUM(${sizes.join(' + ')}) FROM ${codec.table}${sql}`, values };
}
