// One connection to Postgres that comes back by itself. Statements are sent without waiting for the answers of those
// before them, so that what belongs together costs one round trip, and each is prepared once.
// Errors: a statement rejects with ConnectionLostError when it is not known whether the server has executed it; every
// other rejection is the server's. `open` rejects with the last reason when there was no connection within the time.
// A connection that hangs counts as broken: when no answer comes, another connection asks the server what it does for this one
// (`answer-watch.ts`). What a connection that broke has left at the server, such as locks, is ended by the one that follows.
// Besides `lanes/lane-jobs.ts` no other file names the library, and it is loaded with the first connection.

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientConfig, QueryArrayConfig } from 'pg';
import { errorText } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { StoreInUseError } from '../errors.ts';
import type { SqlValue } from '../sql/dialect.ts';
import { AnswerWatch, type BackendState } from './answer-watch.ts';

export interface ConnectionSettings {
  readonly url: string;
  /** The schema that the tables are in. */
  readonly schema: string;
  /** What `pg_stat_activity` calls the connection. */
  readonly name: string;
  /** How long a statement waits for a connection that is gone. */
  readonly waitMs: number;
  /**
   * With a name, every connection first becomes the only one of that name, as long as it lasts, or with `isShared` one of
   * several that share it; else it rejects with StoreInUseError. One that comes back waits until the server has noticed that the one before is gone, and so does the
   * first one for `patienceMs`.
   */
  readonly owns?:
    | {
        readonly name: string;
        readonly store: string;
        readonly isShared?: boolean | undefined;
        readonly patienceMs?: number | undefined;
      }
    | undefined;
  /** How long a statement waits at the server for what others have locked. Without it, for as long as it takes. */
  readonly lockMs?: number | undefined;
  /** After so long without an answer the server is asked what it does. */
  readonly lookMs?: number | undefined;
  /** Commits do not wait for the disk, because what is written means nothing after a crash of the server. */
  readonly isLazy?: boolean | undefined;
  /** Called with the text of each notification, on a connection that has said LISTEN. */
  readonly heard?: ((payload: string) => void) | undefined;
  /** Called when a connection that was there is gone, also while nothing is asked. */
  readonly lost?: (() => void) | undefined;
}

export interface PostgresStatement {
  readonly sql: string;
  readonly values: readonly (SqlValue | Uint8Array)[];
}

export interface SqlAnswer {
  /** The values as the server wrote them. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** How many rows were changed, or found. */
  readonly count: number;
}

export type HeldConnection = Pick<PostgresConnection, 'ask'>;

/** The connection broke while a statement was under way. */
export class ConnectionLostError extends Error {}

/** Programs that invent statements would fill the server with them. */
const MOST_STATEMENTS = 512;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const FIRST_ATTEMPT_MS = 2_000;
const LONGEST_ATTEMPT_MS = 10_000;
const LOOK_MS = 2_000;
/** A server that cannot be asked within this time is not asked any more for now. */
const LOOK_TIMEOUT_MS = 3_000;
/** When the server could not be asked for so long, the connection counts as broken. */
const PATIENCE_MS = 5_000;
/** The server closes a connection whose other end is gone after about a minute. */
const WITH_SYNC = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;
const KEEP_ALIVE = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

interface Connected {
  readonly client: Client;
  readonly watch: AnswerWatch;
  /** The number of the backend that serves this connection, and the moment since which it did so. */
  readonly backend: number;
  readonly since: number;
}

export class PostgresConnection {
  readonly #settings: ConnectionSettings;
  readonly #names = new Map<string, string>();
  #current: Promise<Connected> | undefined;
  /** A connection that broke. The server may not know that yet. */
  #former: Connected | undefined;
  #wasOpen = false;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Resolves when there is a connection. */
  async open(): Promise<void> {
    await this.#connected();
  }

  /** Sends a statement. Several that are sent one after the other are executed in that order. */
  async ask(statement: PostgresStatement): Promise<SqlAnswer> {
    return this.#askOn(await this.#connected(), statement);
  }

