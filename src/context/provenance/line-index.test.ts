import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { lineRange, linesOf, offsetsOfLine } from './line-index.ts';

const source = { text: 'one\ntwo\n\nfour' };

describe('lines', () => {
  it('are counted from one, and a line break belongs to the line that it ends', () => {
    expect(lineRange(source, 0, 3)).toEqual([1, 1]);
    expect(lineRange(source, 0, 4)).toEqual([1, 1]);
    expect(lineRange(source, 3, 5)).toEqual([1, 2]);
    expect(lineRange(source, 8, 9)).toEqual([3, 3]);
    expect(lineRange(source, 0, 13)).toEqual([1, 4]);
  });

  it('are those of one place when nothing is covered', () => {
    expect(lineRange(source, 4, 4)).toEqual([2, 2]);
    expect(lineRange({ text: '' }, 0, 0)).toEqual([1, 1]);
  });

  it('do not begin anew behind the last line break', () => {
    const text = { text: 'one\ntwo\n' };
    expect(lineRange(text, 0, 8)).toEqual([1, 2]);
    expect(offsetsOfLine(text, 3)).toBeUndefined();
  });

  it('are known for spans that stand in a file only', () => {
    const origin = { kind: 'file', path: '/a' } as const;
    expect(linesOf({ text: 'two', origin, source, start: 4 })).toEqual([2, 2]);
    expect(linesOf({ text: 'two', origin: { kind: 'handler', id: 'x' } })).toBeUndefined();
  });

  it('can be found again by their number', () => {
    expect(offsetsOfLine(source, 1)).toEqual([0, 4]);
    expect(offsetsOfLine(source, 4)).toEqual([9, 13]);
    expect(offsetsOfLine(source, 5)).toBeUndefined();
    expect(offsetsOfLine(source, 0)).toBeUndefined();
  });
});

it('agrees with counting line breaks one by one', () => {
  const text = fc.array(fc.constantFrom('a', '\n', 'bc', '\r\n'), { maxLength: 40 }).map((parts) => parts.join(''));
  forAll([text, fc.nat(), fc.nat()], (written, x, y) => {
    fc.pre(written.length > 0);
    const [start, last] = [x % written.length, y % written.length].sort((a, b) => a - b) as [number, number];
    const lineAt = (offset: number) => written.slice(0, offset).split('\n').length;
    expect(lineRange({ text: written }, start, last + 1)).toEqual([lineAt(start), lineAt(last)]);
  });
});
