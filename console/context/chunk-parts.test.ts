import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkParts } from './chunk-parts.ts';

describe('a long text in blocks', () => {
  it('is the text again, piece by piece', () => {
    const part = fc.record({
      text: fc.oneof(
        fc.string({ maxLength: 40 }),
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.integer({ min: 1, max: 20_000 }).map((length) => '😀a'.repeat(length)),
        fc.integer({ min: 1, max: 3_000 }).map((length) => 'A line.\n'.repeat(length)),
      ),
      piece: fc.option(fc.nat(9), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const blocks = chunkParts(parts);
        expect(
          blocks
            .flat()
            .map(({ text }) => text)
            .join(''),
        ).toBe(parts.map(({ text }) => text).join(''));
        for (const piece of new Set(parts.map((each) => each.piece))) {
          const textOf = (all: typeof parts) =>
            all
              .filter((each) => each.piece === piece)
              .map(({ text }) => text)
              .join('');
          expect(textOf(blocks.flat() as typeof parts)).toBe(textOf(parts));
        }
        for (const block of blocks) expect(block.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(32_800);
      }),
      { numRuns: 20 },
    );
  });

  it('ends blocks where lines end', () => {
    const blocks = chunkParts([{ text: 'A line of words.\n'.repeat(5_000), piece: 0 }]);
    expect(blocks.length).toBeGreaterThan(5);
    for (const block of blocks) expect(block.at(-1)?.text.endsWith('\n')).toBe(true);
  });
});
