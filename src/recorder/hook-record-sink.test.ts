import { beforeEach, describe, expect, it } from 'vitest';
import { storeForEachTest } from '../testkit/for-each-test.ts';
import { type HookRecord, HookRecordSink, type HookRecordSinkSettings } from './hook-record-sink.ts';

let warnings: string[];
const scratch = storeForEachTest();
beforeEach(async () => {
  warnings = [];
});

const open = (limits: Partial<HookRecordSinkSettings> = {}) =>
  new HookRecordSink({ store: scratch.store, warn: (message) => warnings.push(message), ...limits });

const call = (index: number): HookRecord => ({
  runId: 'run_1',
  sessionKey: 'agent:main:main',
  hook: 'before_prompt_build',
  handler: `handler-${index}`,
  owner: 'a-plugin',
  at: index,
  ms: 1,
  outcome: 'done',
  error: null,
  changed: ['prependContext'],
  diff: [{ field: 'prependContext', at: 0, added: 'Mind the gap.' }],
});

const handlers = async () =>
  (await scratch.store.select('hookRecords', { orderBy: [['seq', 'asc']] })).map((row) => row.handler);

describe('the sink of hook records', () => {
  it('writes records in their order and in few commits', async () => {
    const sink = open({ batchSize: 100 });
    for (let index = 0; index < 250; index++) sink.record(call(index));
    await sink.drain();
    expect(await handlers()).toEqual(Array.from({ length: 250 }, (_, index) => `handler-${index}`));
    expect(scratch.store.commits['hook-records']).toBe(3);
  });

  it('does not wait for a caller to ask', async () => {
    const sink = open({ delayMs: 1 });
    sink.record(call(1));
    await expect.poll(handlers).toEqual(['handler-1']);
  });

  it('keeps the newest', async () => {
    const sink = open({ batchSize: 10, maxRows: 20 });
    for (let index = 0; index < 100; index++) sink.record(call(index));
    await sink.drain();
    const left = await handlers();
    expect(left.length).toBeLessThanOrEqual(40);
    expect(left.at(-1)).toBe('handler-99');
  });

  it('loses records rather than memory, and says so once', async () => {
    const sink = open({ batchSize: 100, maxPending: 5 });
    for (let index = 0; index < 20; index++) sink.record(call(index));
    await sink.drain();
    expect(await handlers()).toHaveLength(5);
    expect(sink.dropped).toBe(15);
    expect(warnings).toHaveLength(1);
  });

  it('survives a store that refuses', async () => {
    const sink = open();
    await scratch.store.close();
    sink.record(call(1));
    await sink.drain();
    sink.record(call(2));
    await sink.drain();
    expect(sink.dropped).toBe(2);
    expect(warnings).toHaveLength(1);
  });
});
