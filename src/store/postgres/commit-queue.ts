// Commits in the order in which they were requested. Those that queue up share one transaction, and so one sync to disk;
// when one of them fails, the transaction is taken back and each is made alone, so that the others are unaffected.
//
// The results are known before COMMIT is sent. So when the connection breaks before that, nothing was stored and the
// commits are made again; when it breaks at COMMIT itself, the server is asked what became of the transaction. No commit
// is made twice, and none is reported as made that was not. The server's own number of the transaction is not enough for
// that: a server that crashed gives the number of a transaction that it had not written to its disk to another one. So each
// transaction also leaves a mark of ours.
//
// Every commit is synced to disk, a lazy one too. A server can crash while this process lives on; a commit that it loses
// then would be missing under the later ones, which this process decides in the belief that it was made.
//
// Of a store that several nodes share, every transaction first takes hold of the row of its node. While it has it, the node cannot
// be expelled; once the row is gone, nothing is stored. The lock beside it says which backends would have to be ended.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '../../protocol/time-limit.ts';
import {
  CeilingPassedError,
  ClaimLostError,
  NodeExpelledError,
  PreconditionFailedError,
  StoreFailedError,
} from '../errors.ts';
import { type CompiledWrite, compileClaim } from '../sql/compile-write.ts';
import type { SqlStatement } from '../sql/dialect.ts';
import type { Claim, CommitResult } from '../store.ts';
import type { StoreMember } from '../store-member.ts';
import { memberLockName } from './member-lock-name.ts';
import {
  ConnectionLostError,
  type HeldConnection,
  type PostgresConnection,
  type SqlAnswer,
} from './postgres-connection.ts';
import { POSTGRES } from './postgres-dialect.ts';
import { gaveWay, isConflict, storeErrorFrom } from './store-error.ts';

export interface QueuedCommit {
  readonly writes: readonly CompiledWrite[];
  readonly claim?: Claim | undefined;
  /**
   * What the rows that this commit numbers belong to, such as session keys. Commits of other nodes that number rows of the
   * same wait for each other, so that a reader never sees a lower number appear after a higher one.
   */
  readonly ordered: readonly string[];
  /** What the writes rely on, and what is written in their place when that was changed. */
  readonly asOf?: CompiledAsOf | undefined;
  /** Whether it waits for a node that is no member at the moment. */
  readonly waits?: boolean | undefined;
}

interface CompiledAsOf {
  readonly name: string;
  readonly version: number;
  readonly otherwise: readonly CompiledWrite[];
}

/** Raised and handled here: the commit is made again with its other writes. */
class VersionPassed extends Error {}

interface Job extends QueuedCommit {
  /**
   * The member that decided this commit, and null while a commit waits for one. Undefined in a store that belongs to no cluster.
   */
  member: string | null | undefined;
  /** Until when it waits for a member. */
  readonly deadline: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: Error) => void;
}

export interface CommitQueueSettings {
  /** The name of the store in error sentences. */
  readonly store: string;
  readonly schema: string;
  readonly member: StoreMember | undefined;
  /** How long the outcome of a transaction is asked for after the connection broke, and how long commits wait for a member. */
  readonly waitMs: number;
}

/** More commits would make a transaction that holds its locks for long. */
const MOST_IN_GROUP = 64;
/** So often a commit gives way to others before it fails. */
const MOST_TRIES = 10;

export class CommitQueue {
  readonly #connection: PostgresConnection;
  readonly #settings: CommitQueueSettings;
  /** The name under which this process leaves its marks. */
  readonly #writer = randomUUID();
  /** The number of the transaction that was begun last. */
  #mark = 0;
  #queued: Job[] = [];
  #working: Promise<void> | undefined;

