// Where a text stands in a piece of a prompt, and whose words it is: the file and its lines, or the handler, plugin, tool or
// person. It is pure.

import { readAuthor, type SpanAuthor } from '../../../agent/span-author.ts';
import { hashOfText } from '../../../context/report/build-report.ts';
import type { TextFinder, TextRange } from '../../../context/report/find-text.ts';
import { remembered } from '../../../protocol/remembered.ts';
import type { PromptPieceFacts } from './prompt-piece.ts';

export interface PiecePlace extends Pick<SpanAuthor, 'kind' | 'name' | 'path'> {
  readonly where: PromptPieceFacts['where'];
  /** Lines of the file at `path`. */
  readonly lines?: readonly [number, number] | undefined;
  /** The hash of the words of this author. For words of a file, the hash of the file says more. */
  readonly hash: string;
}

/** A text that stands in a piece more often is in the same words most of the time. */
const MOST_PLACES = 5;

export function placesIn(text: string, { where, spans }: PromptPieceFacts, find: TextFinder): readonly PiecePlace[] {
  const ranges = find(text, MOST_PLACES);
  const places: PiecePlace[] = [];
  let at = 0;
  for (const [author, chars] of spans) {
    const start = at;
    at += chars;
    const inside = author === '' ? [] : ranges.filter((range) => start < range.end && at > range.start);
    if (inside.length === 0) continue;
    const { kind, name, path, ...located } = AUTHOR_IN[where](author);
    const words = text.slice(start, at);
    const hash = hashOfText(words);
    for (const range of inside) {
      const lines = linesIn(words, { start: range.start - start, end: range.end - start }, located);
      const place = { where, kind, name, path, lines, hash };
      const key = keyOfPlace(place);
      if (places.every((other) => keyOfPlace(other) !== key)) places.push(place);
    }
  }
  return places;
}

/** Reading an author takes longer than finding the text, and most words have the same few. */
const AUTHOR_IN = {
  system: remembered(512, (author) => readAuthor('system', author)),
  tools: remembered(512, (author) => readAuthor('tools', author)),
  messages: remembered(512, (author) => readAuthor('messages', author)),
};

/** Tells places apart. */
export function keyOfPlace({ where, kind, name, path = '', lines = NO_LINES, hash }: PiecePlace): string {
  return `${hash} ${where} ${kind} ${lines[0]}-${lines[1]} ${name}\n${path}`;
}

const NO_LINES = [0, 0] as const;

/** The whole lines of the words where they are not line by line those of the file. */
function linesIn(
  words: string,
  { start, end }: TextRange,
  { lines, isVerbatim }: Pick<SpanAuthor, 'lines' | 'isVerbatim'>,
): readonly [number, number] | undefined {
  if (!lines || !isVerbatim) return lines;
  const first = lines[0] + newlinesIn(words.slice(0, Math.max(0, start)));
  const last = lines[0] + newlinesIn(words.slice(0, Math.max(0, Math.min(words.length, end) - 1)));
  return last <= lines[1] ? [first, last] : lines;
}

/** The first and last line of each place in a whole file. */
export function linesInFile(text: string, find: TextFinder): readonly (readonly [number, number])[] {
  return find(text, MOST_PLACES).map(
    ({ start, end }) => [1 + newlinesIn(text.slice(0, start)), 1 + newlinesIn(text.slice(0, end - 1))] as const,
  );
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
