import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres } from '../../testkit/postgres-server.ts';
import { TABLES } from '../sql/columns.ts';
import { describeStore } from '../store-suite.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { PostgresConnection } from './postgres-connection.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const newSchema = () => `test_${randomBytes(6).toString('hex')}`;
const url = server?.url ?? '';

async function execute(schema: string, sql: string): Promise<void> {
  const connection = new PostgresConnection({ url, schema, name: 'test', waitMs: 5_000 });
  await connection.execute(sql);
  await connection.close();
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('with a real server', () => {
  // Making the tables takes longer than a test of the suite, so they are emptied instead.
  const schema = newSchema();
  const tables = Object.values(TABLES).map(({ table }) => table);
  describeStore('a schema of Postgres', async () => ({
    open: () => openPostgresStore({ url, schema }),
    destroy: () => execute(schema, `TRUNCATE ${tables.join(', ')}`),
  }));

  it('names the place without the password', async () => {
    const store = await openPostgresStore({ url: url.replace('atrium@', 'atrium:secret@'), schema });
    expect(store.description).toContain('postgres');
    expect(store.description).not.toContain('secret');
    await store.close();
  });
});
