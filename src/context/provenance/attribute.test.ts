import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { attribute } from './attribute.ts';
import { type Rope, ropeText } from './rope.ts';

const FILE = { kind: 'file', path: '/w/AGENTS.md' } as const;
const HANDLER = { kind: 'handler', id: 'mine' } as const;

function ropeOf(text: string): Rope {
  return text === '' ? [] : [{ text, origin: FILE, source: { text }, start: 0 }];
}

/** Who wrote what, as pairs: `f` for the file, `h` for the handler, `r` for a rewrite. */
function authors(before: string, after: string): [string, string][] {
  return attribute(ropeOf(before), after, HANDLER).rope.map(({ text, origin }) => {
    if (origin.kind === 'file') return ['f', text];
    return [origin.kind === 'handler' && origin.rewritten ? 'r' : 'h', text];
  });
}

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('');

describe('a text that a handler assigned', () => {
  it('is the file’s own when nothing changed', () => {
    const before = ropeOf(TEN);
    expect(attribute(before, TEN, HANDLER)).toEqual({ rope: before, added: '', removed: '', rewritten: false });
  });

  it('is the handler’s where it was put in: in front, behind, in the middle', () => {
    expect(authors('old', 'new old')).toEqual([
      ['h', 'new '],
      ['f', 'old'],
    ]);
    expect(authors('old', 'old new')).toEqual([
      ['f', 'old'],
      ['h', ' new'],
    ]);
    expect(authors('ab', 'a-b')).toEqual([
      ['f', 'a'],
      ['h', '-'],
      ['f', 'b'],
    ]);
  });

  it('is the handler’s whole when there was nothing before', () => {
    expect(authors('', 'new')).toEqual([['h', 'new']]);
    expect(attribute([], 'new', HANDLER)).toMatchObject({ added: 'new', removed: '', rewritten: false });
  });

  it('is the file’s where something was only taken out', () => {
    const after = TEN.replace('line 4\n', '');
    expect(authors(TEN, after).every(([who]) => who === 'f')).toBe(true);
    expect(attribute(ropeOf(TEN), after, HANDLER)).toMatchObject({ added: '', removed: expect.stringContaining('4') });
    expect(authors(TEN, '')).toEqual([]);
  });

  it('names only the replaced word when one is replaced', () => {
    expect(authors('a\nkeep this word\nb\n', 'a\nkeep THAT word\nb\n')).toEqual([
      ['f', 'a\nkeep '],
      ['h', 'THAT'],
      ['f', ' word\nb\n'],
    ]);
    expect(attribute(ropeOf('a\none\nb'), 'a\ntwo\nb', HANDLER)).toMatchObject({ rewritten: false });
  });

  it('is told apart line by line when several places changed', () => {
    const after = TEN.replace('line 2\n', 'two\n').replace('line 8\n', 'added\neight\n');
    const result = attribute(ropeOf(TEN), after, HANDLER);
    expect(result).toMatchObject({ added: 'two\nadded\neight', removed: 'line 2\nline 8', rewritten: false });
    expect(result.rope.filter(({ origin }) => origin === FILE).map(({ text }) => text)).toEqual([
      'line 1\n',
      expect.stringContaining('line 3\nline 4'),
      expect.stringContaining('line 10'),
    ]);
  });

  it('keeps the places of the file’s lines, so that their numbers stay right', () => {
    const { rope } = attribute(ropeOf(TEN), `first\n${TEN.replace('line 5\n', '')}`, HANDLER);
    for (const span of rope) {
      if (span.start === undefined) continue;
      expect(TEN.slice(span.start, span.start + span.text.length)).toBe(span.text);
    }
  });

  it('is a rewrite when no whole line of the file is left', () => {
    expect(authors('old words here', 'something else entirely')).toContainEqual(['r', expect.any(String)]);
    expect(attribute(ropeOf('# A\n\nold\n'), '# B\nnew\n', HANDLER)).toMatchObject({ rewritten: true });
  });

  it('is not called a rewrite when the author is a rule, which has no such word', () => {
    const { rope } = attribute(ropeOf('old'), 'NEW', { kind: 'rule', id: 'r' });
    expect(rope).toEqual([{ text: 'NEW', origin: { kind: 'rule', id: 'r' } }]);
  });

  it('keeps what it wraps, also when it writes on in the same lines', () => {
    expect(authors('first\nsecond\nlast', '<rules>first\nsecond\nlast\n</rules>')).toEqual([
      ['h', '<rules>'],
      ['f', 'first\nsecond\nlast'],
      ['h', '\n</rules>'],
    ]);
  });

  it('gives lines that occur twice to the file once', () => {
    expect(authors('a\n', 'a\na\n')).toEqual([
      ['f', 'a\n'],
      ['h', 'a\n'],
    ]);
  });

  it('keeps the other handlers’ text theirs', () => {
    const other = { kind: 'handler', id: 'other' } as const;
    const before: Rope = [...ropeOf('file\n'), { text: 'one two three\n', origin: other }];
    const { rope, added, removed } = attribute(before, 'file\none TWO three\n', HANDLER);
    expect(rope.map(({ text, origin }) => [text, origin])).toEqual([
      ['file\n', FILE],
      ['one ', other],
      ['TWO', HANDLER],
      [' three\n', other],
    ]);
    expect([added, removed]).toEqual(['TWO', 'two']);
  });
});

