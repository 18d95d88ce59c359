// The Store in a schema of a Postgres database, which several nodes may use at the same time. One connection makes the
// commits in their order, and others answer the reads.
//
// What a commit at one of SCRUBBING_SITES removes is gone for every reader when it resolves. Its bytes stay in the files
// of the server, in its log and on its replicas until the server writes over them; only the operator of the database can
// shorten that. docs/scale.md says how.

import { COMMIT_SITES, type CommitSite } from '../commit-sites.ts';
import { StoreClosedError, StoreFailedError } from '../errors.ts';
import { compileCount, compileMeasure, compileSelect } from '../sql/compile-query.ts';
import { compileWhere } from '../sql/compile-where.ts';
import { compileWrite } from '../sql/compile-write.ts';
import type { SqlStatement } from '../sql/dialect.ts';
import { codecOf, decodeRow } from '../sql/row-codec.ts';
import type {
  CommitCounter,
  CommitOptions,
  CommitResult,
  Query,
  Store,
  StoreVersions,
  Where,
  Write,
} from '../store.ts';
import type { StoreMember } from '../store-member.ts';
import type { TableName, Tables } from '../tables.ts';
import { CommitQueue } from './commit-queue.ts';
import { decodeText } from './decode-text.ts';
import { checkSchemaName, checkUrl, DEFAULT_SCHEMA, describePlace, WAIT_MS } from './describe-place.ts';
import { migrate, readVersion } from './migrate.ts';
import { TABLES_VERSION } from './migrations.ts';
import { ConnectionLostError, PostgresConnection, type SqlAnswer } from './postgres-connection.ts';
import { POSTGRES } from './postgres-dialect.ts';
import { storeErrorFrom } from './store-error.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that the library knows. */
  readonly url: string;
  /** The schema that the tables are in. */
  readonly schema?: string | undefined;
  /** Reads an existing store and changes nothing. */
  readonly readOnly?: boolean | undefined;
  /**
   * The member of the cluster that makes the commits. While this process is none, a commit is refused with NodeExpelledError, or waits
   * when it says so. Without it, commits belong to no member.
   */
  readonly member?: StoreMember | undefined;
  /** How long requests wait for a server that cannot be reached. */
  readonly waitMs?: number | undefined;
  /** After so long without an answer it is looked whether the connection hangs. */
  readonly lookMs?: number | undefined;
  /** Opens it although a move has filled only a part of it. */
  readonly isMoving?: boolean | undefined;
}

/** One long read must not keep the others waiting. */
const READERS = 2;

