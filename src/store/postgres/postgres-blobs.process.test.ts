import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres } from '../../testkit/postgres-server.ts';
import { hashOf } from '../blobs/blob-store.ts';
import { describeBlobStore } from '../blobs/blob-suite.ts';
import { StoreFailedError } from '../errors.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { PostgresBlobs } from './postgres-blobs.ts';
import { PostgresConnection } from './postgres-connection.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());
const url = server?.url ?? '';
const schema = 'atrium';
const open = () => new PostgresBlobs({ url, schema, waitMs: 10_000 });

async function ask(sql: string, values: readonly string[] = []) {
  const connection = new PostgresConnection({ url, schema, name: 'test', waitMs: 5_000 });
  try {
    return (await connection.ask({ sql, values })).rows;
  } finally {
    await connection.close();
  }
}

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('with a real server', () => {
  describeBlobStore('a schema of Postgres', async () => {
    await (await openPostgresStore({ url, schema })).close();
    return {
      open: async () => open(),
      damage: async (hash) =>
        void (await ask("UPDATE blob_chunks SET bytes = 'x' WHERE hash = $1 AND part = 0", [hash])),
      destroy: async () => void (await ask('TRUNCATE blobs CASCADE')),
    };
  });

  it('no value is larger than a chunk, and no chunk stays behind', async () => {
    const blobs = open();
    const bytes = randomBytes(5_000_000);
    await blobs.put(hashOf(bytes), bytes, 1);
    expect(await ask('SELECT count(*), max(length(bytes)) FROM blob_chunks')).toEqual([['5', '1048576']]);
    await blobs.remove(hashOf(bytes), 1);
    expect(await ask('SELECT count(*) FROM blob_chunks')).toEqual([['0']]);
    await blobs.close();
  });

  it('a blob is put once although connections are cut', async () => {
    const blobs = open();
    const cut = () =>
      ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'atrium file%'");
    const all = Array.from({ length: 8 }, () => randomBytes(2_500_000));
    for (const bytes of all) {
      // The connections are cut somewhere in the middle of each.
      const putting = blobs.put(hashOf(bytes), bytes, 1);
      await cut();
      await putting;
      expect((await blobs.read(hashOf(bytes)))?.equals(bytes)).toBe(true);
    }
    expect(await ask('SELECT count(*), sum(size) FROM blobs')).toEqual([['8', '20000000']]);
    await blobs.close();
  });

  it('a server that is gone is named in the error', async () => {
    const away = new PostgresBlobs({ url: 'postgres://atrium:secret@127.0.0.1:1/none', schema, waitMs: 100 });
    const bytes = randomBytes(10);
    const failing = away.put(hashOf(bytes), bytes, 1);
    await expect(failing).rejects.toThrow(/cannot be reached/);
    await expect(failing).rejects.not.toThrow(/secret/);
    await expect(away.read(hashOf(bytes))).rejects.toThrow(StoreFailedError);
    await away.close();
  });
});