  /**
   * The connection as it is now, for statements that belong to one transaction: when it breaks, they are lost, and none of
   * them is sent over another one.
   */
  async hold(): Promise<HeldConnection> {
    const connected = await this.#connected();
    return { ask: (statement) => this.#askOn(connected, statement) };
  }

  async #askOn(connected: Connected, statement: PostgresStatement): Promise<SqlAnswer> {
    const { client, watch } = connected;
    try {
      const { rows, rowCount } = await watch.watch(client.query<(string | null)[]>(this.#queryOf(statement)));
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      this.#forget(client);
      throw new ConnectionLostError(errorText(error), { cause: error });
    }
  }

  /** Executes statements that are not prepared, such as those that make tables. */
  async execute(sql: string): Promise<void> {
    const { client, watch } = await this.#connected();
    await watch.watch(client.query(sql));
  }

  /** Gives up the connection as it is now, because it does not answer. What was asked on it rejects, and the next statement opens another one. */
  async drop(): Promise<void> {
    const connected = await this.#current?.catch(() => undefined);
    if (connected) this.#forget(connected.client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connected = await this.#current?.catch(() => undefined);
    if (connected) await endClient(connected);
  }

  #queryOf({ sql, values }: PostgresStatement): QueryArrayConfig<unknown[]> {
    let name = this.#names.get(sql);
    if (name === undefined && this.#names.size < MOST_STATEMENTS) {
      name = `s${this.#names.size + 1}`;
      this.#names.set(sql, name);
    }
    return { ...(name && { name }), text: sql, values: [...values], rowMode: 'array', types: AS_WRITTEN };
  }

  #connected(): Promise<Connected> {
    this.#current ??= this.#connect().catch((error) => {
      this.#current = undefined;
      throw error;
    });
    return this.#current;
  }

  async #connect(): Promise<Connected> {
    const { waitMs, owns } = this.#settings;
    const deadline = Date.now() + waitMs;
    const patientUntil = Date.now() + (owns?.patienceMs ?? 0);
    // An attempt may hang while the next one would succeed, so none of them gets the whole time.
    let attemptMs = Math.max(1_000, Math.min(waitMs, FIRST_ATTEMPT_MS));
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await this.#connectOnce(attemptMs);
      } catch (error) {
        const isPatient = this.#wasOpen || Date.now() < patientUntil;
        const mayHelp = isConnectionError(error) || (isPatient && error instanceof StoreInUseError);
        if (this.#isClosed || !mayHelp || Date.now() + pauseMs > deadline) throw error;
        attemptMs = Math.min(LONGEST_ATTEMPT_MS, attemptMs * 1.5);
        await sleep(pauseMs);
      }
    }
  }

  async #connectOnce(attemptMs: number): Promise<Connected> {
    const { url, schema, name, isLazy = false, lockMs, heard } = this.#settings;
    const { default: pg } = await import('pg');
    const options = [
      `-c search_path=${schema}`,
      KEEP_ALIVE,
      ...(isLazy ? ['-c synchronous_commit=off'] : []),
      ...(lockMs === undefined ? [] : [`-c lock_timeout=${lockMs}`]),
    ];
    const config: ClientConfig & { pipeline: boolean } = {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: attemptMs,
      keepAlive: true,
      options: options.join(' '),
      pipeline: true,
    };
    const client = new pg.Client(config);
    // A connection may break while nothing is asked; the next statement opens another one.
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    if (heard) client.on('notification', ({ payload }) => heard(payload ?? ''));
    try {
      await client.connect();
      const since = performance.now();
      if (!(await within(attemptMs, this.#begin(client)))) throw new ConnectionLostError('the server does not answer');
      this.#wasOpen = true;
      return this.#watched(client, since);
    } catch (error) {
      streamOf(client).destroy();
      throw error;
    }
  }

  async #begin(client: Client): Promise<void> {
    if (this.#former) await endBackend(client, this.#former);
    this.#former = undefined;
    // A server or a user may be configured not to wait for the disk, and what was told as stored must be there.
    if (!this.#settings.isLazy) await client.query(WITH_SYNC);
    await this.#own(client);
  }

  #watched(client: Client, since: number): Connected {
    const { waitMs, lookMs = LOOK_MS } = this.#settings;
    const backend = (client as unknown as { readonly processID: number | null }).processID ?? 0;
    const watch: AnswerWatch = new AnswerWatch({
      lookMs,
      patienceMs: Math.min(waitMs, PATIENCE_MS),
      look: () => this.#look(backend),
      giveUp: () => this.#forget(client),
    });
    return { client, watch, backend, since };
  }

  /** Asks the server over another connection what it does for this one. */
  async #look(backend: number): Promise<BackendState> {
    const { url } = this.#settings;
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: url,
      application_name: 'atrium look',
      connectionTimeoutMillis: LOOK_TIMEOUT_MS,
      query_timeout: LOOK_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ is_working: boolean | null }>(IS_WORKING, [backend]);
      if (rows.length === 0) return 'idle';
      const isWorking = rows[0]?.is_working ?? null;
      return isWorking === null ? 'unknown' : isWorking ? 'working' : 'idle';
    } finally {
      streamOf(client).destroy();
    }
  }

  async #own(client: Client): Promise<void> {
    const { owns } = this.#settings;
    if (!owns) return;
    const lock = owns.isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const sql = `SELECT ${lock}(hashtextextended($1, 0))`;
    const { rows } = await client.query<(string | null)[]>(this.#queryOf({ sql, values: [owns.name] }));
    if (rows[0]?.[0] === 't') return;
    throw new StoreInUseError({ store: owns.store, by: await this.#ownerOf(client, owns.name) });
  }

  /** Undefined when the server does not tell, for example because the other one has another user. */
  async #ownerOf(client: Client, name: string): Promise<string | undefined> {
    const { rows } = await client.query<(string | null)[]>(this.#queryOf({ sql: LOCK_OWNER, values: [name] }));
    const [application, address, since] = rows[0] ?? [];
    if (!application) return undefined;
    return `the connection "${application}" from ${address ?? 'this machine'}, since ${since}`;
  }

  #forget(client: Client): void {
    const current = this.#current;
    if (!current) return;
    void current.then(
      (connected) => {
        if (connected.client !== client || this.#current !== current) return;
        this.#current = undefined;
        this.#former = connected;
        connected.watch.end();
        // A goodbye would wait for the answers that do not come.
        streamOf(client).destroy();
        if (!this.#isClosed) this.#settings.lost?.();
      },
      () => undefined,
    );
  }
}

/** The library says goodbye when every answer has come, and none may come any more. */
async function endClient({ client, watch }: Connected): Promise<void> {
  watch.end();
  if (watch.isAwaiting) streamOf(client).destroy();
  else await Promise.race([client.end().catch(() => undefined), sleep(GOODBYE_MS, undefined, { ref: false })]);
}

const GOODBYE_MS = 2_000;

function streamOf(client: Client): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}

/** Ends what serves a connection that broke. Another backend may have its number by now, and that one began later. */
async function endBackend(client: Client, { backend, since }: Connected): Promise<void> {
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid = $1 AND usename = current_user AND backend_start <= clock_timestamp() - $2 * interval '1 millisecond'`;
  await client.query(sql, [backend, Math.floor(performance.now() - since)]);
}

/** Null when the server does not tell. A backend that waits for its client has nothing to do for it. */
const IS_WORKING = `SELECT state = 'active' AND wait_event_type IS DISTINCT FROM 'Client' AS is_working FROM pg_stat_activity WHERE pid = $1`;
const LOCK_OWNER = `SELECT a.application_name, host(a.client_addr), to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid, (SELECT hashtextextended($1, 0) AS key) AS k
  WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
    AND l.classid::bigint = ((k.key >> 32) & 4294967295) AND l.objid::bigint = (k.key & 4294967295) LIMIT 1`;

/** The store knows the kind of each column, so it reads the values itself. */
const AS_WRITTEN = { getTypeParser: () => (text: string) => text };

/** The classes of SQLSTATE that mean that the connection, and not the statement, is the trouble. */
const CONNECTION_STATES = /^(?:08|57P0[123]|53300)/;
const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** True when waiting for the server may help. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (CONNECTION_CODES.has(code) || (typeof code === 'string' && CONNECTION_STATES.test(code))) return true;
  // The library has no codes for these.
  return (
    code === undefined &&
    /Connection terminated|connection error|was closed|timeout expired|timeout exceeded/i.test(String(message))
  );
}
