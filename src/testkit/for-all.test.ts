import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { forAll, forAllAsync } from './for-all.ts';

it('tries as often as it is told, or the share of it that the run of the tests wants, and fails when the property throws or gives false', async () => {
  let tries = 0;
  forAll([fc.nat(), fc.string()], 7, (number, text) => {
    tries += 1;
    expect([typeof number, typeof text]).toEqual(['number', 'string']);
  });
  await forAllAsync([fc.nat()], async () => {
    tries += 1;
  });
  const share = inject('shareOfTries') ?? 1;
  expect(tries).toBe(Math.ceil(7 * share) + Math.ceil(100 * share));
  expect(() => forAll([fc.nat()], () => false)).toThrow('Property failed');
  expect(() => forAll([fc.nat()], () => expect.unreachable())).toThrow('Property failed');
  await expect(forAllAsync([fc.nat()], async () => false)).rejects.toThrow('Property failed');
});
