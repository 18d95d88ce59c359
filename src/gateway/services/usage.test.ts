import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewRow, Store } from '../../store/store.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { ScratchStore } from '../../testkit/scratch-store.ts';
import { childRow } from './fixtures/child-row.ts';
import { MOST_USAGE_GROUPS, sumUsage, type UsageQuery } from './usage.ts';

const NOON = Date.parse('2026-05-06T12:00:00Z');
const HOUR = 3_600_000;

describe('usage', () => {
  it('is summed up by day, as the clocks of the zone have it', async () => {
    const store = await storeWith([{ at: NOON }, { at: NOON + 11 * HOUR }, { at: NOON + 13 * HOUR }]);
    const days = async (timezone: string) =>
      (await sumUsage(store, { by: 'day', timezone })).groups.map(({ key, calls }) => [key, calls]);
    expect(await days('UTC')).toEqual([
      ['2026-05-07', 1],
      ['2026-05-06', 2],
    ]);
    expect(await days('Asia/Tokyo')).toEqual([
      ['2026-05-07', 2],
      ['2026-05-06', 1],
    ]);
  });

  it.each([
    ['agent', ['ops', 'main']],
    ['session', ['agent:ops:main', 'agent:main:main']],
    ['model', ['fake/large', 'fake/small']],
    ['run', ['run_3', 'run_2', 'run_1']],
  ] as const)('is summed up by %s, the latest first', async (by, keys) => {
    const store = await storeWith([
      { runId: 'run_1' },
      { runId: 'run_2' },
      { runId: 'run_3', agentId: 'ops', sessionKey: 'agent:ops:main', model: 'large' },
    ]);
    expect((await sumUsage(store, { by, timezone: 'UTC' })).groups.map(({ key }) => key)).toEqual(keys);
  });

  it('knows what it costs only where prices are known, and never makes that a zero', async () => {
    const store = await storeWith([
      { runId: 'run_1', cost: 0.5 },
      { runId: 'run_1', cost: 0.25 },
      { runId: 'run_2', cost: null },
      { runId: 'run_3', cost: null },
      { runId: 'run_3', cost: 1 },
    ]);
    const { groups, total } = await sumUsage(store, { by: 'run', timezone: 'UTC' });
    expect(groups.map(({ key, cost, unpriced }) => [key, cost, unpriced])).toEqual([
      ['run_3', 1, 1],
      ['run_2', null, 1],
      ['run_1', 0.75, 0],
    ]);
    expect(total).toEqual({ calls: 5, input: 50, output: 25, cacheRead: 5, cacheWrite: 0, cost: 1.75, unpriced: 2 });
  });

  it('can be asked for a time, an agent, a session or a run', async () => {
    const store = await storeWith([
      { at: NOON - HOUR, runId: 'run_1' },
      { at: NOON, runId: 'run_2', agentId: 'ops', sessionKey: 'agent:ops:main' },
    ]);
    const calls = async (query: object) =>
      (await sumUsage(store, { by: 'day', timezone: 'UTC', ...query })).total.calls;
    expect(await calls({})).toBe(2);
    expect(await calls({ since: NOON })).toBe(1);
    expect(await calls({ agentId: 'main' })).toBe(1);
    expect(await calls({ sessionKey: 'agent:ops:main' })).toBe(1);
    expect(await calls({ runId: 'run_1', since: NOON })).toBe(0);
  });

  it('has a bounded number of lines, and loses nothing from the total', async () => {
    const rows = Array.from({ length: MOST_USAGE_GROUPS + 500 }, (_, index) => ({ runId: `run_${index}` }));
    const { groups, others, total } = await sumUsage(await storeWith(rows), { by: 'run', timezone: 'UTC' });
    expect(groups).toHaveLength(MOST_USAGE_GROUPS);
    expect(groups[0]?.key).toBe(`run_${rows.length - 1}`);
    expect(others?.calls).toBe(500);
    expect(total.calls).toBe(rows.length);
  });

  it('of subagents is added to the run and the session that spawned them, and once to the total', async () => {
    const key = (name: string) => `agent:main:subagent:${name}`;
    const store = await storeWith([
      { runId: 'run_1', cost: 1 },
      { runId: 'run_2', cost: 2 },
      { runId: 'run_3', sessionKey: key('outer'), cost: 4 },
      { runId: 'run_4', sessionKey: key('inner'), cost: null },
      { runId: 'run_5', sessionKey: key('inner'), agentId: 'ops', cost: 8, at: NOON - HOUR },
      { runId: 'run_6', sessionKey: key('other'), cost: 16 },
    ]);
    const children = [
      childRow({ childKey: key('outer'), parentKey: 'agent:main:main', parentRunId: 'run_1' }),
      childRow({ childKey: key('inner'), parentKey: key('outer'), parentRunId: 'run_3', depth: 2 }),
      childRow({
        childKey: key('other'),
        parentKey: 'agent:main:main',
        parentRunId: 'run_2',
        parentSessionId: 'ses_0',
      }),
    ];
    await store.commit(
      children.map((row) => ({ insert: 'children', row })),
      { site: 'spawn' },
    );
    const told = async (query: Partial<UsageQuery>) => {
      const report = await sumUsage(store, { by: 'run', timezone: 'UTC', ...query });
      const sums = report.groups.map((group) => [group.key, group.cost, group.withSubagents?.cost ?? null]);
      return { ...report, sums };
    };
    const byRun = await told({});
    expect(byRun.sums.toReversed()).toEqual([
      ['run_1', 1, 13],
      ['run_2', 2, 18],
      ['run_3', 4, 12],
      ['run_4', null, null],
      ['run_5', 8, null],
      ['run_6', 16, null],
    ]);
    expect(byRun.groups.find((group) => group.key === 'run_1')?.withSubagents).toMatchObject({ calls: 4, unpriced: 1 });
    expect(byRun).toMatchObject({ total: { calls: 6, cost: 31 }, totalWithSubagents: null });
    expect((await told({ by: 'session' })).sums.toReversed()).toEqual([
      ['agent:main:main', 3, 31],
      [key('outer'), 4, 12],
      [key('inner'), 8, null],
      [key('other'), 16, null],
    ]);
    const main = { sessionKey: 'agent:main:main' };
    expect(await told(main)).toMatchObject({ total: { cost: 3 }, totalWithSubagents: { cost: 31, calls: 6 } });
    expect((await told({ ...main, since: NOON })).totalWithSubagents?.cost).toBe(23);
    expect((await told({ ...main, sessionId: 'ses_1' })).totalWithSubagents?.cost).toBe(15);
    expect((await told({ by: 'model', runId: 'run_2' })).totalWithSubagents?.cost).toBe(18);
  });

  it('outlives the session that it was for, is told by /status, and by the API', async () => {
    const prices = { input: 1_000, output: 2_000 };
    const scratch = await gatewayForTest({ provider: { models: [{ id: 'small', cost: prices }] } });
    scratch.model.script(() => reply('Hello.', { usage: { input: 100, output: 50 } }));
    const { sessionKey } = await scratch.channel.asks({}, 'Hello', 'Hello.');
    await scratch.channel.says({}, '/status');
    await scratch.channel.expectDelivered(
      /^Usage: this session 100 tokens in, 50 out, cost 0\.2000; main today 100 tokens in, 50 out, cost 0\.2000$/m,
    );
    await scratch.services.sessions.delete(sessionKey);
    const { total } = await sumUsage(scratch.store, { by: 'session', timezone: 'UTC', sessionKey });
    expect(total).toMatchObject({ calls: 1, input: 100, output: 50, cost: 0.2 });
  });

  it.each([
    [
      { input: 12.5, output: 0.5 },
      { input: 13, output: 1, cost: 0.015 },
    ],
    [
      { input: -50, output: -3 },
      { calls: 0, input: 0, cost: null },
    ],
    [
      { input: 10, output: 5, cacheRead: -1e9 },
      { input: 10, output: 5, cacheRead: 0, cost: 0.02 },
    ],
    [
      { input: 1e300, output: 2 ** 60 },
      { input: 1e9, output: 1e9 },
    ],
  ])('%j of a provider that cannot count is no reason to lose its answer', async (usage, summed) => {
    const prices = { input: 1_000, output: 2_000 };
    const scratch = await gatewayForTest({ provider: { models: [{ id: 'small', cost: prices }] } });
    scratch.model.script([reply('Hello.', { usage })]);
    await scratch.channel.asks({}, 'Hello', 'Hello.');
    expect((await sumUsage(scratch.store, { by: 'session', timezone: 'UTC' })).total).toMatchObject(summed);
  });
});

async function storeWith(rows: readonly Partial<NewRow<'usage'>>[]): Promise<Store> {
  const scratch = await ScratchStore.create();
  onTestFinished(() => scratch.remove());
  await scratch.store.commit(
    rows.map((row) => ({ insert: 'usage', row: { ...ROW, ...row } })),
    { site: 'result' },
  );
  return scratch.store;
}

const ROW: NewRow<'usage'> = {
  runId: 'run_1',
  sessionKey: 'agent:main:main',
  sessionId: 'ses_1',
  agentId: 'main',
  at: NOON,
  purpose: 'run',
  provider: 'fake',
  model: 'small',
  input: 10,
  output: 5,
  cacheRead: 1,
  cacheWrite: 0,
  cost: null,
};
