// Applies the hunks of one file to its text. Every hunk must be found, behind the one before; context lines stay as the
// file has them, and new lines get the line ends that the file uses. It is pure.
//
// Errors: PatchMatchError for a hunk that fits nowhere, or in several places with nothing to choose between them.

import { clip } from '../../protocol/one-line.ts';
import { PatchMatchError } from '../errors.ts';
import type { Hunk } from './parse-patch.ts';

export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const lines = splitLines(text.slice(mark.length));
  const search = new LineSearch(
    path,
    lines.map((line) => line.text),
  );
  const lineEnd = usualLineEnd(lines);
  const result: FileLine[] = [];
  let position = 0;
  for (const hunk of hunks) {
    const at = search.find(hunk, position);
    for (; position < at; position++) result.push(lines[position] ?? NO_LINE);
    for (const { kind, text: added } of hunk.lines) {
      if (kind === 'add') result.push({ text: added, end: lineEnd });
      if (kind === 'keep') result.push(lines[position] ?? NO_LINE);
      if (kind !== 'add') position++;
    }
  }
  for (; position < lines.length; position++) result.push(lines[position] ?? NO_LINE);
  const hadLastEnd = lines.length === 0 || lines.at(-1)?.end !== '';
  return mark + joinLines(result, lineEnd, hadLastEnd);
}

interface FileLine {
  readonly text: string;
  /** Empty for a last line that nothing ends. */
  readonly end: '\n' | '\r\n' | '';
}

/** For an index that the search has checked. */
const NO_LINE: FileLine = { text: '', end: '' };

function splitLines(text: string): readonly FileLine[] {
  const lines: FileLine[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) {
      lines.push({ text: text.slice(start), end: '' });
      break;
    }
    const isBoth = newline > start && text[newline - 1] === '\r';
    lines.push({ text: text.slice(start, isBoth ? newline - 1 : newline), end: isBoth ? '\r\n' : '\n' });
    start = newline + 1;
  }
  return lines;
}

function usualLineEnd(lines: readonly FileLine[]): '\n' | '\r\n' {
  const both = lines.filter(({ end }) => end === '\r\n').length;
  const bare = lines.filter(({ end }) => end === '\n').length;
  return both > bare ? '\r\n' : '\n';
}

/** Only the last line may lack an end, and it does when the file's last line did. */
function joinLines(lines: readonly FileLine[], lineEnd: string, hasLastEnd: boolean): string {
  const last = lines.length - 1;
  return lines
    .map(({ text, end }, at) => text + (at === last && !hasLastEnd ? '' : end === '' ? lineEnd : end))
    .join('');
}

/** Comparisons for one file. A patch that needs more was written to keep the gateway busy. */
const MAX_COMPARISONS = 20_000_000;

type Spelling = (line: string) => string;
const EXACTLY: Spelling = (line) => line;
const WITHOUT_TRAILING_BLANKS: Spelling = (line) => line.trimEnd();
const WITHOUT_BLANKS_AROUND: Spelling = (line) => line.trim();

class LineSearch {
  readonly #path: string;
  /** The lines of the file in each spelling that was asked for. */
  readonly #spelled = new Map<Spelling, readonly string[]>();
  readonly #lines: readonly string[];
  #comparisons = 0;

  constructor(path: string, lines: readonly string[]) {
    this.#path = path;
    this.#lines = lines;
  }

  /** The line, counted from 0, at which the hunk's first line stands. */
  find(hunk: Hunk, from: number): number {
    let start = from;
    for (const header of hunk.headers) start = this.#findHeader(hunk, header, start) + 1;
    const wanted = hunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
    // New lines alone stand behind their header, or else at the end.
    if (wanted.length === 0) return hunk.headers.length > 0 && !hunk.isAtEnd ? start : this.#lines.length;
    for (const spelling of [EXACTLY, WITHOUT_TRAILING_BLANKS]) {
      const places = this.#places(hunk, wanted.map(spelling), start, spelling);
      const [first, second] = places;
      if (first === undefined) continue;
      if (second !== undefined && hunk.headers.length === 0) {
        this.#fail(
          hunk,
          `its lines stand at lines ${first + 1} and ${second + 1}, and perhaps elsewhere; add lines around the change, or "@@ " with a line above it`,
        );
      }
      return first;
    }
    const where = hunk.isAtEnd ? ' at the end of the file' : start > 0 ? ` below line ${start}` : '';
    return this.#fail(hunk, `its lines, from ${quote(wanted[0] ?? '')} on, do not stand one after the other${where}`);
  }

  #findHeader(hunk: Hunk, header: string, from: number): number {
    for (const spelling of [EXACTLY, WITHOUT_TRAILING_BLANKS, WITHOUT_BLANKS_AROUND]) {
      const lines = this.#inSpelling(spelling);
      const wanted = spelling(header);
      for (let at = from; at < lines.length; at++) {
        this.#count(hunk);
        if (lines[at] === wanted) return at;
      }
    }
    return this.#fail(hunk, `no line${from > 0 ? ` below line ${from}` : ''} reads ${quote(header)}`);
  }

  /** The first two places, which are enough to see that it is not unique. */
  #places(hunk: Hunk, wanted: readonly string[], from: number, spelling: Spelling): readonly number[] {
    const lines = this.#inSpelling(spelling);
    const last = lines.length - wanted.length;
    const places: number[] = [];
    for (let at = hunk.isAtEnd ? Math.max(from, last) : from; at <= last && places.length < 2; at++) {
      if (this.#standsAt(hunk, lines, wanted, at)) places.push(at);
    }
    return places;
  }

  #standsAt(hunk: Hunk, lines: readonly string[], wanted: readonly string[], at: number): boolean {
    return wanted.every((line, offset) => {
      this.#count(hunk);
      return lines[at + offset] === line;
    });
  }

  #inSpelling(spelling: Spelling): readonly string[] {
    if (spelling === EXACTLY) return this.#lines;
    const known = this.#spelled.get(spelling) ?? this.#lines.map(spelling);
    this.#spelled.set(spelling, known);
    return known;
  }

  #count(hunk: Hunk): void {
    if (++this.#comparisons > MAX_COMPARISONS) {
      this.#fail(hunk, 'looking for it takes too long; split the patch, and give hunks lines that occur once');
    }
  }

  #fail(hunk: Hunk, problem: string): never {
    throw new PatchMatchError({ path: this.#path, line: hunk.line, problem });
  }
}

function quote(line: string): string {
  return JSON.stringify(clip(line, 80));
}
