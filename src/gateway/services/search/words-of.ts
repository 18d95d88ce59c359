// The words of a text, as they are compared in a search: in lower case, without accents and punctuation. Where a script
// has no spaces between its words, every character counts as a word, and neighbours are found as a phrase.

/** Unaccented letters and digits, separated by one space. It is empty for a text without words. */
export function wordsOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (plain.match(WORD) ?? []).join(' ');
}

/** What must be in an entry so that it is found: the words between two spaces of the question stand beside each other. */
export function phrasesOf(question: string): readonly string[] {
  const phrases = question
    .split(/\s+/)
    .map(wordsOf)
    .filter((phrase) => phrase !== '');
  return [...new Set(phrases)];
}

const WITHOUT_SPACES =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const WORD = new RegExp(`[${WITHOUT_SPACES}]|(?:(?![${WITHOUT_SPACES}])[\\p{L}\\p{N}])+`, 'gu');
