import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../store/store.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

describe.each(['up', 'down'])('atrium usage, with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('says so when no model was called', async () => {
    expect((await running.home.run(['usage'])).out).toBe('No model was called in that time.\n');
  });

  it('is a table with a total, and unknown where no prices are', async () => {
    await called({ model: 'small', cost: 0.5 }, { model: 'large', cost: null });
    const { out } = await running.home.run(['usage', '--by', 'model']);
    expect(out).toBe(`model       calls     in  cached  out  cost
fake/large      1  1,000     100   50  unknown
fake/small      1  1,000     100   50  0.5000
total           2  2,000     200  100  0.5000 and 1 call of unknown cost
`);
    expect(await running.home.runJson(['usage', '--by', 'model', '--session', 'agent:main:main'])).toMatchObject({
      groups: [{ key: 'fake/large' }, { key: 'fake/small' }],
      others: null,
      total: { calls: 2, cost: 0.5, unpriced: 1 },
    });
  });

  it('can be asked for a time and an agent', async () => {
    await called({ at: Date.parse('2020-01-01T00:00:00Z') }, { agentId: 'ops' });
    const calls = async (...flags: string[]) =>
      ((await running.home.runJson(['usage', ...flags])) as { total: { calls: number } }).total.calls;
    expect(await calls()).toBe(2);
    expect(await calls('--since', '2021-01-01')).toBe(1);
    expect(await calls('--agent', 'main')).toBe(1);
  });

  it.each([
    ['--by', 'mood'],
    ['--since', 'soon'],
  ])('refuses %s %s', async (flag, value) => {
    const { code, err } = await running.home.run(['usage', flag, value]);
    expect(code).toBe(2);
    expect(err).toContain(flag);
  });

  it('is part of what a run shows', async () => {
    await called({ runId: running.filled.runId, cost: 0.125 });
    expect((await running.home.run(['run', 'show', running.filled.runId])).out).toMatch(/^cost +0\.1250$/m);
  });
});

async function called(...rows: readonly Partial<NewRow<'usage'>>[]): Promise<void> {
  await running.store.commit(
    rows.map((row) => ({ insert: 'usage', row: { ...ROW, ...row } })),
    { site: 'result' },
  );
}

const ROW: NewRow<'usage'> = {
  runId: 'run_9',
  sessionKey: 'agent:main:main',
  sessionId: 'ses_9',
  agentId: 'main',
  at: Date.parse('2026-05-06T12:00:00Z'),
  purpose: 'run',
  provider: 'fake',
  model: 'small',
  input: 1_000,
  output: 50,
  cacheRead: 100,
  cacheWrite: 0,
  cost: null,
};
