import { expect, it } from 'vitest';
import type { HookCallRecord } from './hook-call-record.ts';
import { HookStatistics } from './hook-statistics.ts';

const call = (fields: Partial<HookCallRecord> = {}): HookCallRecord => ({
  hook: 'before_tool_call',
  id: 'guard',
  owner: 'a-plugin',
  at: 1,
  ms: 1,
  outcome: 'done',
  changed: [],
  ...fields,
});

it('counts calls, failures and times for each handler of each hook', () => {
  const statistics = new HookStatistics();
  for (let ms = 1; ms <= 100; ms++) statistics.count(call({ ms, at: ms }));
  statistics.count(call({ at: 101, ms: 100, outcome: 'threw', error: 'boom' }));
  statistics.count(call({ at: 102, ms: 100, outcome: 'timed-out', error: 'timed out' }));
  statistics.count(call({ at: 103, ms: 100, outcome: 'invalid' }));
  statistics.count(call({ at: 104, ms: 0, outcome: 'suspended' }));
  statistics.count(call({ hook: 'agent_end', at: 105 }));
  expect(statistics.snapshot()).toEqual([
    {
      hook: 'before_tool_call',
      id: 'guard',
      owner: 'a-plugin',
      calls: 103,
      errors: 2,
      timeouts: 1,
      notCalled: 1,
      p50Ms: 52,
      p95Ms: 98,
      lastFiredAt: 103,
      lastFailure: { at: 103, outcome: 'invalid', error: null },
    },
    expect.objectContaining({ hook: 'agent_end', calls: 1, errors: 0, lastFailure: null }),
  ]);
});

it('has times of the last calls only', () => {
  const statistics = new HookStatistics();
  for (let index = 0; index < 1_000; index++) statistics.count(call({ ms: 500 }));
  for (let index = 0; index < 300; index++) statistics.count(call({ ms: 2 }));
  expect(statistics.snapshot()).toMatchObject([{ calls: 1_300, p50Ms: 2, p95Ms: 2 }]);
});

it('knows a handler that was never called', () => {
  const statistics = new HookStatistics();
  statistics.count(call({ outcome: 'skipped' }));
  expect(statistics.snapshot()).toMatchObject([{ calls: 0, notCalled: 1, p50Ms: null, lastFiredAt: null }]);
});

it('shows the words of a failure when it is given them, and of the last failure only', () => {
  const statistics = new HookStatistics();
  statistics.count(call({ at: 1, outcome: 'threw' }));
  statistics.count(call({ at: 2, outcome: 'threw' }));
  statistics.explain(call({ at: 1 }), 'old');
  statistics.explain(call({ at: 2, owner: 'somebody else' }), 'not mine');
  expect(statistics.snapshot()).toMatchObject([{ lastFailure: { at: 2, outcome: 'threw', error: null } }]);
  statistics.explain(call({ at: 2 }), 'boom');
  expect(statistics.snapshot()).toMatchObject([{ lastFailure: { at: 2, outcome: 'threw', error: 'boom' } }]);
});

it('takes the same name of another owner for another handler', () => {
  const statistics = new HookStatistics();
  statistics.count(call());
  statistics.count(call({ owner: 'b-plugin' }));
  expect(statistics.snapshot()).toMatchObject([{ owner: 'b-plugin', calls: 1 }]);
});

it('forgets the oldest rather than growing without end', () => {
  const statistics = new HookStatistics();
  for (let index = 0; index < 5_010; index++) statistics.count(call({ id: `h${index}` }));
  const ids = statistics.snapshot().map(({ id }) => id);
  expect(ids).toHaveLength(5_000);
  expect([ids[0], ids.at(-1)]).toEqual(['h10', 'h5009']);
});
