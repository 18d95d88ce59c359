// The Store contract: durable rows, changed by commits that are data, never callbacks.
//
// Errors: `commit` rejects with ClaimLostError when the claim was superseded, PreconditionFailedError when a write
// found something else than it expected or a key that exists, CeilingPassedError when an addition would pass a ceiling
// that it names, InvalidStoreRequestError when it names something that no table has, NodeExpelledError when the node is no member of those that share the
// store, and StoreFullError, StoreReadOnlyError, StoreReplacedError, StateLockedError or StoreFailedError when the
// backend refuses; then nothing of that commit is stored, and other commits are unaffected. `select`, `count` and `measure` reject
// with InvalidStoreRequestError, StateLockedError and StoreFailedError only.
// Result: `commit` resolves when its writes would survive a power cut; a lazy one when they would survive the death of
// the process, and the next commit that is not lazy makes them survive a power cut too. A store whose backend can crash
// while this process lives on has no lazy commits: all of them survive. Rows come back as they were
// written, except for characters that a text column cannot store: NUL and lone surrogates become U+FFFD. JSON columns
// keep even those. What a commit at one of SCRUBBING_SITES removes or overwrites is gone from the files too when it
// resolves, also where earlier commits had put it; where another process reads the files at that moment, it is gone
// soon after.
// Rules: commits take effect in the order in which they were requested. Commits that queue up may share one sync to
// disk, yet each succeeds or fails alone; only when that sync itself fails do all of them fail. A lazy commit has the
// same place in that order and never waits for the disk. A read sees every commit that was requested before it.
// When it fires: after `close` has been called, every further call rejects with StoreClosedError; commits and reads
// requested before it are still made.

import type { CommitSite } from './commit-sites.ts';
import type { TableName, Tables } from './tables.ts';

export interface Store {
  commit(writes: readonly Write[], options: CommitOptions): Promise<CommitResult>;
  select<T extends TableName>(table: T, query?: Query<T>): Promise<readonly Tables[T][]>;
  count<T extends TableName>(table: T, where?: Where<T>): Promise<number>;
  /**
   * How many bytes the values of these rows take: a text in UTF-8, JSON as the store writes it, 8 for a number, nothing for
   * null. A whole table is read in slices, and other requests come in between; when the store is closed meanwhile, it
   * rejects with StoreClosedError.
   */
  measure<T extends TableName>(table: T, where?: Where<T>): Promise<number>;
  /** Writes and changes nothing: it rejects as a small commit would that is made now. */
  probe(): Promise<void>;
  /** The number of commits so far by site. Tests check with it what a run costs. */
  readonly commits: CommitCounter;
  /** How many commits were not lazy. This is the number of syncs that a run costs when it shares none. */
  readonly waits: number;
  /** Describes the backend for people: `sqlite <path>`. */
  readonly description: string;
  /** Undefined where this process is the only one that writes. */
  readonly versions?: StoreVersions | undefined;
  close(): Promise<void>;
}

export interface CommitOptions {
  readonly site: CommitSite;
  /** The commit fails unless this claim is still the latest of a run that is running or suspended. */
  readonly claim?: Claim | undefined;
  /** For writes that may be repeated after a power cut: a claim, a receipt, a record. */
  readonly lazy?: boolean | undefined;
  /**
   * Where several nodes share the store: a node that is no member at the moment waits with this commit until it is one again, as long as
   * requests wait for a server, and only then rejects with NodeExpelledError. It is for what comes from outside, such as a message. What a
   * node has decided by work that it had as a member must not be stored later, because others go on with that work.
   */
  readonly waits?: boolean | undefined;
  /** Where several nodes share the store: what these writes rely on, besides what their own preconditions say. */
  readonly asOf?: AsOf | undefined;
}

/**
 * The writes leave something out because of what was known when this version was read. When the version was raised since, `otherwise` is written in their place. While
 * the commit is made, the version cannot be raised.
 */
export interface AsOf {
  readonly name: VersionName;
  readonly version: number;
  readonly otherwise: readonly Write[];
}

