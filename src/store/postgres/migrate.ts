// Brings the tables of a schema to the newest version, with all steps in one transaction, or refuses. Nodes that start at
// the same time do it one after the other.

import { StoreFailedError, StoreMoveUnfinishedError, StoreTooNewError } from '../errors.ts';
import { MOVE_TABLE } from '../move/move-table.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';
import type { PostgresConnection } from './postgres-connection.ts';

export interface MigrationPlace {
  readonly schema: string;
  /** The name of the store in error sentences. */
  readonly store: string;
  /** Goes on although a move has filled only a part of the schema. */
  readonly isMoving?: boolean | undefined;
}

/** A number that only Atrium uses for its lock. */
const LOCK = 4_711_202_601;

export async function migrate(
  connection: PostgresConnection,
  { schema, store, isMoving }: MigrationPlace,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await connection.execute('BEGIN');
  try {
    await connection.ask({ sql: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
    const found = await readVersion(connection, { schema, store, isMoving });
    const newest = migrations.at(-1)?.version ?? 0;
    if (found > newest) throw new StoreTooNewError({ store, found, known: newest });
    if (found === 0) {
      await connection.execute(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await connection.execute('CREATE TABLE store_version (version BIGINT NOT NULL)');
      await connection.execute('INSERT INTO store_version (version) VALUES (0)');
    }
    for (const { version, statements } of migrations) {
      if (version > found) for (const statement of statements) await connection.execute(statement);
    }
    // The version is written even when nothing changes, so that a store that cannot be written fails now and not with
    // the first message.
    await connection.ask({ sql: 'UPDATE store_version SET version = $1', values: [newest] });
    await connection.execute('COMMIT');
  } catch (error) {
    await connection.execute('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** The version of the tables; 0 when there are none. */
export async function readVersion(
  connection: PostgresConnection,
  { schema, store, isMoving }: MigrationPlace,
): Promise<number> {
  const sql = 'SELECT table_name FROM information_schema.tables WHERE table_schema = $1';
  const tables = (await connection.ask({ sql, values: [schema] })).rows.flat();
  if (tables.length === 0) return 0;
  if (!tables.includes('store_version')) {
    throw new StoreFailedError({
      store,
      detail: `the schema "${schema}" has tables of another program`,
      remedy: 'Name another schema or another database in store.url.',
    });
  }
  if (tables.includes(MOVE_TABLE) && !isMoving) throw new StoreMoveUnfinishedError({ store });
  const { rows } = await connection.ask({ sql: 'SELECT version FROM store_version', values: [] });
  return Number(rows[0]?.[0] ?? 0);
}
