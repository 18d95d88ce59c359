// One connection to Postgres that comes back by itself. Statements are sent without waiting for the answers of those
// before them, so that what belongs together costs one round trip, and each is prepared once.
// Errors: a statement rejects with ConnectionLostError when it is not known whether the server has executed it; every
// other rejection is the server's. `open` rejects with the last reason when there was no connection within the time.
// Besides `lanes/lane-jobs.ts` no other file names the library, and it is loaded with the first connection.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientConfig, QueryArrayConfig } from 'pg';
import { errorText } from '../../protocol/one-line.ts';
import type { SqlStatement } from '../sql/dialect.ts';

export interface ConnectionSettings {
  readonly url: string;
  /** The schema that the tables are in. */
  readonly schema: string;
  /** What `pg_stat_activity` calls the connection. */
  readonly name: string;
  /** How long a statement waits for a connection that is gone. */
  readonly waitMs: number;
  /** Commits do not wait for the disk, because what is written means nothing after a crash of the server. */
  readonly isLazy?: boolean | undefined;
  /** Called with the text of each notification, on a connection that has said LISTEN. */
  readonly heard?: ((payload: string) => void) | undefined;
  /** Called when a connection that was there is gone, also while nothing is asked. */
  readonly lost?: (() => void) | undefined;
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

export class PostgresConnection {
  readonly #settings: ConnectionSettings;
  readonly #names = new Map<string, string>();
  #client: Promise<Client> | undefined;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Resolves when there is a connection. */
  async open(): Promise<void> {
    await this.#connected();
  }

  /** Sends a statement. Several that are sent one after the other are executed in that order. */
  async ask(statement: SqlStatement): Promise<SqlAnswer> {
    return this.#askOn(await this.#connected(), statement);
  }

  /**
   * The connection as it is now, for statements that belong to one transaction: when it breaks, they are lost, and none of
   * them is sent over another one.
   */
  async hold(): Promise<HeldConnection> {
    const client = await this.#connected();
    return { ask: (statement) => this.#askOn(client, statement) };
  }

  async #askOn(client: Client, statement: SqlStatement): Promise<SqlAnswer> {
    try {
      const { rows, rowCount } = await client.query<(string | null)[]>(this.#queryOf(statement));
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      if (!isConnectionError(error)) throw error;
      this.#forget(client);
      throw new ConnectionLostError(errorText(error), { cause: error });
    }
  }

  /** Executes statements that are not prepared, such as those that make tables. */
  async execute(sql: string): Promise<void> {
    const client = await this.#connected();
    await client.query(sql);
  }

  /** Gives up the connection as it is now, because it does not answer. The next statement opens another one. */
  async drop(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (client) this.#forget(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  #queryOf({ sql, values }: SqlStatement): QueryArrayConfig<unknown[]> {
    let name = this.#names.get(sql);
    if (name === undefined && this.#names.size < MOST_STATEMENTS) {
      name = `s${this.#names.size + 1}`;
      this.#names.set(sql, name);
    }
    return { ...(name && { name }), text: sql, values: [...values], rowMode: 'array', types: AS_WRITTEN };
  }

  #connected(): Promise<Client> {
    this.#client ??= this.#connect().catch((error) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const { waitMs } = this.#settings;
    const deadline = Date.now() + waitMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await this.#connectOnce();
      } catch (error) {
        if (this.#isClosed || !isConnectionError(error) || Date.now() + pauseMs > deadline) throw error;
        await sleep(pauseMs);
      }
    }
  }

  async #connectOnce(): Promise<Client> {
    const { url, schema, name, waitMs, isLazy = false, heard } = this.#settings;
    const { default: pg } = await import('pg');
    const config: ClientConfig & { pipeline: boolean } = {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: Math.max(1_000, waitMs),
      keepAlive: true,
      options: `-c search_path=${schema}${isLazy ? ' -c synchronous_commit=off' : ''}`,
      pipeline: true,
    };
    const client = new pg.Client(config);
    // A connection may break while nothing is asked; the next statement opens another one.
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    if (heard) client.on('notification', ({ payload }) => heard(payload ?? ''));
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  #forget(client: Client): void {
    const current = this.#client;
    if (!current) return;
    void current.then(
      (known) => {
        if (known !== client || this.#client !== current) return;
        this.#client = undefined;
        void client.end().catch(() => undefined);
        if (!this.#isClosed) this.#settings.lost?.();
      },
      () => undefined,
    );
  }
}

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
