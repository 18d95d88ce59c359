// Brings the tables of a schema to the newest version, with all steps in one transaction, or refuses. Nodes that start at
// the same time do it one after the other. Nodes of two versions may run side by side: a program works with newer tables as long as
// they say that they suit it, and a step that would not suit a node that runs is refused.

import { StoreFailedError, StoreMoveUnfinishedError, StoreTooNewError, StoreUpgradeBlockedError } from '../errors.ts';
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
    // Another node may take long for its steps.
    await connection.execute('SET LOCAL lock_timeout TO 0');
    await connection.ask({ sql: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
    const found = await readVersion(connection, { schema, store, isMoving });
    const newest = migrations.at(-1)?.version ?? 0;
    // Another node of a newer version may have been here already; that is well as long as these tables suit this program too.
    if (found > newest) {
      if ((await readWorksFrom(connection)) > newest) throw new StoreTooNewError({ store, found, known: newest });
      await connection.execute('COMMIT');
      return;
    }
    const worksFrom = Math.max(0, ...migrations.map(({ worksFrom = 0 }) => worksFrom));
    if (found > 0 && found < newest) await checkNodes(connection, worksFrom, store);
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
    await connection.ask({
      sql: 'UPDATE store_version SET version = $1, works_from = $2',
      values: [newest, worksFrom],
    });
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
      remedy: 'Name another schema, or another database in its address.',
    });
  }
  if (tables.includes(MOVE_TABLE) && !isMoving) throw new StoreMoveUnfinishedError({ store });
  const { rows } = await connection.ask({ sql: 'SELECT version FROM store_version', values: [] });
  return Number(rows[0]?.[0] ?? 0);
}

async function readWorksFrom(connection: PostgresConnection): Promise<number> {
  const { rows } = await connection.ask({ sql: 'SELECT works_from FROM store_version', values: [] });
  return Number(rows[0]?.[0] ?? 0);
}

/** Rejects when a node runs that could not go on after the steps. */
async function checkNodes(connection: PostgresConnection, worksFrom: number, store: string): Promise<void> {
  if (worksFrom === 0) return;
  const sql = `SELECT name FROM nodes WHERE tables < $1 AND lease_until > clock_timestamp() ORDER BY name`;
  const nodes = (await connection.ask({ sql, values: [worksFrom] })).rows.flat().map(String);
  if (nodes.length > 0) throw new StoreUpgradeBlockedError({ store, nodes });
}
