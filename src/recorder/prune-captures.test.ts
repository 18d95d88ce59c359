import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunStatus } from '../protocol/live-event.ts';
import { forAllAsync } from '../testkit/for-all.ts';
import { storeForEachTest } from '../testkit/for-each-test.ts';
import { captureRequest, readCapture } from './capture.ts';
import { type CaptureLimits, countPrunable, planForget, planPrune } from './prune-captures.ts';

const MINUTE = 60_000;
const NOW = 1_000_000 * MINUTE;
const NO_LIMIT = { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeMs: NOW, now: NOW };

const scratch = storeForEachTest();

async function capture(runId: string, minutesAgo: number, body: string, call = 1): Promise<void> {
  const wire = { url: 'http://127.0.0.1/', headers: {}, body };
  const at = NOW - minutesAgo * MINUTE;
  await scratch.store.commit(captureRequest({ runId, call, at, provider: 'p', model: 'm', wire }), { site: 'request' });
}

async function run(runId: string, status: RunStatus): Promise<void> {
  const row = {
    runId,
    sessionKey: 'agent:main:main',
    agentId: 'main',
    sessionId: null,
    status,
    claim: 1,
    progressClaim: 1,
    startedAt: 0,
    endedAt: null,
    outcome: null,
    observed: false,
    node: null,
    stopReason: null,
  };
  await scratch.store.commit([{ insert: 'runs', row }], { site: 'claim' });
}

/** Prunes until there is nothing left to do; returns the number of slices. */
async function prune(limits: Partial<CaptureLimits>): Promise<number> {
  for (let slices = 0; slices < 1_000; slices++) {
    const plan = await planPrune(scratch.store, { ...NO_LIMIT, ...limits });
    if (plan.writes.length === 0) return slices;
    await scratch.store.commit(plan.writes, { site: 'prune' });
  }
  throw new Error('pruning does not come to an end');
}

async function kept(): Promise<readonly string[]> {
  const rows = await scratch.store.select('captures', { orderBy: [['runId', 'asc']] });
  for (const { runId, call } of rows) expect((await readCapture(scratch.store, runId, call))?.body).toBeDefined();
  return rows.map((row) => row.runId);
}

const parts = () => scratch.store.count('parts');
const conversation = (label: string) =>
  JSON.stringify({ system: ['shared '.repeat(800)], messages: [`${label} ${'words '.repeat(900)}`] });

describe('pruning captures', () => {
  it('does nothing while everything is within the limits', async () => {
    await capture('run_a', 600, conversation('a'));
    expect(await planPrune(scratch.store, NO_LIMIT)).toEqual({ writes: [], captures: 0, more: false });
  });

  it('forgets what is older than the age limit, and keeps the parts that younger requests use', async () => {
    await capture('run_a', 90, conversation('a'));
    await capture('run_b', 80, conversation('b'));
    await capture('run_c', 10, conversation('c'));
    const before = await parts();
    await prune({ maxAgeMs: 60 * MINUTE });
    expect(await kept()).toEqual(['run_c']);
    expect(await parts()).toBe(before - 2);
  });

  it('forgets the oldest first when all together are too large', async () => {
    for (let index = 0; index < 10; index++) await capture(`run_${index}`, 100 - index, conversation(`${index}`));
    // Each request adds a message of some 5.4 kB and a manifest; what they share is stored once.
    expect(await countPrunable(scratch.store, { ...NO_LIMIT, maxBytes: 30_000 })).toBe(6);
    await prune({ maxBytes: 30_000 });
    expect(await kept()).toEqual(['run_6', 'run_7', 'run_8', 'run_9']);
  });

  it('never touches the captures of open runs, nor their parts', async () => {
    await run('run_open', 'running');
    await run('run_asks', 'suspended');
    await run('run_done', 'done');
    for (const [index, runId] of ['run_open', 'run_done', 'run_asks'].entries()) {
      await capture(runId, 500 - index, conversation(runId));
    }
    await capture('run_young', 5, conversation('young'));
    expect(await countPrunable(scratch.store, { ...NO_LIMIT, maxAgeMs: MINUTE, maxBytes: 0 })).toBe(2);
    await prune({ maxAgeMs: MINUTE, maxBytes: 0, pageSize: 1 });
    expect(await kept()).toEqual(['run_asks', 'run_open']);
  });

  it('leaves the last minute alone, even with no room at all', async () => {
    await capture('run_now', 0, conversation('now'));
    await capture('run_old', 2, conversation('old'));
    await prune({ maxBytes: 0, maxAgeMs: 0 });
    expect(await kept()).toEqual(['run_now']);
  });

  it('works in slices that are each sound', async () => {
    for (let index = 0; index < 30; index++) await capture(`run_${index}`, 200 - index, conversation(`${index}`));
    expect(await prune({ maxAgeMs: MINUTE, pageSize: 4 })).toBeGreaterThan(5);
    expect(await parts()).toBe(0);
  });

  it('keeps the parts of a request that is captured between the plan and its commit', async () => {
    await capture('run_old', 90, conversation('again'));
    const plan = await planPrune(scratch.store, { ...NO_LIMIT, maxAgeMs: 60 * MINUTE });
    await capture('run_new', 0, conversation('again'));
    await scratch.store.commit(plan.writes, { site: 'prune' });
    expect(await kept()).toEqual(['run_new']);
  });

  it('removes parts that no request names any more', async () => {
    await capture('run_gone', 90, conversation('gone'));
    await scratch.store.commit([{ remove: 'captures', where: { runId: 'run_gone' } }], { site: 'session' });
    await prune({ maxAgeMs: 60 * MINUTE });
    expect(await parts()).toBe(0);
  });

  it('forgets single runs at once, and keeps what others share with them', async () => {
    await capture('run_a', 30, conversation('private'));
    await capture('run_b', 20, conversation('other'));
    const writes = await planForget(scratch.store, ['run_a', 'run_unknown']);
    await scratch.store.commit(writes, { site: 'session' });
    expect(await kept()).toEqual(['run_b']);
    const texts = (await scratch.store.select('parts')).map((part) => part.text).join('');
    expect(texts).not.toContain('private');
  });

  it('leaves every request that it keeps whole, for any history', async () => {
    const request = fc.record({
      ago: fc.integer({ min: 2, max: 40 }),
      words: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 6 }),
      open: fc.boolean(),
    });
    const limits = fc.record({
      maxBytes: fc.integer({ min: 0, max: 40_000 }),
      maxAgeMs: fc.integer({ min: 0, max: 40 * MINUTE }),
      pageSize: fc.integer({ min: 1, max: 5 }),
    });
    await forAllAsync([fc.array(request, { minLength: 1, maxLength: 12 }), limits], 15, async (requests, limits) => {
      await scratch.remove();
      await scratch.open();
      for (const [index, { ago, words, open }] of requests.entries()) {
        await run(`run_${index}`, open ? 'running' : 'done');
        await capture(`run_${index}`, ago, JSON.stringify({ messages: words.map((word) => word.repeat(4_100)) }));
      }
      await prune(limits);
      const left = await kept();
      expect(requests.every(({ open }, index) => !open || left.includes(`run_${index}`))).toBe(true);
      const isOld = ({ ago, open }: { ago: number; open: boolean }) => !open && ago * MINUTE > limits.maxAgeMs;
      expect(requests.some((asked, index) => isOld(asked) && left.includes(`run_${index}`))).toBe(false);
    });
  });
});
