// Where the databases behind the Store differ in their SQL. Everything that they share is built in `compile-write.ts`
// and `compile-query.ts`; a new database needs one value of this type.

import type { Column } from './row-codec.ts';

/** A list is one value, so that a condition on a list has one text for lists of any length. */
export type SqlValue = string | number | null | readonly (string | number | null)[];

export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface Dialect {
  /** The mark that stands for the value at this position in the statement, counted from 1. */
  mark(position: number): string;
  /** Rows that are inserted give back their number with this clause. Empty where the database tells it otherwise. */
  readonly returnsSeq: string;
  /** A list as one value of a statement. */
  list(values: readonly (string | number | null)[]): SqlValue;
  /** The condition that the column has one of the values of a list. */
  isIn(column: Column, mark: string): string;
  /** The condition that the text has another text in it. */
  contains(column: Column, mark: string, ignoresCase: boolean): string;
  /** The condition that the text has all of these phrases; `bind` gives the mark of a value. */
  hasPhrases(search: PhraseSearch, bind: (value: SqlValue) => string): string;
  /** A term of ORDER BY in which null comes before every value. */
  orderTerm(column: Column, direction: 'asc' | 'desc'): string;
  /** How many bytes the value takes. */
  bytesOf(column: Column): string;
  /** A number of any kind beside columns of any kind of number. */
  number(mark: string): string;
  /** Ends a SELECT whose rows must stay as they are until the commit is over. Empty where nothing else can write. */
  readonly keepsRows: string;
  /** The same for rows that the commit is about to change. */
  readonly locksRows: string;
}

export interface PhraseSearch {
  readonly column: Column;
  /** The name of the full-text index of the column. */
  readonly index: string;
  /** Each is made of letters, digits and single spaces. */
  readonly phrases: readonly string[];
}
