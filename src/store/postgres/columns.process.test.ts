import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import { type ColumnKind, columnName, TABLES } from '../sql/columns.ts';
import { STORE_KEYS } from '../store-model.ts';
import type { TableName } from '../tables.ts';
import { migrate } from './migrate.ts';
import { PostgresConnection } from './postgres-connection.ts';

const programs = await findPostgres();

const TYPES: { readonly [K in ColumnKind]: string } = {
  seq: 'bigint',
  text: 'text',
  'text?': 'text',
  integer: 'bigint',
  'integer?': 'bigint',
  real: 'double precision',
  'real?': 'double precision',
  boolean: 'boolean',
  json: 'text',
  'json?': 'text',
};

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('the tables of a new store in Postgres', () => {
  let server: PostgresServer;
  let connection: PostgresConnection;
  const schema = 'atrium';
  const ask = async (sql: string) => (await connection.ask({ sql, values: [] })).rows;

  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
    connection = new PostgresConnection({ url: server.url, schema, name: 'test', waitMs: 5_000 });
    await migrate(connection, { schema, store: 'the test' });
  });
  afterAll(async () => {
    await connection.close();
    await server.destroy();
  });

  it('are those that the code knows', async () => {
    const found = (await ask(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`)).flat();
    const known = Object.values(TABLES).map(({ table }) => table);
    const others = [
      'blob_chunks',
      'blobs',
      'commit_marks',
      'drained_nodes',
      'duties',
      'node_numbers',
      'nodes',
      'store_version',
      'versions',
    ];
    expect(found.sort()).toEqual([...known, ...others].sort());
  });

  it.each(Object.values(TABLES))('have the columns that the code knows: $table', async ({ table, columns }) => {
    const found = await ask(
      `SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name = '${table}'`,
    );
    const known = Object.entries(columns).map(([field, kind]: [string, ColumnKind]) => [
      columnName(field),
      TYPES[kind],
      kind.endsWith('?') ? 'YES' : 'NO',
    ]);
    expect([...found].sort()).toEqual(known.sort());
  });

  it.each(Object.entries(TABLES))('have the keys that the model knows: %s', async (name, { table }) => {
    const found = await ask(
      `SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM pg_index i
       CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
       WHERE i.indrelid = '${schema}.${table}'::regclass AND i.indisunique GROUP BY i.indexrelid`,
    );
    const known = STORE_KEYS[name as TableName].map(({ fields }) => fields.map(columnName).join(','));
    expect(found.flat().sort()).toEqual([...known].sort());
  });

  it('compare every text by its code points', async () => {
    const other = await ask(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${schema}' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
    );
    expect(other).toEqual([]);
  });
});
