import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { joinRopes, type Rope, ropeLength, ropeText, type SourceText, sliceRope } from './rope.ts';

const A = { kind: 'file', path: '/a' } as const;
const B = { kind: 'handler', id: 'b' } as const;
const source: SourceText = { text: 'hello world' };
const hello: Rope = [{ text: 'hello', origin: A, source, start: 0 }];
const world: Rope = [{ text: ' world', origin: A, source, start: 5 }];

describe('a rope', () => {
  it('reads as the texts of its spans', () => {
    expect(ropeText([])).toBe('');
    expect(ropeText([...hello, { text: '!', origin: B }])).toBe('hello!');
    expect(ropeLength([...hello, { text: '!', origin: B }])).toBe(6);
  });

  it('keeps origin, source and place when it is sliced', () => {
    const rope: Rope = [...hello, { text: '!?', origin: B }];
    expect(sliceRope(rope, 2, 6)).toEqual([
      { text: 'llo', origin: A, source, start: 2 },
      { text: '!', origin: B },
    ]);
    expect(sliceRope(rope, 5, 5)).toEqual([]);
    expect(sliceRope(rope, 0, 99)).toEqual(rope);
  });

  it('hands out untouched spans as they are, so that they can be recognised', () => {
    expect(sliceRope(hello, 0, 5)[0]).toBe(hello[0]);
  });
});

describe('joining ropes', () => {
  it('makes one span of neighbours that continue one another', () => {
    expect(joinRopes(hello, world)).toEqual([{ text: 'hello world', origin: A, source, start: 0 }]);
    expect(joinRopes([{ text: 'a', origin: B }], [{ text: 'b', origin: { ...B } }])).toEqual([
      { text: 'ab', origin: B },
    ]);
  });

  it('keeps neighbours apart that do not', () => {
    const apart: Rope[] = [
      [...hello, { text: '!', origin: B }],
      [...world, ...hello],
      [{ text: 'hello', origin: A, source: { text: 'hello' }, start: 0 }, ...world],
      [
        { text: 'x', origin: B },
        { text: 'y', origin: { ...B, rewritten: true } },
      ],
      [
        { text: 'x', origin: B, contribution: { by: 'b', chars: 1, separator: '', at: 'end' } },
        { text: 'y', origin: B, contribution: { by: 'b', chars: 1, separator: '', at: 'end' } },
      ],
    ];
    for (const rope of apart) expect(joinRopes(rope)).toHaveLength(2);
  });

  it('leaves out what says nothing', () => {
    expect(joinRopes([{ text: '', origin: B }], hello, [])).toEqual(hello);
  });
});

it('never loses or invents a character, however it is cut and joined', () => {
  const texts = fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom(A, B)), {
    maxLength: 6,
  });
  forAll([texts, fc.nat(40), fc.nat(40)], (parts, x, y) => {
    const rope = parts.map(([text, origin]) => ({ text, origin }));
    const text = ropeText(rope);
    const [from, to] = x < y ? [x, y] : [y, x];
    expect(ropeText(sliceRope(rope, from, to))).toBe(text.slice(from, to));
    expect(ropeText(joinRopes(sliceRope(rope, 0, from), sliceRope(rope, from, text.length)))).toBe(text);
    expect(ropeLength(rope)).toBe(text.length);
  });
});