  constructor(connection: PostgresConnection, settings: CommitQueueSettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  add(commit: QueuedCommit): Promise<CommitResult> {
    // A commit belongs to the member that this node is now: it was decided with what that one had.
    const member = this.#settings.member?.memberId;
    if (member === null && !commit.waits) return Promise.reject(this.#expelledError());
    const deadline = Date.now() + this.#settings.waitMs;
    const made = new Promise<CommitResult>((resolve, reject) =>
      this.#queued.push({ ...commit, member, deadline, resolve, reject }),
    );
    this.#working ??= this.#work();
    return made;
  }

  /** Resolves when every commit that was requested so far is made or has failed. */
  async drain(): Promise<void> {
    await this.#working;
  }

  get isPending(): boolean {
    return this.#working !== undefined;
  }

  async #work(): Promise<void> {
    // Commits that are requested in the same turn belong to one group.
    await Promise.resolve();
    while (this.#queued.length > 0) {
      const group = this.#queued.splice(0, MOST_IN_GROUP);
      // Commits keep their order, so those behind one that waits for a member wait too.
      for (const job of group) if (job.member === null) await this.#waitForMember(job);
      await this.#commit(group.filter(({ member }) => member !== null));
    }
    this.#working = undefined;
  }

  /** Rejects the commit when this node does not become a member in time. */
  async #waitForMember(job: Job): Promise<void> {
    job.member = null;
    const limit = timeLimit(Math.max(0, job.deadline - Date.now()), () => this.#expelledError());
    try {
      const { member } = this.#settings;
      while (job.member === null) {
        limit.signal.throwIfAborted();
        await member?.whileMember(limit.signal);
        job.member = member?.memberId ?? null;
      }
    } catch (error) {
      job.reject(error as Error);
    } finally {
      limit.clear();
    }
  }

  #expelledError(): NodeExpelledError {
    const { store, member } = this.#settings;
    return new NodeExpelledError({ store, trouble: member?.trouble });
  }

