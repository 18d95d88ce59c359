// Text for a terminal. Text from files, models and handlers is untrusted: control characters in it could move the
// cursor of the reader, change a title or hide something.

import { clip } from '../../protocol/one-line.ts';

/** One line without control characters, of any length. `oneLine` of `protocol/` bounds the length too and takes errors. */
export function oneLine(text: string): string {
  return visibleLine(text).trim();
}

/** The same, with its indentation: for lines that are shown as they are. */
export function visibleLine(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ');
}

/** The same for several lines. */
export function visibleText(text: string): string {
  return text.split('\n').map(visibleLine).join('\n');
}

/** For an answer that streams in: line breaks and tabs stay. */
export function terminalText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** A line of output. */
export function line(text: string): string {
  return `${oneLine(text)}\n`;
}

/**
 * Indented lines under a title; empty when there are none. It is not a table, because a reason that is cut off explains
 * nothing.
 */
export function formatList(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}:\n${lines.map((each) => `  ${line(each)}`).join('')}`;
}

/** With less space than this, words would be broken into pieces. */
export const LEAST_WRAP_WIDTH = 20;

/** Breaks at blanks; a word that is longer than the width is broken where it must be. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(LEAST_WRAP_WIDTH, width);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const blank = rest.lastIndexOf(' ', room);
    const end = blank > 0 ? blank : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

const LONGEST_SENTENCE = 160;

/** Descriptions are written for models and may be long. */
export function firstSentence(description: string): string {
  const text = oneLine(description);
  const end = text.search(/[.!?](?:\s|$)/);
  return clip(end === -1 ? text : text.slice(0, end + 1), LONGEST_SENTENCE);
}
