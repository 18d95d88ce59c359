// Commits that queue up share one transaction and so one sync to disk. A commit that fails does so alone; only when the
// database refuses the shared transaction at its end do all commits of the group fail.
//
// A group that has only lazy commits is written without a sync: the log contains it, and the sync of the next group
// with a commit that is not lazy makes both safe.
//
// Before a group becomes durable, the files are looked at once more: what is committed into a removed file is lost.
//
// After a group with a commit that scrubs, the log is emptied before the commits resolve.
//
// Commits are data, so a group can be executed again. It is tried without savepoints first, which cost a third of the
// time, because commits rarely fail. When one does, the group is rolled back and executed again with a savepoint for
// each commit. A commit that breaks even the transaction is rejected, and the rest is executed again without it.

import type { AtriumError } from '../../protocol/errors.ts';
import { StoreReplacedError } from '../errors.ts';
import { type Database, emptyLog, type Statement } from './database.ts';
import type { KnownFiles } from './known-files.ts';
import { isBusy, storeErrorFrom } from './store-error.ts';

/** Limits how long one flush may block the process. */
const LARGEST_GROUP = 256;
/** While another process holds the file, a group waits without blocking and tries again after this pause. */
const BUSY_PAUSE_MS = 25;
/** While another process reads, the log cannot be emptied; it is tried again after this pause. */
const SCRUB_PAUSE_MS = 100;

export class GroupCommit {
  readonly #database: Database;
  readonly #file: string;
  readonly #known: KnownFiles;
  readonly #mostBusyTries: number;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #savepoint: Statement;
  readonly #release: Statement;
  readonly #rollbackToSavepoint: Statement;
  readonly #flush = () => this.#flushGroup();
  #queue: Job[] = [];
  #busyTries = 0;
  /** Whether the next transaction is synced, according to the last setting of the database. */
  #isSynced = true;
  #scrubTimer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    database: Database,
    { file, known, busyWaitMs }: { file: string; known: KnownFiles; busyWaitMs: number },
  ) {
    this.#database = database;
    this.#file = file;
    this.#known = known;
    this.#mostBusyTries = busyWaitMs / BUSY_PAUSE_MS;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#savepoint = database.prepare('SAVEPOINT one_commit');
    this.#release = database.prepare('RELEASE one_commit');
    this.#rollbackToSavepoint = database.prepare('ROLLBACK TO one_commit');
  }

  /** Resolves with the result of `work` when it is durable. `work` may run more than once, but takes effect once. */
  add<T>(work: () => T, { isLazy, isScrubbing }: JobKind): Promise<T> {
    const done = new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, isLazy, isScrubbing, resolve: resolve as (value: unknown) => void, reject });
    });
    if (this.#queue.length === 1) setImmediate(this.#flush);
    this.#last = done;
    return done;
  }

  /** True while commits wait for their turn. */
  get isPending(): boolean {
    return this.#queue.length > 0;
  }

  /** Settles with the last commit that was requested so far. */
  async drain(): Promise<void> {
    await this.#last.then(ignore, ignore);
  }

  /** The code that closes the database empties its log. */
  async close(): Promise<void> {
    await this.drain();
    clearTimeout(this.#scrubTimer);
  }

  #flushGroup(): void {
    let group = this.#queue.splice(0, LARGEST_GROUP);
    let outcome = this.#tryGroup(group, 'together');
    while (outcome.kind === 'failed' || outcome.kind === 'broken') {
      if (outcome.kind === 'broken') {
        const { job, error } = outcome;
        job.reject(error);
        group = group.filter((other) => other !== job);
      }
      outcome = this.#tryGroup(group, 'in savepoints');
    }
    if (outcome.kind === 'busy') {
      this.#queue = [...group, ...this.#queue];
      setTimeout(this.#flush, BUSY_PAUSE_MS);
    } else if (this.#queue.length > 0) {
      setImmediate(this.#flush);
    }
  }

  #tryGroup(group: readonly Job[], how: 'together' | 'in savepoints'): Outcome {
    if (group.length === 0) return { kind: 'settled' };
    try {
      this.#sync(!group.every((job) => job.isLazy));
      this.#begin.run();
    } catch (error) {
      return this.#cannotBegin(group, error);
    }
    this.#busyTries = 0;
    const tell: (() => void)[] = [];
    for (const job of group) {
      try {
        const result = how === 'together' ? job.work() : this.#inSavepoint(job);
        tell.push(() => job.resolve(result));
      } catch (cause) {
        if (how === 'together') {
          this.#rollBack();
          return { kind: 'failed' };
        }
        const error = storeErrorFrom(cause, this.#file);
        if (!this.#database.isTransaction) return { kind: 'broken', job, error };
        tell.push(() => job.reject(error));
      }
    }
    const lost = this.#known.findLost();
    if (lost !== undefined) return this.#rejectLost(group, lost);
    try {
      this.#commit.run();
    } catch (error) {
      return this.#rejectAll(group, error);
    }
    if (group.some((job) => job.isScrubbing)) this.#scrub();
    for (const one of tell) one();
    return { kind: 'settled' };
  }

  #sync(isSynced: boolean): void {
    if (isSynced === this.#isSynced) return;
    this.#database.exec(`PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
    this.#isSynced = isSynced;
  }

  #scrub(): void {
    clearTimeout(this.#scrubTimer);
    if (emptyLog(this.#database)) return;
    this.#scrubTimer = setTimeout(() => this.#scrub(), SCRUB_PAUSE_MS);
    this.#scrubTimer.unref();
  }

  #cannotBegin(group: readonly Job[], error: unknown): Outcome {
    if (!isBusy(error) || this.#busyTries >= this.#mostBusyTries) return this.#rejectAll(group, error);
    this.#busyTries += 1;
    return { kind: 'busy' };
  }

  #inSavepoint(job: Job): unknown {
    this.#savepoint.run();
    try {
      const result = job.work();
      this.#release.run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#undoSavepoint();
      throw error;
    }
  }

  #undoSavepoint(): void {
    try {
      this.#rollbackToSavepoint.run();
      this.#release.run();
    } catch {
      // Half a commit must not stay: if its savepoint cannot be undone, the whole transaction is rolled back.
      this.#rollBack();
    }
  }

  #rollBack(): void {
    try {
      if (this.#database.isTransaction) this.#rollback.run();
    } catch {
      // In this case the next transaction cannot begin, and its commits get the error.
    }
  }

  #rejectLost(group: readonly Job[], lost: string): Outcome {
    const outcome = this.#rejectAll(group, new StoreReplacedError({ store: this.#file, file: lost }));
    // Without its name the log dies with this process. What was committed into it goes into the file while it can.
    if (lost !== this.#file) emptyLog(this.#database);
    return outcome;
  }

  #rejectAll(group: readonly Job[], error: unknown): Outcome {
    this.#rollBack();
    const reason = storeErrorFrom(error, this.#file);
    for (const job of group) job.reject(reason);
    return { kind: 'settled' };
  }
}

export interface JobKind {
  readonly isLazy: boolean;
  /** The data that this commit removes must not stay in the log. */
  readonly isScrubbing: boolean;
}

interface Job extends JobKind {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: AtriumError) => void;
}

/** `failed` means that a commit failed, and that the group must be executed again in savepoints to test the others. */
type Outcome =
  | { readonly kind: 'settled' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'broken'; readonly job: Job; readonly error: AtriumError };

function ignore(): void {}
