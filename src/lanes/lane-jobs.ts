// Hints which lane to look at, for whatever node has room: jobs of graphile-worker, in a schema of their own beside the
// store's. A job carries a session key and nothing else. It is held only until the lane is handed to the node's own lanes, so
// a node that dies hardly ever has one, and then others free it.
//
// Promise: a job goes to one node. It may come too often or, when the database crashes, be lost: rows decide what is
// done, and `ClusterLanes` looks for what was not hinted at. Nothing here rejects after `open`.
// No other file names the library, and it is loaded with `open`. docs/decisions/0017 says why no job names a queue.

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Logger, WorkerPool, WorkerUtils } from 'graphile-worker';
import type { Client, Pool } from 'pg';
import type { Say } from '../protocol/log.ts';
import { errorText } from '../protocol/one-line.ts';
import { within } from '../protocol/time-limit.ts';
import type { PoolName } from './embedded-lanes.ts';

export interface LaneJobsOptions {
  readonly url: string;
  /** The schema of the store. */
  readonly schema: string;
  /** The name of this node. Jobs that are bound to it come to no other. */
  readonly node: string;
  /** Says which slots have no room. When none has, it resolves as soon as one has. */
  readonly full: () => Promise<readonly PoolName[]>;
  /** Called with the key of each job that this node got. */
  readonly take: (sessionKey: string) => void;
  readonly warn: Say;
  /** How long a statement may take until its connection is given up. */
  readonly answerMs?: number | undefined;
}

export interface LaneHint {
  readonly sessionKey: string;
  readonly pool: PoolName;
  /** The only node that may have it. */
  readonly node?: string | undefined;
}

/** One connection listens, the other one does the work. */
const CONNECTIONS = 2;
/** A lost notification delays a job for so long at most. */
const POLL_MS = 5_000;
/** Between two tries to write hints, or to go on after the library has given up. */
const PAUSE_MS = 500;
const CLOSE_MS = 2_000;
/** Two nodes that make the tables at the same time may hinder each other. */
const MOST_TRIES = 5;
const MOST_IN_BATCH = 500;
/** No statement of the library takes long, so one without an answer means that the connection hangs. */
const ANSWER_MS = 30_000;

type Library = typeof import('graphile-worker');

export class LaneJobs {
  readonly #options: LaneJobsOptions;
  readonly #schema: string;
  /** The hints that are not written yet, by key. */
  readonly #added = new Map<string, LaneHint>();
  /** The slots for which jobs may be waiting, as far as this node knows. */
  readonly #waiting = new Set<PoolName>();
  #pool: Pool | undefined;
  #utils: WorkerUtils | undefined;
  #workers: WorkerPool | undefined;
  #memberId = '';
  /** Counts what may have made jobs, so that an answer that is older than the last of it says nothing. */
  #changes = 0;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #isTroubled = false;

  constructor(options: LaneJobsOptions) {
    this.#options = options;
    this.#schema = `${options.schema.slice(0, 56)}_worker`;
  }

