import { describe, expect, it } from 'vitest';
import { nearMatch } from './near-match.ts';

const FRUITS = ['apple', 'banana', 'cherry'];

describe('nearMatch', () => {
  it.each([
    ['aple', 'apple', 'a letter left out'],
    ['appple', 'apple', 'a letter doubled'],
    ['axple', 'apple', 'a wrong letter'],
    ['appel', 'apple', 'two letters swapped'],
    ['BANANA', 'banana', 'another case'],
  ])('finds %s to be %s: %s', (word, expected) => {
    expect(nearMatch(word, FRUITS)).toBe(expected);
  });

  it('suggests nothing for a word that is simply another one', () => {
    expect(nearMatch('dragonfruit', FRUITS)).toBeUndefined();
    expect(nearMatch('mango', FRUITS)).toBeUndefined();
  });

  it('suggests nothing when there is nothing to suggest', () => {
    expect(nearMatch('apple', [])).toBeUndefined();
    expect(nearMatch('', FRUITS)).toBeUndefined();
  });

  it('prefers the closer word, and the earlier of two equally close ones', () => {
    expect(nearMatch('color', ['colon', 'colour', 'color'])).toBe('color');
    expect(nearMatch('cat', ['car', 'cap'])).toBe('car');
  });

  it('counts a swap as one slip, so that short words are found too', () => {
    expect(nearMatch('no', ['on'])).toBe('on');
  });

  it('takes any iterable', () => {
    expect(nearMatch('agent', new Set(['agents', 'hooks']))).toBe('agents');
  });
});
