// The Store contract: durable rows, changed by commits that are data, never callbacks.
//
// Errors: `commit` rejects with ClaimLostError when the claim was superseded, PreconditionFailedError when a write found
// something else than it expected or a key that exists, InvalidStoreRequestError when it asks for what no table has, and
// StoreFullError, StoreReadOnlyError, StateLockedError or StoreFailedError when the backend refuses; then nothing of that
// commit is stored, and other commits are unaffected. `select` and `count` reject with InvalidStoreRequestError,
// StateLockedError and StoreFailedError only.
// Result: `commit` resolves when its writes would survive a power cut; a lazy one when they would survive the death of the
// process, and the next commit that is not lazy makes them survive a power cut too. Rows come back as they went in, but for characters
// that a text column cannot hold: NUL and lone surrogates become U+FFFD. JSON columns keep even those.
// What a commit at one of SCRUBBING_SITES removes or overwrites is gone from the files too when it resolves, wherever
// earlier commits had put it; where another process reads them at that moment, soon after.
// Rules: commits take effect in the order in which they were asked for. Those that queue up may share one sync to disk,
// yet each succeeds or fails alone; only when that sync itself fails do all that share it. A lazy commit has the same
// place in that order and never waits for the disk. A read sees every commit that was asked for before it.
// When it fires: after `close` has been called, every further call rejects with StoreClosedError; commits and reads asked
// for before it are still made.

import type { CommitSite } from './commit-sites.ts';
import type { TableName, Tables } from './tables.ts';

export interface Store {
  commit(writes: readonly Write[], options: CommitOptions): Promise<CommitResult>;
  select<T extends TableName>(table: T, query?: Query<T>): Promise<readonly Tables[T][]>;
  count<T extends TableName>(table: T, where?: Where<T>): Promise<number>;
  /** Commits so far by site; what a run costs is asserted with these. */
  readonly commits: CommitCounter;
  /** How many of them were not lazy: what a run costs in syncs, when nobody shares one with it. */
  readonly waits: number;
  /** What the backend is, for people: `sqlite <path>`. */
  readonly description: string;
  close(): Promise<void>;
}

export interface CommitOptions {
  readonly site: CommitSite;
  /** The commit fails unless this claim is still the latest of a run that is running or suspended. */
  readonly claim?: Claim | undefined;
  /** For what may be told again after a power cut: a claim, a receipt, a record. */
  readonly lazy?: boolean | undefined;
}

/** The right to write for a run. */
export interface Claim {
  readonly runId: string;
  readonly claim: number;
}

export interface CommitResult {
  /** One per write: the sequence number that the store gave an inserted row, if its table has one. */
  readonly seqs: readonly (number | undefined)[];
  /** One per write: the rows that it inserted, changed or removed; 0 for an insert that gave way to an existing row. */
  readonly changed: readonly number[];
}

export type CommitCounter = Readonly<Record<CommitSite, number>>;

export type Write = { [T in TableName]: Insert<T> | Update<T> | Remove<T> }[TableName];

export interface Insert<T extends TableName> {
  readonly insert: T;
  readonly row: NewRow<T>;
  /** What to do when a row of the same key exists: fail (the default), or leave that row as it is. */
  readonly onConflict?: 'fail' | 'ignore' | undefined;
}

/** A row before the store has numbered it. */
export type NewRow<T extends TableName> = Omit<Tables[T], 'seq'>;

export interface Update<T extends TableName> {
  readonly update: T;
  readonly where: Where<T>;
  readonly set: Partial<Tables[T]>;
  /** The precondition: exactly this many rows match. Without it any number will do. */
  readonly expect?: number | undefined;
}

export interface Remove<T extends TableName> {
  readonly remove: T;
  readonly where: Where<T>;
  readonly expect?: number | undefined;
}

/**
 * All conditions hold. Columns of JSON can be asked for null only. A condition that is undefined asks for nothing in a
 * read and is refused in a write, where it would hit rows that nobody meant.
 */
export type Where<T extends TableName> = { readonly [C in keyof Tables[T]]?: Condition | undefined };

/** Null is no value: `not` matches it, comparisons and lists do not. Texts compare by their code points. */
export type Condition =
  | string
  | number
  | boolean
  | null
  | { readonly in: readonly (string | number)[] }
  | { readonly not: string | number | null }
  | { readonly gt: number | string }
  | { readonly gte: number | string }
  | { readonly lt: number | string }
  | { readonly lte: number | string };

export interface Query<T extends TableName> {
  readonly where?: Where<T> | undefined;
  /** Null comes before every value. Rows that this leaves equal come in any order. */
  readonly orderBy?: readonly (readonly [keyof Tables[T] & string, 'asc' | 'desc'])[] | undefined;
  readonly limit?: number | undefined;
}
