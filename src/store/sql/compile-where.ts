// Conditions as SQL. No name that is not in `columns.ts` and no value of the wrong kind gets past this file.

import { InvalidStoreRequestError } from '../errors.ts';
import type { Condition } from '../store.ts';
import type { Dialect, SqlStatement, SqlValue } from './dialect.ts';
import { type Column, columnOf, encodeValue, type TableCodec } from './row-codec.ts';

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const PHRASE = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u;

/**
 * The conditions as a clause that begins with ` WHERE `, or as an empty text. An undefined condition is ignored in a
 * read. In a write it would match rows by mistake.
 */
export function compileWhere(
  dialect: Dialect,
  codec: TableCodec,
  where: object,
  {
    undefinedConditions,
    after = 0,
  }: {
    readonly undefinedConditions: 'skip' | 'refuse';
    /** The number of values that stand before the clause in its statement. */
    readonly after?: number | undefined;
  },
): SqlStatement {
  const values: SqlValue[] = [];
  const bind = (value: SqlValue) => {
    values.push(value);
    return dialect.mark(after + values.length);
  };
  let sql = '';
  for (const [field, condition] of Object.entries(where) as [string, Condition | undefined][]) {
    const column = columnOf(codec, field);
    if (condition === undefined) {
      if (undefinedConditions === 'skip') continue;
      throw new InvalidStoreRequestError({ table: codec.table, problem: `the condition on "${field}" is undefined` });
    }
    sql += `${sql === '' ? ' WHERE ' : ' AND '}${compileCondition(dialect, codec, column, condition, bind)}`;
  }
  return { sql, values };
}

function compileCondition(
  dialect: Dialect,
  codec: TableCodec,
  column: Column,
  condition: Condition,
  bind: (value: SqlValue) => string,
): string {
  const { table } = codec;
  const { name, field, kind } = column;
  if (condition === null) return `${name} IS NULL`;
  if (typeof condition === 'object' && 'not' in condition && condition.not === null) return `${name} IS NOT NULL`;
  if (kind === 'json') {
    throw new InvalidStoreRequestError({ table, problem: `"${field}" cannot be asked for by its value` });
  }
  if (typeof condition !== 'object') return `${name} = ${bind(encodeValue(table, column, condition))}`;
  if ('in' in condition) {
    const list = condition.in.map((value) => wellFormed(encodeValue(table, column, value)));
    return dialect.isIn(column, bind(dialect.list(list)));
  }
  if ('not' in condition) return `${name} IS DISTINCT FROM ${bind(encodeValue(table, column, condition.not))}`;
  if ('contains' in condition) {
    if (kind !== 'text') {
      throw new InvalidStoreRequestError({ table, problem: `"${field}" has no text that could be searched` });
    }
    const mark = bind(encodeValue(table, column, condition.contains));
    return dialect.contains(column, mark, condition.ignoresCase ?? false);
  }
  if ('phrases' in condition) {
    return dialect.hasPhrases(searchOf(codec, column, condition.phrases), bind);
  }
  for (const [key, value] of Object.entries(condition)) {
    const comparison = COMPARISONS[key as keyof typeof COMPARISONS];
    if (comparison) return `${name} ${comparison} ${bind(encodeValue(table, column, value))}`;
  }
  throw new InvalidStoreRequestError({ table, problem: `the condition on "${field}" is of no known form` });
}

function searchOf({ table, phrases: indexes }: TableCodec, column: Column, phrases: readonly string[]) {
  const index = indexes[column.field];
  if (index === undefined)
    throw new InvalidStoreRequestError({ table, problem: `"${column.field}" has no words that could be searched` });
  if (phrases.length === 0 || !phrases.every((phrase) => PHRASE.test(phrase)))
    throw new InvalidStoreRequestError({ table, problem: 'a phrase needs words of letters and digits' });
  return { column, index, phrases };
}

/** A list may be sent as JSON, which would keep a lone surrogate that the column does not have. */
function wellFormed(value: string | number | null): string | number | null {
  return typeof value === 'string' ? Buffer.from(value).toString() : value;
}
