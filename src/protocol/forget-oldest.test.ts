import { expect, it } from 'vitest';
import { forgetOldest } from './forget-oldest.ts';

it('removes nothing up to the limit, and the oldest quarter beyond it', () => {
  const map = new Map(Array.from({ length: 8 }, (_, index) => [index, index]));
  forgetOldest(map, 8);
  expect(map.size).toBe(8);
  map.set(8, 8);
  forgetOldest(map, 8);
  expect([...map.keys()]).toEqual([3, 4, 5, 6, 7, 8]);
});

it('keeps the newest entry even when only one may stay', () => {
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  forgetOldest(map, 1);
  expect([...map.keys()]).toEqual(['b']);
});
