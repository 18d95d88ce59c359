import { expect, it, onTestFinished } from 'vitest';
import { delegateStore } from '../../store/delegate-store.ts';
import { PreconditionFailedError, StoreFullError } from '../../store/errors.ts';
import { ScratchStore } from '../../testkit/scratch-store.ts';
import { StoreWatch } from './store-watch.ts';

/** A store whose disk the test can fill, and a clock that it can turn. */
async function watched() {
  const { store } = await scratchStore();
  const disk = { isFull: false };
  const clock = { at: 0 };
  const log: string[] = [];
  const check = () => {
    if (disk.isFull) throw new StoreFullError({ store: 'here' });
  };
  const filling = delegateStore(store, {
    commit: async (writes, options) => {
      check();
      return store.commit(writes, options);
    },
    probe: async () => {
      check();
      return store.probe();
    },
  });
  const watch = new StoreWatch({ store: filling, now: () => clock.at, warn: (text) => log.push(text) });
  const put = (hash: string) =>
    watch.store.commit([{ insert: 'parts', row: { hash, text: '', size: 0, usedAt: 1 } }], { site: 'request' });
  return { watch, disk, clock, log, put };
}

async function scratchStore(): Promise<ScratchStore> {
  const scratch = await ScratchStore.create();
  onTestFinished(() => scratch.remove());
  return scratch;
}

it('says once that the store refuses, and once that it takes commits again', async () => {
  const { watch, disk, clock, log, put } = await watched();
  await put('a');
  expect([await watch.problem(), watch.warnings]).toEqual([undefined, []]);
  disk.isFull = true;
  for (let n = 0; n < 1_000; n++) await expect(put('b')).rejects.toThrow(StoreFullError);
  expect(log).toEqual([expect.stringMatching(/no space left/)]);
  expect(await watch.problem()).toMatch(/no space left/);
  expect(watch.warnings).toEqual(log);

  disk.isFull = false;
  await put('c');
  expect([await watch.problem(), watch.warnings]).toEqual([undefined, []]);
  // A store that refuses again a moment later has not recovered, and this is not told again either.
  disk.isFull = true;
  await expect(put('d')).rejects.toThrow(StoreFullError);
  disk.isFull = false;
  clock.at += 120_000;
  await put('e');
  expect(log).toEqual([
    expect.stringMatching(/no space left/),
    'The store takes commits again, after it had refused 1001.',
  ]);
});

it('asks the store itself when nothing was committed lately', async () => {
  const { watch, disk, clock } = await watched();
  disk.isFull = true;
  expect(await watch.problem()).toMatch(/no space left/);
  disk.isFull = false;
  clock.at += 10_000;
  expect(await watch.problem()).toBeUndefined();
});

it('does not take a commit that found other rows for a store that refuses', async () => {
  const { watch, log, put } = await watched();
  await put('a');
  await expect(put('a')).rejects.toThrow(PreconditionFailedError);
  expect([log, await watch.problem()]).toEqual([[], undefined]);
});