  async #commit(group: readonly Job[]): Promise<void> {
    if (group.length === 0) return;
    try {
      const results = await this.#persist(group);
      for (const [index, job] of group.entries()) job.resolve(results[index] as CommitResult);
    } catch (error) {
      const [first] = group;
      if (group.length > 1) for (const job of group) await this.#commit([job]);
      else if (first) await this.#failed(first, error);
    }
  }

  async #failed(job: Job, error: unknown): Promise<void> {
    if (error instanceof VersionPassed && job.asOf) {
      await this.#commit([{ ...job, writes: job.asOf.otherwise, asOf: undefined }]);
      return;
    }
    if (!(job.waits && error instanceof NodeExpelledError)) {
      job.reject(storeErrorFrom(error, this.#settings.store));
      return;
    }
    await this.#waitForMember(job);
    if (job.member !== null) await this.#commit([job]);
  }

  /** Makes the transaction again as long as it is certain that the one before stored nothing. */
  async #persist(group: readonly Job[]): Promise<readonly CommitResult[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#transact(group);
      } catch (error) {
        const mayTryAgain = error instanceof ConnectionLostError || gaveWay(error);
        if (!mayTryAgain || tries === MOST_TRIES) throw error;
        // Two nodes that gave way to each other must not meet again at once.
        await sleep(Math.random() * 10 * tries);
      }
    }
  }

  async #transact(group: readonly Job[]): Promise<readonly CommitResult[]> {
    this.#mark += 1;
    const held = await this.#connection.hold();
    const begun = held.ask(BEGIN);
    const opened = held.ask(this.#opening(group));
    const locked = orderLocks(group).map((statement) => held.ask(statement));
    const asked = group.map((job) => askAll(held, job));
    try {
      // Every answer is awaited before anything is decided, because the statements are under way already.
      const beginnings = await Promise.allSettled([begun, opened, ...locked]);
      const answers = await Promise.all(asked.map((each) => Promise.allSettled(each)));
      for (const beginning of beginnings) answerOf(beginning);
      const { rows } = await opened;
      for (const { member } of group) {
        if (member !== undefined && !rows.some(([, id]) => id === member)) throw this.#expelledError();
      }
      const results = group.map((job, index) => resultOf(job, answers[index] ?? []));
      await this.#end(held, rows[0]?.[0] ?? '');
      return results;
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) await held.ask(ROLLBACK).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Leaves the mark of the transaction, and answers its id, and beside it the members among those that the commits belong to.
   * It is one statement, because every commit pays for it.
   */
  #opening(group: readonly Job[]): SqlStatement {
    const ids = [...new Set(group.flatMap(({ member }) => member ?? []))];
    const mark = [this.#writer, this.#mark];
    if (ids.length === 0) return { sql: `${LEAVE_MARK} SELECT pg_current_xact_id(), NULL`, values: mark };
    const sql = `${LEAVE_MARK} SELECT pg_current_xact_id(), id, pg_advisory_xact_lock_shared(hashtextextended($4 || id, 0)) FROM nodes WHERE id = ANY($3) AND status <> 'expelled' FOR KEY SHARE`;
    return { sql, values: [...mark, ids, memberLockName(this.#settings.schema, '')] };
  }

  async #end(held: HeldConnection, transactionId: string): Promise<void> {
    try {
      await held.ask(COMMIT);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      if (await this.#wasCommitted(transactionId)) return;
      throw error;
    }
  }

  async #wasCommitted(transactionId: string): Promise<boolean> {
    const deadline = Date.now() + this.#settings.waitMs;
    for (;;) {
      try {
        const sql = 'SELECT pg_xact_status($1::xid8)';
        const { rows } = await this.#connection.ask({ sql, values: [transactionId] });
        const status = rows[0]?.[0];
        if (status === 'committed') return await this.#hasMark();
        if (status === 'aborted') return false;
      } catch (error) {
        // A server that has crashed since knows nothing of a transaction that it had not written to its disk.
        if ((error as { readonly code?: unknown }).code === ID_IN_THE_FUTURE) return false;
        if (!(error instanceof ConnectionLostError)) throw error;
      }
      if (Date.now() > deadline) {
        throw new StoreFailedError({
          store: this.#settings.store,
          detail: 'the connection broke while a commit was under way, and the server does not say what became of it',
          remedy: 'Look into the log of the server, then restart the gateway, which reads what was stored.',
        });
      }
      await sleep(50);
    }
  }

  /** Transactions of this process are made one after the other, so the last mark is that of the last one which was committed. */
  async #hasMark(): Promise<boolean> {
    const sql = 'SELECT 1 FROM commit_marks WHERE writer = $1 AND mark = $2';
    return (await this.#connection.ask({ sql, values: [this.#writer, this.#mark] })).rows.length > 0;
  }
}

const ID_IN_THE_FUTURE = '22023';
const LEAVE_MARK =
  'WITH marked AS (INSERT INTO commit_marks (writer, mark, at) VALUES ($1, $2, now()) ON CONFLICT (writer) DO UPDATE SET mark = $2, at = now())';
const KEEP_VERSION = `SELECT 1 FROM versions WHERE name = $1 AND version = $2${POSTGRES.keepsRows}`;
const BEGIN: SqlStatement = { sql: 'BEGIN', values: [] };
const COMMIT: SqlStatement = { sql: 'COMMIT', values: [] };
const ROLLBACK: SqlStatement = { sql: 'ROLLBACK', values: [] };

/** All of them are taken at the beginning and in one order, so that two nodes cannot wait for each other. */
function orderLocks(group: readonly Job[]): readonly SqlStatement[] {
  const names = [...new Set(group.flatMap(({ ordered }) => ordered))].sort();
  if (names.length === 0) return [];
  const sql =
    'SELECT count(pg_advisory_xact_lock(key)) FROM (SELECT hashtextextended(name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY 1) AS keys';
  return [{ sql, values: [names] }];
}

/** Sends the statements of a commit, in their order. */
function askAll(held: HeldConnection, { claim, asOf, writes }: Job): readonly Promise<SqlAnswer>[] {
  const statements = [
    ...(claim ? [compileClaim(POSTGRES, claim)] : []),
    ...(asOf ? [{ sql: KEEP_VERSION, values: [asOf.name, asOf.version] }] : []),
    ...writes.flatMap(statementsOf),
  ];
  return statements.map((statement) => held.ask(statement));
}

function statementsOf({ lock, ceilings, statement }: CompiledWrite): readonly SqlStatement[] {
  return [...(lock ? [lock] : []), ...ceilings.map((ceiling) => ceiling.statement), statement];
}

/** Reads the answers of a commit in their order, and throws at the first that says that the commit cannot be made. */
function resultOf({ claim, asOf, writes }: Job, settled: readonly PromiseSettledResult<SqlAnswer>[]): CommitResult {
  let read = 0;
  const next = (table: string) => {
    const answer = settled[read++] as PromiseSettledResult<SqlAnswer>;
    if (answer.status === 'rejected' && isConflict(answer.reason)) {
      const facts = { table, problem: 'has a row of this key already' };
      throw new PreconditionFailedError(facts, { cause: answer.reason });
    }
    return answerOf(answer);
  };
  if (claim && next('runs').rows.length === 0) throw new ClaimLostError({ runId: claim.runId, claim: claim.claim });
  if (asOf && next('versions').rows.length === 0) throw new VersionPassed();
  const seqs: (number | undefined)[] = [];
  const changed: number[] = [];
  for (const { table, lock, ceilings, isNumbered, expect } of writes) {
    if (lock) next(table);
    for (const { columns, most } of ceilings) {
      if (next(table).rows.length > 0) throw new CeilingPassedError({ table, columns, most });
    }
    const { rows, count } = next(table);
    if (expect !== undefined && count !== expect) {
      throw new PreconditionFailedError({ table, problem: `has ${count} such rows instead of ${expect}` });
    }
    const seq = rows[0]?.[0];
    seqs.push(isNumbered && seq != null ? Number(seq) : undefined);
    changed.push(count);
  }
  return { seqs, changed };
}

function answerOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
