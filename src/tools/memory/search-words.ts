// Turns what a model looks for into a full-text query, and texts into what such a query can find. Words are quoted, so
// that no sign of the query language in them means anything. Scripts that write without blanks are searched by pairs of
// letters, because nobody here knows where their words end. Pure.

/** The same text with blanks around every letter of a script that has none between words. */
export function searchableText(text: string): string {
  return text.normalize('NFKC').replace(UNSPACED, ' $& ');
}

/** Undefined when there is nothing to look for. */
export function fullTextQuery(text: string): string | undefined {
  const words = text.normalize('NFKC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const terms = new Set(words.flatMap(termsOf));
  return terms.size === 0 ? undefined : [...terms].slice(0, MAX_TERMS).join(' OR ');
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const MAX_TERMS = 32;
/** A word of one or two letters begins too many others. */
const SHORTEST_BEGINNING = 3;

function termsOf(word: string): readonly string[] {
  const letters = searchableText(word).trim().split(/\s+/);
  if (letters.length === 1) return [word.length < SHORTEST_BEGINNING ? `"${word}"` : `"${word}"*`];
  return letters.slice(1).map((letter, at) => `"${letters[at]} ${letter}"`);
}
