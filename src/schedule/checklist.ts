// Checks whether a checklist asks for anything. Headings, comments, rules, code fences and items without words do not.

/** The pattern is for a trimmed line: two stretches of blanks side by side could be matched in too many ways. */
const EMPTY_LINE = /^(?:#+(?:\s.*)?|[-*+]|[-*+]?\s*\[[ xX]?\]|\d+[.)]|[-*_=]{3,}|(?:```|~~~).*|>)?$/s;

export function isChecklistEmpty(text: string): boolean {
  const withoutComments = text
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---(?:\r?\n|$)/, '')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  return withoutComments.split(/\r\n|\r|\n/).every((line) => EMPTY_LINE.test(line.trim()));
}