describe('characters of two units', () => {
  it.each([
    ['a😀b', 'a😃b'],
    ['😀', '😃'],
    ['x😀', 'x😀😀'],
    ['😀y', '😁😀y'],
    ['x😀', 'x🈀'],
    ['\ud83d\ude00', '\ud83d\ude03\ude00'],
  ])('are never split between two authors: %j to %j', (before, after) => {
    const { rope } = attribute(ropeOf(before), after, HANDLER);
    expect(ropeText(rope)).toBe(after);
    for (const [index, { text }] of rope.slice(0, -1).entries()) {
      const next = rope[index + 1]?.text ?? '';
      expect(/[\ud800-\udbff]$/.test(text) && /^[\udc00-\udfff]/.test(next), `${index}`).toBe(false);
    }
  });
});

describe('a huge text', () => {
  it('is compared in bounded time, and claimed whole where it cannot be', () => {
    const lines = (word: string) => Array.from({ length: 5_000 }, (_, i) => `${word} ${i}\n`).join('');
    const before = process.cpuUsage();
    const result = attribute(ropeOf(`start\n${lines('old')}end\n`), `start\n${lines('new')}end\n`, HANDLER);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    expect(result.rewritten).toBe(true);
    expect(result.rope.map(({ origin }) => origin)).toEqual([FILE, { ...HANDLER, rewritten: true }, FILE]);
  });

  it('still keeps its common beginning and end, also past the size of one comparison', () => {
    const long = 'x'.repeat(100_000);
    expect(authors(`${long}\nold\n${long}`, `${long}\nnew\n${long}`)).toEqual([
      ['f', `${long}\n`],
      ['h', 'new'],
      ['f', `\n${long}`],
    ]);
  });
});

it('always gives back the new text, and never more of the old one than there was', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b\n', '\n', 'c c\n', '😀', '\ud83d', '---\n'), { maxLength: 25 })
    .map((parts) => parts.join(''));
  forAll([text, text], 500, (before, after) => {
    const { rope, added, removed } = attribute(ropeOf(before), after, HANDLER);
    expect(ropeText(rope)).toBe(after);
    const kept = rope.filter(({ origin }) => origin === FILE).map((span) => span.text.length);
    const unchanged = before.length - removed.length;
    expect(unchanged).toBe(after.length - added.length);
    expect(kept.reduce((sum, length) => sum + length, 0)).toBeGreaterThanOrEqual(unchanged);
    for (const { text: own, start } of rope) {
      if (start !== undefined) expect(before.slice(start, start + own.length)).toBe(own);
    }
  });
});
