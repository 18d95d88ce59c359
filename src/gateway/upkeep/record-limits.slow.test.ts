import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

const DAY_MS = 86_400_000;

/** Writes other limits into the file of the configuration, and waits until the gateway has looked at it. */
async function limit(scratch: ScratchGateway, recorder: object): Promise<readonly string[]> {
  const config = JSON.parse(await readFile(scratch.home.path('openclaw.json'), 'utf8'));
  await scratch.home.write('openclaw.json', JSON.stringify({ ...config, recorder }));
  return (await scratch.services.configuration.state()).waiting;
}

it('holds what is kept to limits that were changed while the gateway runs', async () => {
  let ahead = 0;
  const scratch = await gatewayForTest({ now: () => Date.now() + ahead });
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  await vi.waitFor(async () => expect(await scratch.store.count('runs', { status: 'done' })).toBe(1));
  ahead = 2 * DAY_MS;
  const prunable = async () => {
    const pruned = await scratch.services.records.prune({ what: ['captures', 'approvals'], isDryRun: true });
    return Object.fromEntries(pruned.map(({ what, removed }) => [what, removed]));
  };
  expect(await prunable()).toEqual({ captures: 0 });
  expect(await limit(scratch, { captures: { maxDays: 1 }, approvals: { maxDays: 1 } })).toEqual([]);
  expect(await prunable()).toEqual({ captures: 2, approvals: 0 });
  expect(await limit(scratch, {})).toEqual([]);
  expect(await prunable()).toEqual({ captures: 0 });
});

it('ends a trajectory at the size that holds now, and says what waits for a restart', async () => {
  const scratch = await gatewayForTest();
  expect(await limit(scratch, { trajectory: { maxBytes: 12_000 } })).toEqual([]);
  scratch.model.script([reply('Hello.')]);
  await scratch.channel.asks({}, 'Hi', 'Hello.');
  expect(await limit(scratch, { trajectory: { maxBytes: 12_000, dir: '/elsewhere' } })).toEqual([
    'recorder.trajectory',
  ]);
  const dir = scratch.home.path('logs/trajectory');
  await scratch.stop();
  const [file = ''] = await readdir(dir);
  const last = (await readFile(join(dir, file), 'utf8')).trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ type: 'trace.truncated', data: { limitBytes: 12_000 } });
});
