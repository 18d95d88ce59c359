// Marks in a text the words that a person looks for: those that begin with a word of the question, in whatever case and
// with whatever accents. Pure.

export interface MarkedPart {
  readonly text: string;
  readonly isFound: boolean;
}

export function markWords(text: string, question: string): readonly MarkedPart[] {
  const asked = (question.match(WORD) ?? []).map(plain).filter((word) => word !== '');
  const parts: MarkedPart[] = [];
  let from = 0;
  for (const { index, 0: word } of text.matchAll(WORD)) {
    if (!asked.some((each) => plain(word).startsWith(each))) continue;
    if (index > from) parts.push({ text: text.slice(from, index), isFound: false });
    parts.push({ text: word, isFound: true });
    from = index + word.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isFound: false });
  return parts;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

function plain(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
