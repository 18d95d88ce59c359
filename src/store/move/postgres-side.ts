// A schema of Postgres as one side of a move. While it is read or filled, no gateway can open it.
// The tables of a new schema are made, and those of an old one brought up to date. Errors: as `openPostgresStore`, and
// ConnectionLostError when the connection breaks in the middle of a transaction. A statement alone is asked again then,
// because each of them may be: they read, or set a number.

import { checkSchemaName, DEFAULT_SCHEMA, describePlace } from '../postgres/describe-place.ts';
import { migrate, readVersion } from '../postgres/migrate.ts';
import { ConnectionLostError, PostgresConnection, type SqlAnswer } from '../postgres/postgres-connection.ts';
import { POSTGRES } from '../postgres/postgres-dialect.ts';
import { storeErrorFrom } from '../postgres/store-error.ts';
import type { SqlStatement } from '../sql/dialect.ts';
import type { Column, EncodedValue, TableCodec } from '../sql/row-codec.ts';
import type { MovedRow, MoveSide } from './move-side.ts';
import type { SideUse } from './sqlite-side.ts';

/** A server that is restarted in the middle of a long move is waited for. */
const WAIT_MS = 60_000;
/** The server may need a moment to notice that a move that was killed is gone. */
const PATIENCE_MS = 3_000;

export async function openPostgresSide(
  { url, schema = DEFAULT_SCHEMA }: { readonly url: string; readonly schema?: string | undefined },
  use: SideUse,
): Promise<MoveSide> {
  const description = describePlace(url, schema);
  checkSchemaName(schema, description);
  const isMoving = use !== 'look';
  const owns = isMoving ? { name: `atrium ${schema}`, store: description, patienceMs: PATIENCE_MS } : undefined;
  const waitMs = isMoving ? WAIT_MS : 10_000;
  const connection = new PostgresConnection({ url, schema, name: 'atrium move', waitMs, owns });
  const told = <Value>(work: Promise<Value>) =>
    work.catch((error) => {
      throw error instanceof ConnectionLostError ? error : storeErrorFrom(error, description);
    });
  const ask = (sql: string, values: SqlStatement['values'] = []) => told(askAgain(connection, { sql, values }));
  const transact = async (statements: readonly SqlStatement[]) => {
    const held = await told(connection.hold());
    try {
      await held.ask({ sql: 'BEGIN', values: [] });
      for (const statement of statements) await held.ask(statement);
      await held.ask({ sql: 'COMMIT', values: [] });
    } catch (error) {
      if (error instanceof ConnectionLostError) throw error;
      await held.ask({ sql: 'ROLLBACK', values: [] }).catch(() => undefined);
      throw storeErrorFrom(error, description);
    }
  };
  try {
    await told(connection.open());
    const own = { schema, store: description, isMoving: use !== 'read' };
    if (isMoving) await told(migrate(connection, own));
    const version = await told(readVersion(connection, own));
    return {
      kind: 'postgres',
      description,
      identity: `postgres ${await readIdentity(connection)} ${schema}`,
      dialect: POSTGRES,
      version,
      ask: async ({ sql, values }, kinds) =>
        (await ask(sql, values)).rows.map((row) => row.map((value, index) => encodedOf(kinds[index], value))),
      fill: (codec, rows, progress) => transact([insertOf(codec, rows), progress]),
      transact,
      hasTable: async (table) => {
        const sql = 'SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = $2';
        return (await ask(sql, [schema, table])).rows.length > 0;
      },
      readLastNumber: async ({ table }) => {
        const sequence = await sequenceOf(connection, schema, table);
        const [row] = (await ask(`SELECT last_value, is_called FROM ${sequence}`)).rows;
        return row?.[1] === 't' ? Number(row[0]) : 0;
      },
      writeLastNumber: async ({ table }, last) => {
        const sequence = await sequenceOf(connection, schema, table);
        if (last > 0) await ask(`SELECT setval('${sequence}', $1::bigint, true)`, [last]);
      },
      measure: async () => {
        const sql =
          "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'";
        return Number((await ask(sql, [schema])).rows[0]?.[0] ?? 0);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** The connection comes back by itself, or says that it cannot. */
async function askAgain(connection: PostgresConnection, statement: SqlStatement): Promise<SqlAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connection.ask(statement);
    } catch (error) {
      if (!(error instanceof ConnectionLostError) || tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 5;

/** The server, whatever its address is called, and the database in it. */
async function readIdentity(connection: PostgresConnection): Promise<string> {
  const sql = 'SELECT (SELECT oid FROM pg_database WHERE datname = current_database())';
  const database = (await askAgain(connection, { sql, values: [] })).rows[0]?.[0];
  // It is made together with the files of the server and never changes. A server may keep it from its users.
  const control = 'SELECT system_identifier FROM pg_control_system()';
  const server = await askAgain(connection, { sql: control, values: [] }).then(
    ({ rows }) => rows[0]?.[0],
    () => undefined,
  );
  return `${server ?? 'server'}/${database}`;
}

async function sequenceOf(connection: PostgresConnection, schema: string, table: string): Promise<string> {
  const sql = "SELECT pg_get_serial_sequence($1, 'seq')";
  const { rows } = await askAgain(connection, { sql, values: [`${schema}.${table}`] });
  return String(rows[0]?.[0]);
}

function encodedOf(kind: Column['kind'] | undefined, value: string | null): EncodedValue {
  if (value === null || kind === 'text' || kind === 'json') return value;
  return kind === 'boolean' ? Number(value === 't') : Number(value);
}

const TYPES: { readonly [K in Column['kind']]: string } = {
  seq: 'bigint',
  integer: 'bigint',
  real: 'double precision',
  boolean: 'boolean',
  text: 'text',
  json: 'text',
};

/** All rows in one statement: a list for each column. The numbers of rows are written too. */
function insertOf({ table, columns, isNumbered }: TableCodec, rows: readonly MovedRow[]): SqlStatement {
  const names = columns.map(({ name }) => name).join(', ');
  const lists = columns.map(({ kind }, index) => `$${index + 1}::${TYPES[kind]}[]`).join(', ');
  const values = columns.map(({ kind }, index) => rows.map((row) => asWritten(kind, row[index] ?? null)));
  const sql = `INSERT INTO ${table} (${names})${isNumbered ? ' OVERRIDING SYSTEM VALUE' : ''} SELECT * FROM unnest(${lists})`;
  return { sql, values };
}

function asWritten(kind: Column['kind'], value: EncodedValue): EncodedValue {
  return kind === 'boolean' && value !== null ? (value === 1 ? 't' : 'f') : value;
}
