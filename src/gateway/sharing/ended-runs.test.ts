import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { RunRow } from '../../store/tables.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { isOver } from '../services/runs.ts';
import { EndedRuns } from './ended-runs.ts';

const RUN: RunRow = {
  runId: 'run_1',
  sessionKey: 'agent:main:main',
  agentId: 'main',
  sessionId: null,
  status: 'running',
  claim: 1,
  progressClaim: 1,
  startedAt: 1,
  endedAt: null,
  outcome: null,
  observed: false,
  node: 'b#1',
  stopReason: null,
};

it('sees in the rows that a run is over of which nothing was heard, and asks nothing while nobody waits', async () => {
  const store = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
  let looks = 0;
  const counted = {
    select: ((...query: Parameters<typeof store.select>) => {
      looks += 1;
      return store.select(...query);
    }) as typeof store.select,
  };
  const ended = new EndedRuns({ store: counted, lookEveryMs: 5 });
  await store.commit([{ insert: 'runs', row: RUN }], { site: 'claim' });
  let isSeen = false;
  const awaited = ended.expect('run_1', isOver);
  void awaited.seen.then(() => {
    isSeen = true;
  });
  while (looks < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isSeen).toBe(false);
  await store.commit([{ update: 'runs', where: { runId: 'run_1' }, set: { status: 'done' } }], { site: 'result' });
  await awaited.seen;
  awaited.leave();
  const before = looks;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(looks).toBeLessThanOrEqual(before + 1);
  await store.close();
});
