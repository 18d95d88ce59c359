// Cuts an answer into parts that a platform accepts: between paragraphs where possible, else between lines, sentences
// or words, and only then anywhere. A part that ends inside a code fence closes it, and the next part opens it again
// with the same words, so that each part can be read alone. Lengths are UTF-16 units, and no platform counts more than
// that.

/** Returns the parts in order; none is longer than `maxLength`. An empty text has no parts. */
export function splitText(text: string, maxLength: number): string[] {
  return cutText(text, maxLength).map(({ opening, body, closing }) => opening + body + closing);
}

/** The bodies joined are the text; `opening` and `closing` are what the fences need around them. */
export interface CutPiece {
  readonly opening: string;
  readonly body: string;
  readonly closing: string;
}

export function cutText(text: string, maxLength: number): CutPiece[] {
  if (!(maxLength >= 2)) throw new RangeError(`A part must be allowed at least 2 characters, not ${maxLength}.`);
  if (text.length <= maxLength) return text === '' ? [] : [{ opening: '', body: text, closing: '' }];
  const lines = readLines(text, maxLength);
  const pieces: CutPiece[] = [];
  let from = 0;
  let line = 0;
  while (from < text.length) {
    while (from >= endOf(lines[line])) line++;
    const opening = lines[line]?.inside?.opening ?? '';
    const room = maxLength - opening.length;
    if (text.length - from <= room) {
      pieces.push({ opening, body: text.slice(from), closing: '' });
      break;
    }
    const to = chooseCut({ text, lines, line, from, room });
    pieces.push({ opening, body: text.slice(from, to), closing: closingAt(text, fenceAt(lines, line, to), to) });
    from = to;
  }
  return pieces;
}

interface Line {
  readonly start: number;
  /** The offset after the line break. */
  readonly end: number;
  /** The fence that is open where the line starts. */
  readonly inside: Fence | undefined;
  readonly role: 'blank' | 'text' | 'opens' | 'closes' | 'code';
  /** True for a line that begins like a fence, even if it is not one: cut in two, it could become one. */
  readonly looksLikeFence: boolean;
}

interface Fence {
  readonly marker: string;
  /** The line that opens the fence again. */
  readonly opening: string;
}

function readLines(text: string, maxLength: number): Line[] {
  const lines: Line[] = [];
  let open: { marker: string; fence: Fence | undefined } | undefined;
  for (let start = 0; start < text.length; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak < 0 ? text.length : lineBreak + 1;
    const content = text.slice(start, end).trimEnd();
    const [, indent = '', marker = '', info = ''] = FENCE.exec(content) ?? [];
    const inside = open?.fence;
    let role: Line['role'];
    if (open) {
      const closes = marker[0] === open.marker[0] && marker.length >= open.marker.length && info === '';
      role = closes ? 'closes' : 'code';
      if (closes) open = undefined;
    } else if (marker !== '' && !(marker[0] === '`' && info.includes('`'))) {
      role = 'opens';
      open = { marker, fence: fenceThatFits(indent, marker, info, maxLength) };
    } else {
      role = content === '' ? 'blank' : 'text';
    }
    lines.push({ start, end, inside, role, looksLikeFence: marker !== '' });
    start = end;
  }
  return lines;
}

/** Any indentation is allowed, because fences also occur in lists. */
const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*(.*)$/s;

/** Opening and closing may use half of a part. A fence that needs more loses its words, or in the end stays broken. */
function fenceThatFits(indent: string, marker: string, info: string, maxLength: number): Fence | undefined {
  const openings = [`${indent}${marker}${info}\n`, `${marker}\n`];
  const opening = openings.find((line) => line.length + marker.length + 1 <= maxLength / 2);
  return opening === undefined ? undefined : { marker, opening };
}

function endOf(line: Line | undefined): number {
  return line?.end ?? Number.POSITIVE_INFINITY;
}

/** Returns the fence that a cut at `at` would break. `line` is the line that contains `at`, or an earlier one. */
function fenceAt(lines: readonly Line[], line: number, at: number): Fence | undefined {
  let index = line;
  while (at >= endOf(lines[index])) index++;
  return lines[index]?.inside;
}

function closingAt(text: string, fence: Fence | undefined, at: number): string {
  if (!fence) return '';
  return text[at - 1] === '\n' ? fence.marker : `\n${fence.marker}`;
}

