import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { forAll } from '../../testkit/for-all.ts';

import { BoundedLines } from './stdio-transport.ts';

function linesOf(chunks: readonly (string | Buffer)[], maxBytes = 100): readonly (readonly [string, boolean])[] {
  const found: [string, boolean][] = [];
  const lines = new BoundedLines(maxBytes, (line, isCut) => found.push([line, isCut]));
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return found;
}

describe('bounded lines', () => {
  it('are the same however the bytes arrive', () => {
    const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }).map((line) => line.replace(/[\r\n]/g, '')));
    forAll([text, fc.array(fc.nat(200))], (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(linesOf(chunks, 10_000).map(([line]) => line)).toEqual(lines);
    });
  });

  it('end at the bound, are told of as cut, and the next line is whole again', () => {
    expect(linesOf(['abcdefgh', 'ijk', 'l\nnext\r\nlast'], 10)).toEqual([
      ['abcdefghij', true],
      ['next', false],
      ['last', false],
    ]);
  });

  it('of exactly the bound are whole', () => {
    expect(linesOf(['abcdefghij\n'], 10)).toEqual([['abcdefghij', false]]);
  });
});
