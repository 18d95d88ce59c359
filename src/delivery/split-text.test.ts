// Rules that hold for every text and every limit are tested with random ones; the other tests are examples.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../testkit/any-string.ts';
import { forAll } from '../testkit/for-all.ts';
import { cutText, splitText } from './split-text.ts';

describe('splitting a text', () => {
  it('leaves a text that fits as it is', () => {
    expect(splitText('hello', 5)).toEqual(['hello']);
    expect(splitText('```ts\nunclosed', 20)).toEqual(['```ts\nunclosed']);
  });

  it('makes no part of an empty text', () => {
    expect(splitText('', 100)).toEqual([]);
  });

  it('cuts between paragraphs rather than between lines', () => {
    expect(splitText('one\ntwo\n\nthree\nfour', 14)).toEqual(['one\ntwo\n\n', 'three\nfour']);
  });

  it('cuts between lines rather than between sentences', () => {
    expect(splitText('One. Two.\nThree. Four.', 16)).toEqual(['One. Two.\n', 'Three. Four.']);
  });

  it('cuts between sentences rather than between words', () => {
    expect(splitText('One two. Three four five', 16)).toEqual(['One two. ', 'Three four five']);
    expect(splitText('一二三。四五六七八', 7)).toEqual(['一二三。', '四五六七八']);
  });

  it('cuts between words rather than inside one', () => {
    expect(splitText('alpha beta gamma', 12)).toEqual(['alpha beta ', 'gamma']);
  });

  it('cuts a word that is longer than a part', () => {
    expect(splitText('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('does not leave a part almost empty for a better place', () => {
    expect(splitText(`a\n\n${'word '.repeat(8)}end`, 30)).toEqual([
      'a\n\nword word word word word ',
      'word word word end',
    ]);
  });

  it('closes a code fence and opens it again with its info string', () => {
    expect(splitText('```ts\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```', 36)).toEqual([
      '```ts\nconst a = 1;\nconst b = 2;\n```',
      '```ts\nconst c = 3;\n```',
    ]);
  });

  it('keeps a fence whole when it fits in a part of its own', () => {
    const fence = '```\none\ntwo\nthree\n```\n';
    expect(splitText(`Some words before it.\n${fence}After.`, 30)).toEqual([
      'Some words before it.\n',
      `${fence}After.`,
    ]);
  });

  it('cuts a line of code that is longer than a part', () => {
    const parts = splitText(`\`\`\`\n${'x'.repeat(50)}\n\`\`\``, 30);
    expect(parts.every((part) => part.startsWith('```\n') && part.endsWith('\n```'))).toBe(true);
    expect(parts.join('').replaceAll(/[`\n]/g, '')).toBe('x'.repeat(50));
  });

  it('knows fences of tildes, longer ones, and those in lists', () => {
    const parts = splitText(`  ~~~~sh\n${'echo a\n'.repeat(10)}~~~\n${'echo b\n'.repeat(5)}  ~~~~\nend`, 60);
    expect(parts[0]).toMatch(/^ {2}~~~~sh\n(echo a\n)+~~~~$/);
    expect(parts[1]).toMatch(/^ {2}~~~~sh\n/);
    expect(parts.at(-1)).toMatch(/\nend$/);
  });

  it('does not take backticks within a line for a fence', () => {
    expect(splitText('```inline``` words\nand more of them here', 22)).toEqual([
      '```inline``` words\n',
      'and more of them here',
    ]);
  });

  it('does not make a fence out of the rest of a line', () => {
    expect(splitText('aaaaaaaa```not a fence', 8).every((part) => !part.startsWith('```'))).toBe(true);
  });

  it('gives up an info string that would fill a part, and then the fence', () => {
    const long = `\`\`\`${'info'.repeat(20)}\n${'code\n'.repeat(40)}\`\`\``;
    const parts = splitText(long, 100);
    expect(parts.at(-1)).toMatch(/^```\ncode\n/);
    expect(splitText(long, 8).every((part) => part.length <= 8)).toBe(true);
  });

  it('tears neither pairs nor joined characters nor accents', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(splitText(family.repeat(3), family.length + 3)).toEqual([family, family, family]);
    expect(splitText('e\u0301'.repeat(4), 3)).toEqual(Array(4).fill('e\u0301'));
    expect(splitText('😀😀😀', 3)).toEqual(['😀', '😀', '😀']);
  });

  it('cuts even what looks like one endless character', () => {
    const text = `a${'\u0301'.repeat(5_000)}`;
    expect(splitText(text, 100).join('')).toBe(text);
  });

  it('refuses a limit under which a pair does not fit', () => {
    expect(() => splitText('abc', 1)).toThrow(RangeError);
  });
});

describe('any text under any limit', () => {
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
    { weight: 3, arbitrary: fc.lorem({ maxCount: 12 }) },
    { weight: 2, arbitrary: fc.constantFrom('```', '```ts', '~~~', '````', '  ```sh', '```a```', '``` ', '') },
    fc.constantFrom('x```', 'aaaa ~~~ b', '`````x', '\r', '🇩🇪🇫🇷👩🏽‍🚀', '一。二！三'),
    anyString({ maxLength: 20 }),
  );
  const anyText = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));

  it('never makes a part longer than the limit, or an empty one, and loses nothing', () => {
    forAll([anyText, fc.integer({ min: 2, max: 120 })], 500, (text, limit) => {
      const pieces = cutText(text, limit);
      expect(pieces.map(({ body }) => body).join('')).toBe(text);
      expect(pieces.every(({ body }) => body !== '')).toBe(true);
      expect(splitText(text, limit).every((part) => part.length <= limit)).toBe(true);
    });
  });

  it('never tears a pair', () => {
    forAll([anyText, fc.integer({ min: 2, max: 60 })], 300, (text, limit) => {
      const whole = text.replaceAll(LONE_HALF, '?');
      for (const { body } of cutText(whole, limit)) expect(body).not.toMatch(LONE_HALF);
    });
  });

  it('leaves no fence open except one that the text leaves open', () => {
    forAll([anyText, fc.integer({ min: 60, max: 200 })], 500, (text, limit) => {
      const parts = splitText(text, limit);
      expect(parts.slice(0, -1).filter(leavesFenceOpen)).toEqual([]);
      const last = parts.at(-1);
      if (last !== undefined) expect(leavesFenceOpen(last)).toBe(leavesFenceOpen(text));
    });
  });
});

const LONE_HALF = /\p{Surrogate}/gu;

/** Reads fences the way a platform does, in one pass and without sharing code with the function under test. */
function leavesFenceOpen(text: string): boolean {
  let open = '';
  for (const line of text.split('\n')) {
    const fence = line.trim().match(/^(`+|~+)(.*)$/s);
    const run = fence?.[1] ?? '';
    const rest = fence?.[2] ?? '';
    if (run.length < 3) continue;
    if (open === '') open = run.startsWith('`') && rest.includes('`') ? '' : run;
    else if (run[0] === open[0] && run.length >= open.length && rest.trim() === '') open = '';
  }
  return open !== '';
}
