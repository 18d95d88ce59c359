import { describe, expect, it } from 'vitest';
import { delegateStore } from '../store/delegate-store.ts';
import type { Store, Write } from '../store/store.ts';
import { storeForEachTest } from '../testkit/for-each-test.ts';
import { captureRequest, readCapture } from './capture.ts';
import { KnownParts, USE_GRAIN_MS } from './known-parts.ts';
import { planForget, planPrune } from './prune-captures.ts';

const START = 1_000_000_000;
const scratch = storeForEachTest();

/** A store that counts the writes to parts which reach it, and fails when it is told to. */
function watched(): { known: KnownParts; store: Store; written: () => number; fail: (isFailing: boolean) => void } {
  let written = 0;
  let isFailing = false;
  const inner = delegateStore(scratch.store, {
    commit: async (writes, options) => {
      if (isFailing) throw new Error('full');
      written += writes.filter((write) => ('insert' in write ? write.insert : '') === 'parts').length;
      return scratch.store.commit(writes, options);
    },
  });
  const known = new KnownParts(inner);
  return {
    known,
    store: known.store,
    written: () => {
      const count = written;
      written = 0;
      return count;
    },
    fail: (yes) => {
      isFailing = yes;
    },
  };
}

const body = (said: string) => JSON.stringify({ system: ['shared '.repeat(800)], messages: [said.repeat(1_000)] });
const writesOf = (runId: string, at: number, said: string): Write[] =>
  captureRequest({
    runId,
    call: 1,
    at,
    provider: 'p',
    model: 'm',
    wire: { url: 'http://h/', headers: {}, body: body(said) },
  });
const capture = (store: Store, runId: string, at: number, said = 'a') =>
  store.commit(writesOf(runId, at, said), { site: 'request' });
const isWhole = async (runId: string) => (await readCapture(scratch.store, runId))?.body !== undefined;

describe('parts that were stored a moment ago', () => {
  it('are not written again, and every request is whole', async () => {
    const { store, written } = watched();
    const first = await capture(store, 'run_1', START);
    const parts = written();
    expect(parts).toBeGreaterThan(2);
    const again = await capture(store, 'run_2', START + 1_000);
    expect(written()).toBe(0);
    expect(again.changed).toHaveLength(first.changed.length);
    expect(again.changed.at(-1)).toBe(1);
    await capture(store, 'run_3', START + 2_000, 'b');
    expect(written()).toBe(1);
    for (const runId of ['run_1', 'run_2', 'run_3']) expect(await isWhole(runId)).toBe(true);
  });

  it('get a new date once it is too old', async () => {
    const { store, written } = watched();
    await capture(store, 'run_1', START);
    const parts = written();
    await capture(store, 'run_2', START + USE_GRAIN_MS + 1);
    expect(written()).toBe(parts);
    const dates = (await scratch.store.select('parts')).map(({ usedAt }) => usedAt);
    expect(new Set(dates)).toEqual(new Set([START + USE_GRAIN_MS + 1]));
  });

  it('are not known from a commit that failed', async () => {
    const { store, written, fail } = watched();
    fail(true);
    await expect(capture(store, 'run_1', START)).rejects.toThrow('full');
    fail(false);
    await capture(store, 'run_2', START + 1);
    expect(written()).toBeGreaterThan(2);
    expect(await isWhole('run_2')).toBe(true);
  });

  it('stay as long as a request that left them out', async () => {
    const { store } = watched();
    await capture(store, 'run_1', START);
    await capture(store, 'run_2', START + USE_GRAIN_MS);
    const limits = { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeMs: 0, now: START + USE_GRAIN_MS + 60_000 };
    await store.commit((await planPrune(store, limits)).writes, { site: 'prune' });
    expect(await scratch.store.count('captures')).toBe(1);
    expect(await isWhole('run_2')).toBe(true);
    const later = { ...limits, now: limits.now + USE_GRAIN_MS + 1 };
    await store.commit((await planPrune(store, later)).writes, { site: 'prune' });
    expect(await scratch.store.count('captures')).toBe(0);
    expect(await scratch.store.count('parts')).toBe(0);
  });

  it('are written again by a request that comes while the only other one is being forgotten', async () => {
    const { store, known } = watched();
    await capture(store, 'run_old', START);
    await known.forget();
    const plan = await planForget(store, ['run_old']);
    await capture(store, 'run_new', START + 1);
    await store.commit(plan, { site: 'session' });
    expect(await isWhole('run_new')).toBe(true);
    await capture(store, 'run_next', START + 2);
    expect(await isWhole('run_next')).toBe(true);
  });
});
