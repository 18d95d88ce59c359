// Where a text may be cut without tearing a character in two. Offsets are UTF-16 units, as everywhere in the budget;
// a lone half that the text already holds is left as it is.

/** The nearest place at or before `index` that does not lie inside a surrogate pair. */
export function pairBoundaryBefore(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index;
}

/** The nearest place at or after `index` that does not lie inside a surrogate pair. */
export function pairBoundaryAfter(text: string, index: number): number {
  return splitsPair(text, index) ? index + 1 : index;
}

function splitsPair(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}
