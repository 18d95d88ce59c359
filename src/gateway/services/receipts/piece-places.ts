// Where a text stands in a piece of a prompt, and whose words it is: the file and its lines, or the handler, plugin, tool or
// person. It is pure.

import { readAuthor, type SpanAuthor } from '../../../agent/span-author.ts';
import { hashOfText } from '../../../context/report/build-report.ts';
import type { TextFinder, TextRange } from '../../../context/report/find-text.ts';
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
  const places = new Map<string, PiecePlace>();
  for (const range of find(text).slice(0, MOST_PLACES)) {
    let at = 0;
    for (const [author, chars] of spans) {
      const start = at;
      at += chars;
      if (author === '' || start >= range.end || at <= range.start) continue;
      const { kind, name, path, ...located } = readAuthor(where, author);
      const words = text.slice(start, at);
      const lines = linesIn(words, { start: range.start - start, end: range.end - start }, located);
      const place: PiecePlace = { where, kind, name, path, lines, hash: hashOfText(words) };
      places.set(JSON.stringify(place), place);
    }
  }
  return [...places.values()];
}

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
  return find(text)
    .slice(0, MOST_PLACES)
    .map(({ start, end }) => [1 + newlinesIn(text.slice(0, start)), 1 + newlinesIn(text.slice(0, end - 1))] as const);
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