/** What nodes remember about rows that others may remove. */
export type VersionName = 'parts';

/** The versions of what nodes remember. A node that is about to remove such rows raises the version first, and looks at the rows after that. */
export interface StoreVersions {
  read(name: VersionName): Promise<number>;
  /** Resolves when every commit that relies on the version before is made, and no later one relies on it. */
  raise(name: VersionName): Promise<void>;
}

/** The right to write for a run. */
export interface Claim {
  readonly runId: string;
  readonly claim: number;
}

export interface CommitResult {
  /** One entry per write: the sequence number that the store gave an inserted row, if its table has one. */
  readonly seqs: readonly (number | undefined)[];
  /**
   * One entry per write: how many rows it inserted, changed or removed. It is 0 for an insert that was ignored because
   * of an existing row.
   */
  readonly changed: readonly number[];
}

export type CommitCounter = Readonly<Record<CommitSite, number>>;

export type Write = { [T in TableName]: Insert<T> | Update<T> | Add<T> | Remove<T> }[TableName];

export interface Insert<T extends TableName> {
  readonly insert: T;
  readonly row: NewRow<T>;
  /** What to do when a row with the same key exists: fail (the default), or leave that row as it is. */
  readonly onConflict?: 'fail' | 'ignore' | undefined;
}

/** A row before the store has numbered it. */
export type NewRow<T extends TableName> = Omit<Tables[T], 'seq'>;

export interface Update<T extends TableName> {
  readonly update: T;
  readonly where: Where<T>;
  readonly set: Partial<Tables[T]>;
  /** The precondition: exactly this many rows match. Without it any number is accepted. */
  readonly expect?: number | undefined;
}

/**
 * Adds to numbers of the matching rows, whatever they are at that moment. An update sets values that its caller has
 * read, and another commit may come in between; an addition needs no reading.
 */
export interface Add<T extends TableName> {
  readonly add: T;
  readonly where: Where<T>;
  /** What is added to each column; it may be negative. A column that may be null cannot be added to. */
  readonly by: Partial<Record<NumberColumn<T>, number>>;
  /** The precondition: in no matching row does the sum of these columns come above `most` through the addition. */
  readonly ceilings?: readonly Ceiling<T>[] | undefined;
  readonly expect?: number | undefined;
}

export interface Ceiling<T extends TableName> {
  readonly of: readonly NumberColumn<T>[];
  readonly most: number;
}

/** The columns of a table that always hold a number. The store alone sets `seq`. */
export type NumberColumn<T extends TableName> = {
  [C in keyof Tables[T]]: number extends Tables[T][C] ? (null extends Tables[T][C] ? never : C) : never;
}[Exclude<keyof Tables[T], 'seq'>] &
  string;

export interface Remove<T extends TableName> {
  readonly remove: T;
  readonly where: Where<T>;
  readonly expect?: number | undefined;
}

/**
 * All conditions must hold. A JSON column can only be compared with null. An undefined condition is ignored in a read
 * and refused in a write, where it would match rows by mistake.
 */
export type Where<T extends TableName> = { readonly [C in keyof Tables[T]]?: Condition | undefined };

/** Null is not a value: `not` matches it, comparisons and lists do not. Texts are compared by their code points. */
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
  | { readonly lte: number | string }
  /** The text has this text in it. Without case, only the letters A to Z are compared without it. */
  | { readonly contains: string; readonly ignoresCase?: boolean | undefined }
  /**
   * The text has each of these phrases, from the beginning of a word on: `new yo` is in `a new york`, `ork` is not. It is
   * answered from an index. Only a column of words that are separated by one space can be asked for this, and a phrase
   * is made of letters, digits and single spaces.
   */
  | { readonly phrases: readonly string[] };

export interface Query<T extends TableName> {
  readonly where?: Where<T> | undefined;
  /** Null comes before every value. Rows that are equal in this order come in any order. */
  readonly orderBy?: readonly (readonly [keyof Tables[T] & string, 'asc' | 'desc'])[] | undefined;
  readonly limit?: number | undefined;
}