interface Window {
  readonly text: string;
  readonly lines: readonly Line[];
  /** The index of the line that holds `from`. */
  readonly line: number;
  readonly from: number;
  /** How many characters may stand between the opening and the end of the part. */
  readonly room: number;
}

/** The best kind of place wins, as long as the part is not mostly empty because of it. */
function chooseCut(window: Window): number {
  const { from, room } = window;
  const enough = from + room / 3;
  const { paragraph, line, codeLine, poor, last } = lastLineEnds(window);
  const lineEnds = [paragraph, line, codeLine];
  const good = lineEnds.find((end) => end >= enough);
  if (good !== undefined) return good;
  const { sentence, word, anywhere } = lastPlacesInLine(window, last);
  return (
    [sentence, word].find((end) => end >= enough) ??
    lineEnds.find((end) => end > from) ??
    [word, poor].find((end) => end > from) ??
    anywhere
  );
}

/**
 * Returns the last line end of each kind that fits, 0 where there is none, and the first line that does not fit whole.
 */
function lastLineEnds({ text, lines, line: first, from, room }: Window) {
  const ends = { paragraph: 0, line: 0, codeLine: 0, poor: 0, last: first };
  for (let index = first; ; index++) {
    const line = lines[index];
    const next = lines[index + 1];
    ends.last = index;
    if (!line || !next) return ends;
    if (line.end + closingAt(text, next.inside, line.end).length > from + room) return ends;
    ends[kindOfEnd(line, next)] = line.end;
  }
}

function kindOfEnd(line: Line, next: Line): 'paragraph' | 'line' | 'codeLine' | 'poor' {
  // A cut after an opening line or before a closing line would leave an empty block.
  if (line.role === 'opens' || next.role === 'closes') return 'poor';
  if (next.inside) return 'codeLine';
  return line.role === 'blank' || line.role === 'closes' || next.role === 'opens' ? 'paragraph' : 'line';
}

/** Returns places within the line that does not fit whole, 0 where there is none. */
function lastPlacesInLine({ text, lines, from, room }: Window, index: number) {
  const line = lines[index];
  const start = Math.max(from, line?.start ?? from);
  const closing = line?.inside ? line.inside.marker.length + 1 : 0;
  const limit = from + room - closing;
  const may = (at: number) => at > from && mayCutLineAt(text, line, start, at);
  const slice = text.slice(start, limit);
  const sentence = line?.inside ? 0 : start + lastEnd(slice, SENTENCE_END, (end) => may(start + end));
  const word = start + lastEnd(slice, WORD_END, (end) => may(start + end));
  let anywhere = limit;
  while (anywhere > limit - LONGEST_LOOK && !may(anywhere)) anywhere--;
  return {
    sentence: sentence > start ? sentence : 0,
    word: word > start ? word : 0,
    anywhere: may(anywhere) ? anywhere : pairBoundary(text, from, limit),
  };
}

const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？]/g;
const WORD_END = /\s+/g;

function lastEnd(slice: string, pattern: RegExp, accept: (end: number) => boolean): number {
  const ends = [...slice.matchAll(pattern)].map((match) => match.index + match[0].length);
  return ends.findLast(accept) ?? 0;
}

function mayCutLineAt(text: string, line: Line | undefined, start: number, at: number): boolean {
  if (line?.looksLikeFence && start === line.start) return false;
  const rest = text.slice(at, at + LONGEST_LOOK);
  return !/^[ \t]*(?:```|~~~)/.test(rest) && isBetweenCharacters(text, start, at);
}

/** How many characters around a place are checked. What people read as one character is rarely longer. */
const LONGEST_LOOK = 64;

/** A character as people see it: accents, joined emoji and flags are one character. Made at first use, which takes a while. */
let characters: Intl.Segmenter | undefined;

function isBetweenCharacters(text: string, start: number, at: number): boolean {
  // A cut between two plain characters is always safe; only other places need the slow check.
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return true;
  const begin = pairBoundary(text, start - 1, Math.max(start, at - LONGEST_LOOK));
  const nearby = text.slice(begin, at + LONGEST_LOOK);
  characters ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return characters.segment(nearby).containing(at - begin)?.index === at - begin;
}

function isPlain(code: number): boolean {
  return code >= 0x20 && code < 0x300;
}

/** Returns `at`, or one less when `at` lies between the halves of a pair; never `from` or before. */
function pairBoundary(text: string, from: number, at: number): number {
  const splits = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return splits && at - 1 > from ? at - 1 : at;
}
