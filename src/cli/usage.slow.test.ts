import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childRow } from '../gateway/services/fixtures/child-row.ts';
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

  it('shows the limits below, with what is spent and reserved', async () => {
    await running.home.write('openclaw.json', JSON.stringify({ limits: { spend: [{ per: 'session', money: 2 }] } }));
    const row = {
      ...{
        subject: '[null,"agent:main:main",null]',
        per: 'session' as const,
        period: 'ses_1',
        since: 1,
        warnedAt: null,
      },
      ...{ money: 1_500_000_000, tokens: 70, reservedMoney: 20_000_000, reservedTokens: 5, unpriced: 1 },
    };
    await running.store.commit([{ insert: 'spending', row }], { site: 'spend' });
    const { out } = await running.home.run(['usage']);
    expect(out).toMatch(
      /^limits\.spend\[0\] +session agent:main:main +session ses_1 +1\.50 +0\.0200 +2\.00 +########\.\. 75 % +1 call of unknown cost$/m,
    );
    expect(await running.home.runJson(['usage'])).toMatchObject({ limits: [{ counters: [{ spentMoney: 1.5 }] }] });
  });

  it('says what a run comes to with its subagents', async () => {
    const childKey = 'agent:main:subagent:one';
    const row = childRow({ childKey, parentKey: 'agent:main:main', parentRunId: running.filled.runId });
    await running.store.commit([{ insert: 'children', row }], { site: 'spawn' });
    await called({ runId: running.filled.runId, cost: 0.5 }, { runId: 'run_c', sessionKey: childKey, cost: 0.25 });
    const { out } = await running.home.run(['usage', '--by', 'run']);
    expect(out).toMatch(/cost +with subagents$/m);
    expect(out).toMatch(new RegExp(`^${running.filled.runId} .* 0\\.5000 +0\\.7500$`, 'm'));
    expect(out).toMatch(/^total +2 .* 0\.7500$/m);
    expect((await running.home.run(['run', 'show', running.filled.runId])).out).toMatch(/^with subagents +0\.7500$/m);
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
