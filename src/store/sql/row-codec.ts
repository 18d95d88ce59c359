// Turns rows into values that a database can store, and back. Everything that reaches a statement passes here, so a value
// of the wrong kind is refused before any write, and no name that is not in `columns.ts` becomes SQL.

import { InvalidStoreRequestError } from '../errors.ts';
import type { TableName, Tables } from '../tables.ts';
import { type ColumnKind, columnName, TABLES } from './columns.ts';

export interface Column {
  readonly field: string;
  readonly name: string;
  readonly kind: ValueKind;
  readonly isNullable: boolean;
}

/** What a column holds: booleans as 0 and 1, JSON as its text. */
export type EncodedValue = string | number | null;

export type ValueKind = Exclude<ColumnKind, `${string}?`>;

/** One table, prepared for building statements. */
export interface TableCodec {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly byField: ReadonlyMap<string, Column>;
  /** All columns except the one that the database numbers. */
  readonly inserted: readonly Column[];
  readonly isNumbered: boolean;
  /** The full-text index of each field that can be searched by phrases. */
  readonly phrases: Readonly<Record<string, string | undefined>>;
}

const CODECS: ReadonlyMap<string, TableCodec> = new Map(
  Object.entries(TABLES).map(([name, { table, columns: kinds, phrases = {} }]) => {
    const columns = Object.entries(kinds).map(([field, kind]) => toColumn(field, kind));
    const inserted = columns.filter(({ kind }) => kind !== 'seq');
    const byField = new Map(columns.map((column) => [column.field, column]));
    return [name, { table, columns, byField, inserted, isNumbered: inserted.length < columns.length, phrases }];
  }),
);

function toColumn(field: string, kind: ColumnKind): Column {
  return {
    field,
    name: columnName(field),
    kind: kind.replace('?', '') as ValueKind,
    isNullable: kind.endsWith('?'),
  };
}

export function codecOf(table: string): TableCodec {
  const codec = CODECS.get(table);
  if (!codec) throw new InvalidStoreRequestError({ table, problem: 'there is no such table' });
  return codec;
}

export function columnOf({ table, byField }: TableCodec, field: string): Column {
  const column = byField.get(field);
  if (!column) throw new InvalidStoreRequestError({ table, problem: `it has no column "${field}"` });
  return column;
}

export function encodeRow(codec: TableCodec, row: object): EncodedValue[] {
  const values = row as Readonly<Record<string, unknown>>;
  return codec.inserted.map((column) => encodeValue(codec.table, column, values[column.field]));
}

export function encodeValue(table: string, column: Column, value: unknown): EncodedValue {
  if (value === null && column.isNullable) return null;
  const encoded = encodeByKind(table, column, value);
  if (encoded !== undefined) return encoded;
  const { field, kind } = column;
  throw new InvalidStoreRequestError({
    table,
    problem: `"${field}" is of kind ${kind} and cannot be ${describe(value)}`,
  });
}

/** `decode` reads a value of a column; without it, the values are as `encodeRow` wrote them. */
export function decodeRow<T extends TableName>(
  { columns }: TableCodec,
  values: readonly unknown[],
  decode: (kind: ValueKind, value: unknown) => unknown = decodeValue,
): Tables[T] {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) {
    const column = columns[index];
    if (column) row[column.field] = decode(column.kind, values[index]);
  }
  return row as unknown as Tables[T];
}

function encodeByKind(table: string, { field, kind }: Column, value: unknown): EncodedValue | undefined {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? encodeText(value) : undefined;
    case 'seq':
    case 'integer':
      return Number.isSafeInteger(value) ? (value as number) : undefined;
    case 'real':
      return Number.isFinite(value) ? (value as number) : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'json':
      return value === null ? undefined : encodeJson(table, field, value);
  }
}

function decodeValue(kind: ValueKind, value: unknown): unknown {
  if (kind === 'boolean') return value === 1;
  return kind === 'json' && typeof value === 'string' ? JSON.parse(value) : value;
}

/** No database keeps a NUL character in a text. Lone surrogates need no treatment: they become U+FFFD in UTF-8. */
function encodeText(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function encodeJson(table: string, field: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new InvalidStoreRequestError({ table, problem: `"${field}" cannot be written as JSON` }, { cause });
  }
}

function describe(value: unknown): string {
  return typeof value === 'number' || value === null || value === undefined ? String(value) : `a ${typeof value}`;
}
