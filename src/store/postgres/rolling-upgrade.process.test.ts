import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import { StoreTooNewError, StoreUpgradeBlockedError } from '../errors.ts';
import { migrate, readVersion } from './migrate.ts';
import { MIGRATIONS, TABLES_VERSION } from './migrations.ts';
import { PostgresConnection } from './postgres-connection.ts';

const programs = await findPostgres();
const [V1, V2, V3] = [TABLES_VERSION, TABLES_VERSION + 1, TABLES_VERSION + 2];
/** The first of two releases adds a column, the second one takes away what only programs from before the first one use. */
const adds = { version: V2, statements: ['ALTER TABLE runs ADD COLUMN extra TEXT COLLATE "C"'] };
const takes = { version: V3, worksFrom: V2, statements: ['ALTER TABLE runs DROP COLUMN extra'] };

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('nodes of two versions on one database', () => {
  let server: PostgresServer;
  let connection: PostgresConnection;
  let place: { readonly schema: string; readonly store: string };
  let count = 0;
  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
  });
  afterAll(async () => {
    await connection.close();
    await server.destroy();
  });
  beforeEach(async () => {
    count += 1;
    const schema = `upgrade_${count}`;
    place = { schema, store: 'the test' };
    await connection?.close();
    connection = new PostgresConnection({ url: server.url, schema, name: 'test', waitMs: 5_000 });
    await migrate(connection, place);
  });
  const runs = (node: string, tables: number, lease = '1 minute') =>
    connection.execute(
      `INSERT INTO nodes (id, name, number, version, tables, joined_at, status, lease_until, backend, workspaces)
       VALUES ('${node}#1', '${node}', 1, '1', ${tables}, 0, 'up', clock_timestamp() + interval '${lease}', 0, '{}')`,
    );

  it('work side by side after a step that adds something, and the older one can be started again', async () => {
    await runs('old', V1);
    await migrate(connection, place, [...MIGRATIONS, adds]);
    expect(await readVersion(connection, place)).toBe(V2);
    await migrate(connection, place);
    expect(await readVersion(connection, place)).toBe(V2);
  });

  it('keep a step back that takes something away from a node that runs, and name that node', async () => {
    await migrate(connection, place, [...MIGRATIONS, adds]);
    await runs('old', V1);
    const refused = migrate(connection, place, [...MIGRATIONS, adds, takes]);
    await expect(refused).rejects.toThrow(StoreUpgradeBlockedError);
    await expect(refused).rejects.toThrow(/need them as they are: old\. Upgrade those first/);
    expect(await readVersion(connection, place)).toBe(V2);
  });

  it('take it away once every node knows enough, and then refuse programs that do not', async () => {
    await migrate(connection, place, [...MIGRATIONS, adds]);
    await runs('new', V2);
    // One whose lease is over does not count.
    await runs('gone', V1, '-1 minute');
    await migrate(connection, place, [...MIGRATIONS, adds, takes]);
    expect(await readVersion(connection, place)).toBe(V3);
    await migrate(connection, place, [...MIGRATIONS, adds]);
    await expect(migrate(connection, place)).rejects.toThrow(StoreTooNewError);
  });
});