  /** Makes the tables that are missing and begins to take jobs. Rejects with what the server says. */
  async open(memberId: string): Promise<void> {
    const { answerMs = ANSWER_MS } = this.#options;
    const [{ default: pg }, library] = await Promise.all([import('pg'), import('graphile-worker')]);
    this.#pool = new pg.Pool({
      Client: limitAnswers(pg.Client, answerMs),
      connectionString: this.#options.url,
      max: CONNECTIONS,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      application_name: 'atrium lanes',
      // A hint that is lost with the server's memory is found again in the inbox.
      options: '-c synchronous_commit=off',
    });
    // A connection that is gone is replaced with the next statement; without listeners its error would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    const logger = new library.Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') this.#say(message);
    });
    this.#utils = await this.#prepare(library, this.#pool, logger);
    this.setMember(memberId);
    this.#start(library, this.#pool, logger);
    this.#send();
  }

  /** What the library locks, it locks under this name, so that others can free what a dead member has left. */
  setMember(memberId: string): void {
    this.#memberId = memberId;
    if (this.#workers) this.#workers.id = memberId;
  }

  /** Tells the nodes that a lane has work. Hints that are given quickly one after the other are written together. */
  add(hint: LaneHint): void {
    this.#added.set(hint.sessionKey, hint);
    this.#changed(hint.pool);
    this.#send();
  }

  /** Whether lanes may wait for slots of this kind, on whatever node. */
  mayWait(pool: PoolName): boolean {
    return this.#waiting.has(pool);
  }

  /** Looks for a job, because there is room for one. */
  look(): void {
    if (this.#isClosed) return;
    try {
      this.#workers?.nudge(1);
    } catch {
      // The library is being shut down or started again, and looks by itself then.
    }
  }

  /** Frees the jobs that a member had when it died. */
  async unlock(memberId: string): Promise<void> {
    try {
      await this.#utils?.forceUnlockWorkers([memberId]);
      await this.#utils?.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] });
    } catch (error) {
      this.#say(errorText(error));
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // What was added is for the other nodes now.
    await within(CLOSE_MS, this.#sending ?? Promise.resolve());
    this.#isClosed = true;
    const end = async () => {
      await Promise.resolve(this.#workers?.gracefulShutdown()).catch(() => {});
      await Promise.resolve(this.#utils?.release()).catch(() => {});
      await this.#pool?.end();
    };
    await within(CLOSE_MS, end());
  }

  async #prepare({ makeWorkerUtils }: Library, pgPool: Pool, logger: Logger): Promise<WorkerUtils> {
    for (let tries = 1; ; tries++) {
      try {
        return await makeWorkerUtils({ pgPool, schema: this.#schema, logger });
      } catch (error) {
        if (tries === MOST_TRIES) {
          await pgPool.end();
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, 100 * tries * Math.random()));
      }
    }
  }

  #start(library: Library, pgPool: Pool, logger: Logger): void {
    if (this.#isClosed) return;
    const events = new EventEmitter();
    let skipped: readonly PoolName[] = [];
    let changes = 0;
    events.on('worker:getJob:start', () => {
      changes = this.#changes;
    });
    events.on('worker:getJob:empty', () => {
      this.#isTroubled = false;
      if (changes !== this.#changes) return;
      for (const name of [...this.#waiting]) if (!skipped.includes(name)) this.#waiting.delete(name);
    });
    events.on('pool:listen:notification', () => this.#changed('common', 'aside'));
    const take = (payload: unknown) => this.#options.take((payload as Pick<LaneHint, 'sessionKey'>).sessionKey);
    const workers = library.runTaskList(
      {
        schema: this.#schema,
        logger,
        events,
        noHandleSignals: true,
        concurrency: 1,
        pollInterval: POLL_MS,
        forbiddenFlags: async () => {
          skipped = await this.#options.full();
          return [...skipped];
        },
        // Without a batch, the library does not catch what goes wrong when it completes a job.
        preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      },
      { lane: take, [boundTask(this.#options.node)]: take },
      pgPool,
    );
    workers.id = this.#memberId;
    this.#workers = workers;
    const again = (error?: unknown) => {
      if (this.#isClosed) return;
      if (error !== undefined) this.#say(errorText(error));
      setTimeout(() => this.#start(library, pgPool, logger), PAUSE_MS).unref();
    };
    workers.promise.then(() => again(), again);
  }

  #changed(...pools: readonly PoolName[]): void {
    this.#changes += 1;
    for (const name of pools) this.#waiting.add(name);
  }

  #send(): void {
    if (!this.#utils || this.#isClosed) return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#added.size > 0) setTimeout(() => this.#send(), PAUSE_MS).unref();
    });
  }

  async #sendAll(): Promise<void> {
    // What is added in the same turn is written together.
    await Promise.resolve();
    while (this.#added.size > 0) {
      const hints = [...this.#added.values()].slice(0, MOST_IN_BATCH);
      const jobs = hints.map(({ sessionKey, pool, node }) => ({
        identifier: node === undefined ? 'lane' : boundTask(node),
        payload: { sessionKey },
        jobKey: sessionKey,
        flags: [pool],
      }));
      for (const { sessionKey } of hints) this.#added.delete(sessionKey);
      try {
        // A key that was added again keeps its place.
        await this.#utils?.addJobs(jobs, true);
      } catch (error) {
        for (const hint of hints) if (!this.#added.has(hint.sessionKey)) this.#added.set(hint.sessionKey, hint);
        this.#say(errorText(error));
        return;
      }
    }
  }

  /** The store tells that the server cannot be reached; here a trouble is told once until it is over. */
  #say(message: string): void {
    if (this.#isClosed || this.#isTroubled) return;
    this.#isTroubled = true;
    this.#options.warn(`The nodes could not tell each other at once which session has work: ${message}`);
  }
}

/** The pool would hand out a connection that hangs again and again, so it is closed. */
function limitAnswers(Plain: typeof Client, answerMs: number): typeof Client {
  return class extends Plain {
    // biome-ignore lint/suspicious/noExplicitAny: the library has many forms of this method, and they are handed on as they are.
    override query(...args: any[]): any {
      const answer = (super.query as (...given: unknown[]) => unknown).apply(this, args);
      if (!(answer instanceof Promise)) return answer;
      const timer = setTimeout(() => {
        (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      }, answerMs);
      timer.unref();
      return answer.finally(() => clearTimeout(timer));
    }
  };
}

function boundTask(node: string): string {
  return `lane@${node}`;
}
