import { describe, expect, it } from 'vitest';
import { phrasesOf, wordsOf } from './words-of.ts';

describe('the words of a text', () => {
  it.each([
    ['Hello, World!', 'hello world'],
    ['  one\n\ntwo\t3.5% ', 'one two 3 5'],
    ['Über CAFÉ naïve', 'uber cafe naive'],
    ['ﬁne Ⅳ', 'fine iv'],
    ['東京都へ行く', '東 京 都 へ 行 く'],
    ['GPT-5は速い', 'gpt 5 は 速 い'],
    ['привет, Ёлка', 'привет елка'],
    ['"quoted" NEAR(a b) -c d*', 'quoted near a b c d'],
    ['🙂 … — !', ''],
    ['', ''],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toBe(words);
  });

  it('of a question stand beside each other where it has no space', () => {
    expect(phrasesOf('log-in  PAGE page')).toEqual(['log in', 'page']);
    expect(phrasesOf('東京 駅')).toEqual(['東 京', '駅']);
    expect(phrasesOf(' ?! ')).toEqual([]);
  });
});
