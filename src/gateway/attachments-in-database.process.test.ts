// The files of messages when the store is in a database: they are there, and not in the folder of one machine.

import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../testkit/postgres-server.ts';
import { pixel } from '../testkit/test-images.ts';

const SEEING = { models: [{ id: 'small', input: ['text', 'image'] }] };
const photo = { name: 'photo.png', bytes: pixel() };
const base64 = photo.bytes.toString('base64');
const hash = createHash('sha256').update(photo.bytes).digest('hex');
const programs = await findPostgres();

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('with the store in Postgres', () => {
  let server: PostgresServer;
  let connection: PostgresConnection;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
    connection = new PostgresConnection({ url: server.url, schema: 'public', name: 'test', waitMs: 5_000 });
  });
  afterAll(async () => {
    await connection.close();
    await server.destroy();
  });
  const newStore = () => ({ url: server.url, schema: `files_${++schemas}` });
  const blobsOf = async ({ schema }: { schema: string }) =>
    (await connection.ask({ sql: `SELECT hash FROM ${schema}.blobs ORDER BY hash`, values: [] })).rows.flat();

  it('a file is in the database, reaches the model, and goes with its session', async () => {
    const store = newStore();
    const scratch = await gatewayForTest({ provider: SEEING, config: { store } });
    scratch.model.script(() => reply('A dot.'));
    const { sessionKey } = await scratch.channel.asks({}, 'What is this?', 'A dot.', { files: [photo] });
    await scratch.stop();
    await scratch.start();
    await scratch.channel.asks({}, 'Still?', 'A dot.');
    for (const { body } of scratch.model.requests) expect(body).toContain(base64);
    expect(await blobsOf(store)).toEqual([hash]);
    const folder = join(scratch.home.stateDir, 'atrium', 'attachments');
    expect(await readdir(folder).catch(() => [])).toEqual([]);
    await scratch.services.sessions.delete(sessionKey);
    expect(await blobsOf(store)).toEqual([]);
  });

  it('a blocked message leaves no file', async () => {
    const store = newStore();
    const scratch = await gatewayForTest({
      provider: SEEING,
      config: { store },
      register: (hooks) => on(hooks, 'before_agent_run', 'guard', () => ({ outcome: 'block' as const, reason: 'no' })),
    });
    await scratch.channel.asks({}, 'Look', /could not be sent/, { files: [photo] });
    expect(await scratch.store.count('attachments')).toBe(0);
    // The words are told as soon as they are committed, and the file goes behind that commit.
    await expect.poll(() => blobsOf(store)).toEqual([]);
  });

  it('files that an earlier version kept in the folder are moved at the start, and others stay', async () => {
    const store = newStore();
    const scratch = await gatewayForTest({ provider: SEEING, config: { store } });
    scratch.model.script(() => reply('A dot.'));
    await scratch.channel.asks({}, 'What is this?', 'A dot.', { files: [photo] });
    await scratch.stop();
    // As an earlier version left it.
    const folder = join(scratch.home.stateDir, 'atrium', 'attachments');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, hash), photo.bytes);
    await writeFile(join(folder, 'a'.repeat(64)), 'of another store');
    await connection.ask({ sql: `DELETE FROM ${store.schema}.blobs`, values: [] });
    await scratch.start();
    await scratch.channel.asks({}, 'Still?', 'A dot.');
    expect(scratch.model.requests.at(-1)?.body).toContain(base64);
    expect(await blobsOf(store)).toEqual([hash]);
    expect(await readdir(folder)).toEqual(['a'.repeat(64)]);
  });
});
