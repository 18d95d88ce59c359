import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forAll, forAllAsync } from './for-all.ts';

it('tries as often as it is told, and fails when the property throws or gives false', async () => {
  let tries = 0;
  forAll([fc.nat(), fc.string()], 7, (number, text) => {
    tries += 1;
    expect([typeof number, typeof text]).toEqual(['number', 'string']);
  });
  await forAllAsync([fc.nat()], async () => {
    tries += 1;
  });
  expect(tries).toBe(107);
  expect(() => forAll([fc.nat()], () => false)).toThrow('Property failed');
  expect(() => forAll([fc.nat()], () => expect.unreachable())).toThrow('Property failed');
  await expect(forAllAsync([fc.nat()], async () => false)).rejects.toThrow('Property failed');
});
