import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countOf } from './count-of.ts';

it('says how many there are, in one form for one and in another for all others', () => {
  expect([0, 1, 12_345].map((count) => countOf(count, 'file'))).toEqual(['0 files', '1 file', '12,345 files']);
});

it('writes every number as English does', () => {
  const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
  fc.assert(
    fc.property(
      number,
      (count) => countOf(count, 'x').split(' ')[0] === (count === 0 ? 0 : count).toLocaleString('en-US'),
    ),
  );
});
