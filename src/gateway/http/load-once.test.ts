import { expect, it } from 'vitest';
import { loadOnce } from './load-once.ts';

it('loads once, for whoever asks and whenever', async () => {
  let loads = 0;
  const load = loadOnce(async () => ++loads);
  expect(loads).toBe(0);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

it('tries again after a failure, which everybody is told who waited for it', async () => {
  let loads = 0;
  const load = loadOnce(() => {
    if (++loads === 1) throw new Error('too many open files');
    return 'loaded';
  });
  const waiting = await Promise.allSettled([load(), load()]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await load()).toBe('loaded');
  expect(loads).toBe(2);
});
