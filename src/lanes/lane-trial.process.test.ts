import { afterAll, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { bundleLaneNode } from './fixtures/lane-node-process.ts';
import { tryLanes } from './fixtures/lane-trial.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('three nodes, one of which is killed and one frozen', () => {
  it('lose no trigger, end no run twice, and keep the order of every session', async () => {
    const script = await bundleLaneNode(await folderForTest());
    const options = { script, url: server?.url ?? '', schema: 'trial', limit: 8, workMs: 200, frozenMs: 4_000 };
    const counts = await tryLanes({ ...options, keys: 40, triggers: 300 });
    expect(counts).toMatchObject({ lost: 0, doubled: 0, disordered: 0, givenUp: 0 });
    // Else nothing was under way when the nodes were killed and frozen.
    expect(counts.repeated).toBeGreaterThan(0);
  }, 300_000);
});