/** Rejects with StoreTooNewError, StoreReadOnlyError, StoreFullError or StoreFailedError. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, schema = DEFAULT_SCHEMA, readOnly = false, waitMs = WAIT_MS, isMoving } = options;
  const store = describePlace(url, schema);
  checkUrl(url, store);
  checkSchemaName(schema, store);
  // Nodes share the schema with each other, but not with a move of the store.
  const owns = options.member && { name: `atrium ${schema}`, store, isShared: true };
  const patience = { waitMs, lockMs: waitMs, lookMs: options.lookMs };
  const writer = new PostgresConnection({ url, schema, name: 'atrium commits', ...patience, owns });
  const reads = { url, schema, name: 'atrium reads', ...patience };
  const readers = Array.from({ length: READERS }, () => new PostgresConnection(reads));
  try {
    await writer.open();
    if (readOnly) {
      if ((await readVersion(writer, { schema, store })) < TABLES_VERSION) {
        const remedy = 'Start the gateway, which brings them up to date.';
        throw new StoreFailedError({ store, detail: 'its tables are of an older version', remedy });
      }
    } else {
      await migrate(writer, { schema, store, isMoving });
      // What processes left that are long gone.
      await writer.execute("DELETE FROM commit_marks WHERE at < now() - interval '7 days'");
    }
    return new PostgresStore({ store, schema, writer, readers, waitMs, member: options.member });
  } catch (error) {
    await Promise.all([writer, ...readers].map((connection) => connection.close()));
    throw storeErrorFrom(error, store);
  }
}

interface PostgresStoreParts {
  readonly store: string;
  readonly schema: string;
  readonly member: StoreMember | undefined;
  readonly writer: PostgresConnection;
  readonly readers: readonly PostgresConnection[];
  readonly waitMs: number;
}

class PostgresStore implements Store {
  readonly description: string;
  readonly #parts: PostgresStoreParts;
  readonly #queue: CommitQueue;
  readonly #commits = Object.fromEntries(COMMIT_SITES.map((site) => [site, 0])) as Record<CommitSite, number>;
  readonly #reads = new Set<Promise<unknown>>();
  #waits = 0;
  #nextReader = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: PostgresStoreParts) {
    this.description = parts.store;
    this.#parts = parts;
    this.#queue = new CommitQueue(parts.writer, parts);
  }

  get commits(): CommitCounter {
    return this.#commits;
  }

  readonly versions: StoreVersions = {
    read: async (name) => {
      const { rows } = await this.#read({ sql: 'SELECT version FROM versions WHERE name = $1', values: [name] });
      return Number(rows[0]?.[0] ?? 0);
    },
    raise: async (name) => {
      const sql = 'UPDATE versions SET version = version + 1 WHERE name = $1';
      await this.#read({ sql, values: [name] });
    },
  };

  get waits(): number {
    return this.#waits;
  }

  async commit(writes: readonly Write[], { site, claim, waits, asOf }: CommitOptions): Promise<CommitResult> {
    this.#checkOpen();
    const compiled = writes.map((write) => compileWrite(POSTGRES, write));
    const ordered = writes.flatMap(orderedNamesOf);
    const relies = asOf && { ...asOf, otherwise: asOf.otherwise.map((write) => compileWrite(POSTGRES, write)) };
    const result = await this.#queue.add({ writes: compiled, claim, ordered, waits, asOf: relies });
    this.#commits[site] += 1;
    this.#waits += 1;
    return result;
  }

  async select<T extends TableName>(table: T, query: Query<T> = {}): Promise<readonly Tables[T][]> {
    this.#checkOpen();
    const codec = codecOf(table);
    const { rows } = await this.#read(compileSelect(POSTGRES, codec, query));
    return rows.map((row) => decodeRow<T>(codec, row, decodeText));
  }

  async count<T extends TableName>(table: T, where: Where<T> = {}): Promise<number> {
    this.#checkOpen();
    return this.#readNumber(compileCount(POSTGRES, codecOf(table), where));
  }

  async measure<T extends TableName>(table: T, where: Where<T> = {}): Promise<number> {
    this.#checkOpen();
    const codec = codecOf(table);
    const clause = compileWhere(POSTGRES, codec, where, { undefinedConditions: 'skip' });
    return this.#readNumber(compileMeasure(POSTGRES, codec, clause));
  }

  async probe(): Promise<void> {
    this.#checkOpen();
    // Writing the version that is there changes nothing, but takes the same way as a change.
    const statement = { sql: 'UPDATE store_version SET version = version', values: [] };
    const write = { table: 'store_version', statement, isNumbered: false, expect: undefined, ceilings: [] };
    await this.#queue.add({ writes: [write], ordered: [] });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drain();
    await Promise.allSettled([...this.#reads]);
    const { writer, readers } = this.#parts;
    await Promise.all([writer, ...readers].map((connection) => connection.close()));
  }

  /** A read sees every commit that was requested before it. A connection that breaks has changed nothing, so the read is repeated. */
  #read(statement: SqlStatement): Promise<SqlAnswer> {
    const pending = this.#queue.isPending ? this.#queue.drain() : undefined;
    const reading = (async () => {
      await pending;
      const reader = this.#parts.readers[this.#nextReader++ % READERS] as PostgresConnection;
      try {
        return await reader.ask(statement);
      } catch (error) {
        if (error instanceof ConnectionLostError) return await reader.ask(statement);
        throw error;
      }
    })();
    this.#reads.add(reading);
    return reading
      .catch((error) => {
        throw storeErrorFrom(error, this.#parts.store);
      })
      .finally(() => this.#reads.delete(reading));
  }

  async #readNumber(statement: SqlStatement): Promise<number> {
    const { rows } = await this.#read(statement);
    return Number(rows[0]?.[0] ?? 0);
  }

  #checkOpen(): void {
    if (this.#closing) throw new StoreClosedError({ store: this.#parts.store });
  }
}

/** Whether a run may begin depends on the holds on its session, so the commits of both come one after the other. */
const COMMITTED_IN_TURN: ReadonlySet<TableName> = new Set<TableName>(['runs', 'laneHolds']);

/** What the rows of a numbered table are read in the order of: their session or their surface. */
function orderedNamesOf(write: Write): readonly string[] {
  if (!('insert' in write)) return [];
  if (!codecOf(write.insert).isNumbered && !COMMITTED_IN_TURN.has(write.insert)) return [];
  const { sessionKey, surfaceId, parentKey } = write.row as Readonly<Record<string, unknown>>;
  return [sessionKey, surfaceId, parentKey].filter((name): name is string => typeof name === 'string');
}
