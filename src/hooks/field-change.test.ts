import { describe, expect, it } from 'vitest';
import { addChanges, type FieldChange } from './field-change.ts';

function changes(before: unknown, after: unknown): readonly FieldChange[] {
  const found: FieldChange[] = [];
  addChanges(found, 'f', before, after);
  return found;
}

describe('what became of a field', () => {
  it.each([
    [undefined, 'new', { at: 0, added: 'new' }],
    ['one', 'one two', { at: 3, added: ' two' }],
    ['two', 'one two', { at: 0, added: 'one ' }],
    ['one two', 'one', { at: 3, removed: ' two' }],
    ['a secret here', 'a *** here', { at: 2, removed: 'secret', added: '***' }],
    ['aaa', 'aa', { at: 2, removed: 'a' }],
  ])('%j to %j is the part that differs', (before, after, change) => {
    expect(changes(before, after)).toEqual([{ field: 'f', ...change }]);
  });

  it.each([
    ['\u{1f600}', '\u{1f601}'],
    ['a\u{1f600}b', 'a\u{1f601}b'],
    ['\u{1f600}', '\u{10200}'],
  ])('never cuts a pair in two: %j to %j', (before, after) => {
    const [change] = changes(before, after);
    const rebuilt = (text: string, at: number, removed: string, added: string) =>
      text.slice(0, at) + added + text.slice(at + removed.length);
    // This throws when the text ends in half of a surrogate pair.
    expect(encodeURIComponent(`${change?.removed}${change?.added}`)).not.toBe('');
    expect(rebuilt(before, change?.at ?? 0, change?.removed ?? '', change?.added ?? '')).toBe(after);
  });

  it('is told part by part for objects and lists of one length', () => {
    const before = { path: 'a', keep: { deep: [1, { x: 'y' }] }, gone: true };
    const after = { path: 'b', keep: { deep: [1, { x: 'z' }] }, added: [1, 2] };
    expect(changes(before, after)).toEqual([
      { field: 'f.path', at: 0, removed: 'a', added: 'b' },
      { field: 'f.keep.deep.1.x', at: 0, removed: 'y', added: 'z' },
      { field: 'f.gone', before: 'true' },
      { field: 'f.added', after: '[1,2]' },
    ]);
  });

  it('is told whole when a list grew, a text became something else, or it lies too deep', () => {
    expect(changes([1], [1, 2])).toEqual([{ field: 'f', before: '[1]', after: '[1,2]' }]);
    expect(changes(1, 'one')).toEqual([{ field: 'f', before: '1', after: '"one"' }]);
    const deep = (value: number) => ({ a: { b: { c: { d: { e: value } } } } });
    expect(changes(deep(1), deep(2))).toEqual([{ field: 'f.a.b.c.d', before: '{"e":1}', after: '{"e":2}' }]);
  });

  it('is nothing where equal values are not the same', () => {
    expect(changes({ a: [{ b: 1 }] }, { a: [{ b: 1 }] })).toEqual([]);
  });

  it('is bounded in length and in number', () => {
    const [long] = changes('', 'x'.repeat(10_000));
    expect(long?.added).toBe(`${'x'.repeat(500)}…[9500 more characters]`);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
    expect(changes({}, many)).toHaveLength(20);
  });

  it('survives what cannot be written', () => {
    const circle: { self?: unknown } = {};
    circle.self = [circle];
    expect(changes(undefined, circle)).toEqual([{ field: 'f', after: '"a value that cannot be shown"' }]);
  });
});
