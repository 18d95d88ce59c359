// Text in pieces of one look each, and how it is broken into lines. It is painted last, so that codes never count as
// letters and no line break falls inside of one.

import type { Look, TerminalStyle } from './terminal-style.ts';
import { splitAtWidth, textWidth } from './text-width.ts';

export interface StyledPiece {
  readonly text: string;
  readonly looks: readonly Look[];
}

export type StyledText = readonly StyledPiece[];

export function plainPiece(text: string): StyledText {
  return [{ text, looks: [] }];
}

export function paintText(text: StyledText, style: TerminalStyle): string {
  return text.map((piece) => style.paint(piece.text, ...piece.looks)).join('');
}

export function styledWidth(text: StyledText): number {
  return text.reduce((sum, piece) => sum + textWidth(piece.text), 0);
}

/** Breaks at blanks and at line breaks. A word that is longer than the width is broken where it must be. */
export function wrapStyled(text: StyledText, width: number): StyledText[] {
  const lines: StyledPiece[][] = [[]];
  let used = 0;
  let blank: StyledPiece | undefined;
  const begin = () => {
    lines.push([]);
    used = 0;
    blank = undefined;
  };
  const put = (piece: StyledPiece) => {
    lines.at(-1)?.push(piece);
    used += textWidth(piece.text);
  };
  for (const word of wordsOf(text)) {
    if (word === 'break') {
      begin();
      continue;
    }
    const [first] = word;
    if (first && /^ +$/.test(first.text)) {
      if (used > 0) blank = first;
      continue;
    }
    const wide = styledWidth(word);
    if (blank && used + textWidth(blank.text) + wide <= width) put(blank);
    else if (used > 0 && blank) begin();
    blank = undefined;
    for (const { text: whole, looks } of word) {
      let rest = whole;
      while (used + textWidth(rest) > width && textWidth(rest) > 0) {
        if (used >= width) begin();
        const [head, tail] = splitAtWidth(rest, width - used);
        put({ text: head, looks });
        rest = tail;
        if (rest !== '') begin();
      }
      if (rest !== '') put({ text: rest, looks });
    }
  }
  return lines;
}

/** Words and the blanks between them. A word may have pieces of several looks. */
function wordsOf(text: StyledText): (StyledPiece[] | 'break')[] {
  const words: (StyledPiece[] | 'break')[] = [];
  let isOpen = false;
  for (const { text: whole, looks } of text) {
    for (const part of whole.split(/(\n| +)/)) {
      if (part === '') continue;
      const last = words.at(-1);
      if (part === '\n') words.push('break');
      else if (/^ +$/.test(part)) words.push([{ text: part, looks }]);
      else if (isOpen && Array.isArray(last)) last.push({ text: part, looks });
      else words.push([{ text: part, looks }]);
      isOpen = !/^(?:\n| +)$/.test(part);
    }
  }
  return words;
}
