import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { CuttingProxy } from '../testkit/cutting-proxy.ts';
import { findPostgres, startPostgres } from '../testkit/postgres-server.ts';
import { LaneJobs } from './lane-jobs.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs, { syncs: false });
afterAll(() => server?.destroy());

const SOON = { timeout: 30_000, interval: 20 };

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server)('the hints which lane to look at', () => {
  it('come again when a connection hangs: it is given up after a while, and another one is made', async () => {
    const proxy = await CuttingProxy.start(server?.socket ?? '');
    onTestFinished(() => proxy.close());
    const taken: string[] = [];
    const troubles: string[] = [];
    const jobs = new LaneJobs({
      url: `postgres://atrium@127.0.0.1:${proxy.port}/postgres`,
      schema: 'atrium',
      node: 'a',
      full: async () => [],
      take: (sessionKey) => void taken.push(sessionKey),
      warn: (sentence) => void troubles.push(sentence),
      answerMs: 500,
    });
    await jobs.open('a#1');
    onTestFinished(() => jobs.close());
    jobs.add({ sessionKey: 'before', pool: 'common' });
    await expect.poll(() => taken, SOON).toEqual(['before']);

    proxy.stop();
    jobs.add({ sessionKey: 'during', pool: 'common' });
    await expect.poll(() => taken, SOON).toEqual(['before', 'during']);
    // It is said once, whatever follows from it.
    expect(troubles).toEqual([
      expect.stringMatching(/^The nodes could not tell each other at once which session has work: /),
    ]);
    jobs.add({ sessionKey: 'after', pool: 'common' });
    await expect.poll(() => taken, SOON).toEqual(['before', 'during', 'after']);
  });
});
