// Text for a person who decides: characters that would hide a part of it, change its direction or move a cursor are
// written as codes, so that the person sees what would run. Line breaks stay.

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
