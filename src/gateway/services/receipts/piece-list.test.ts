import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findInPieces, packPieces } from './piece-list.ts';

it('gives back the wanted numbers, each once and in order, for any numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1 })), (numbers) => {
      const sorted = [...new Set(numbers)].sort((a, b) => a - b);
      const packed = packPieces(numbers);
      expect(findInPieces(packed, () => true)).toEqual(sorted);
      expect(findInPieces(packed, (number) => number % 2 === 0)).toEqual(sorted.filter((number) => number % 2 === 0));
    }),
  );
});
