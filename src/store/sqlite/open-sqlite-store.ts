// The Store in one SQLite file, with a write-ahead log that is synced with every group of commits. One connection does
// everything, one thing after the other; other processes may read the file at the same time.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { COMMIT_SITES, type CommitSite, SCRUBBING_SITES } from '../commit-sites.ts';
import { ClaimLostError, StoreClosedError, StoreFailedError, StoreMoveUnfinishedError } from '../errors.ts';
import type { CommitCounter, CommitOptions, CommitResult, Query, Store, Where, Write } from '../store.ts';
import type { TableName, Tables } from '../tables.ts';
import { type Database, emptyLog, foldLog, makeDurable, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { KnownFiles } from './known-files.ts';
import { checkVersion, hasUnfinishedMove, migrate, NEWEST_VERSION } from './migrate.ts';
import { beginIfNew, contentsGone, endNew } from './new-store.ts';
import { Statements } from './statements.ts';
import { storeErrorFrom } from './store-error.ts';

export interface SqliteStoreOptions {
  readonly file: string;
  /** Reads an existing store and changes nothing, to look into a store that another process owns. */
  readonly readOnly?: boolean | undefined;
  /** Other files without which this process must not write: the lock that makes it the only one. */
  readonly besides?: readonly string[] | undefined;
  /** The most pages of 4096 bytes that the file may have. By default the disk is the limit. */
  readonly maxPages?: number | undefined;
  /** How long commits wait while another program keeps the file busy. The default is 5 seconds. */
  readonly busyWaitMs?: number | undefined;
  /** Opens it although a move has filled only a part of it. */
  readonly isMoving?: boolean | undefined;
}

/** Rejects with StoreTooNewError, StoreReadOnlyError, StoreFullError, StateLockedError or StoreFailedError. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { file, readOnly = false, besides = [], maxPages, busyWaitMs = 5_000 } = options;
  let database: Database | undefined;
  try {
    const isNew = !readOnly && (await beginIfNew(file));
    database = await openDatabase(file, { readOnly, busyMs: BUSY_AT_START_MS });
    const found = checkVersion(database, file);
    if (found === 0 && !readOnly && !isNew) throw contentsGone(file, 'it has no tables');
    if (!options.isMoving && hasUnfinishedMove(database)) throw new StoreMoveUnfinishedError({ store: file });
    if (readOnly && found < NEWEST_VERSION) {
      const remedy = 'Start the gateway, which brings them up to date.';
      throw new StoreFailedError({ store: file, detail: 'its tables are of an older version', remedy });
    }
    if (!readOnly) {
      makeDurable(database);
      if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`);
      // A process that died may have left words in the log that it had removed from the tables. Before anything is written, a log
      // that is empty costs nothing.
      emptyLog(database);
      migrate(database, file);
      if (found < NEWEST_VERSION) emptyLog(database);
      if (isNew) await endNew(file);
    }
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const known = new KnownFiles(readOnly ? [] : [file, `${file}-wal`, `${file}-shm`, ...besides]);
    return new SqliteStore(database, { file, readOnly, busyWaitMs, known });
  } catch (error) {
    database?.close();
    throw storeErrorFrom(error, file);
  }
}

const BUSY_AT_START_MS = 1_000;
/** The time is short, because the wait blocks the process; commits that find the file busy wait without blocking. */
const BUSY_MS = 5;

class SqliteStore implements Store {
  readonly description: string;
  readonly #database: Database;
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #known: KnownFiles;
  readonly #statements: Statements;
  readonly #group: GroupCommit;
  readonly #commits = Object.fromEntries(COMMIT_SITES.map((site) => [site, 0])) as Record<CommitSite, number>;
  #waits = 0;
  #closing: Promise<void> | undefined;

  constructor(
    database: Database,
    { file, readOnly, busyWaitMs, known }: { file: string; readOnly: boolean; busyWaitMs: number; known: KnownFiles },
  ) {
    this.description = `sqlite ${file}`;
    this.#database = database;
    this.#file = file;
    this.#readOnly = readOnly;
    this.#known = known;
    this.#statements = new Statements(database);
    this.#group = new GroupCommit(database, { file, known, busyWaitMs });
  }

  get commits(): CommitCounter {
    return this.#commits;
  }

  get waits(): number {
    return this.#waits;
  }

  async commit(writes: readonly Write[], { site, claim, lazy = false }: CommitOptions): Promise<CommitResult> {
    if (this.#closing) throw new StoreClosedError({ store: this.#file });
    const prepared = this.#guard(() => writes.map((write) => this.#statements.prepareWrite(write)));
    const result = await this.#group.add(
      () => {
        if (claim && !this.#statements.holdsClaim(claim))
          throw new ClaimLostError({ runId: claim.runId, claim: claim.claim });
        const seqs: (number | undefined)[] = [];
        const changed: number[] = [];
        for (const write of prepared) {
          const outcome = write();
          seqs.push(outcome.seq);
          changed.push(outcome.changed);
        }
        return { seqs, changed };
      },
      { isLazy: lazy, isScrubbing: SCRUBBING_SITES.has(site) },
    );
    this.#commits[site] += 1;
    if (!lazy) this.#waits += 1;
    return result;
  }

  async select<T extends TableName>(table: T, query: Query<T> = {}): Promise<readonly Tables[T][]> {
    if (this.#closing) throw new StoreClosedError({ store: this.#file });
    if (this.#group.isPending) await this.#group.drain();
    return this.#guard(() => this.#statements.select(table, query));
  }

  async count<T extends TableName>(table: T, where: Where<T> = {}): Promise<number> {
    if (this.#closing) throw new StoreClosedError({ store: this.#file });
    if (this.#group.isPending) await this.#group.drain();
    return this.#guard(() => this.#statements.count(table, where));
  }

  async measure<T extends TableName>(table: T, where?: Where<T>): Promise<number> {
    if (this.#closing) throw new StoreClosedError({ store: this.#file });
    if (this.#group.isPending) await this.#group.drain();
    if (where) return this.#guard(() => this.#statements.measure(table, where));
    let bytes = 0;
    for (const slice of this.#guard(() => this.#statements.measureSlices(table))) {
      if (this.#closing) throw new StoreClosedError({ store: this.#file });
      bytes += this.#guard(slice);
      await nextTurn();
    }
    return bytes;
  }

  async probe(): Promise<void> {
    if (this.#closing) throw new StoreClosedError({ store: this.#file });
    // Writing the version that is there changes nothing, but takes the same way as a change.
    const write = () => this.#database.exec(`PRAGMA user_version = ${NEWEST_VERSION}`);
    await this.#group.add(write, { isLazy: false, isScrubbing: false });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#group.close();
    this.#guard(() => {
      const lost = this.#known.findLost();
      if (!this.#readOnly && lost === undefined) foldLog(this.#database);
      // Where the files belong to another store by now, their names must not be touched.
      else if (!this.#readOnly && lost !== this.#file) emptyLog(this.#database);
      this.#database.close();
    });
  }

  #guard<R>(work: () => R): R {
    try {
      return work();
    } catch (error) {
      throw storeErrorFrom(error, this.#file);
    }
  }
}
