import { describe, expect, it } from 'vitest';
import { clip, errorText, oneLine } from './one-line.ts';

describe('words from elsewhere', () => {
  it.each<[unknown, string]>([
    [new Error('no key'), 'no key'],
    [new Error('first\n\tsecond\r\n'), 'first second'],
    [{ message: 'a plain object' }, 'a plain object'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['a\u0000b\u202ec\u2028d\u200be\ufefff', 'a b c d e f'],
    // One emoji of several, and a word of Persian and one of Hindi.
    [
      'a \u{1f469}\u200d\u{1f467} b \u{1f3f3}\ufe0f\u200d\u{1f308}',
      'a \u{1f469}\u200d\u{1f467} b \u{1f3f3}\ufe0f\u200d\u{1f308}',
    ],
    ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['\u0915\u094d\u200d\u0937', '\u0915\u094d\u200d\u0937'],
    ['pass\u200dword\u200c \u200d\u{1f469}', 'pass word \u{1f469}'],
    [null, 'null'],
    [42, '42'],
    ['  ', ''],
  ])('%j stand on one line', (value, line) => {
    expect(oneLine(value)).toBe(line);
  });

  it('are bounded, with a mark, and no character is cut in two', () => {
    expect(oneLine('x'.repeat(10_000))).toHaveLength(500);
    expect(oneLine('a b c d e', 5)).toBe('a b…');
    expect(clip('abcde', 5)).toBe('abcde');
    expect(clip('abc😀e', 5)).toBe('abc…');
    expect(clip('ab', 0)).toBe('a…');
  });

  it('are empty when looking at them throws', () => {
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('do not look');
      },
    });
    expect([errorText(hostile), oneLine(hostile), oneLine(Object.create(null))]).toEqual(['', '', '']);
  });
});
