// Text that a person decides by: whatever would hide a part of it, turn it round or move a cursor is written out, so that
// what is seen is what would run. Line breaks stay.

import { visibleText } from '../exec/describe-command.ts';

export function shownText(text: string): string {
  return text
    .split('\n')
    .map((line) => visibleText(line.replace(/\t/g, '    ')))
    .join('\n');
}

/** The same on one line. */
export function shownLine(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim());
}
