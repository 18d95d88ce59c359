// Makes one bootstrap file fit its cap: the start and the end stay, the middle goes, and a marker says so. Sections that
// must survive are always present in full; everything else shrinks around them. Pairs of surrogates are never split, and
// the counts in a marker are the counts of what really stayed. Knows nothing of other files or of the total.

import { pairBoundaryAfter, pairBoundaryBefore } from './pair-boundary.ts';
import { isPolicyFile, trimWithPolicyDigest } from './policy-digest.ts';
import { renderPieces, type TextRange, type TrimmedText, type TrimPiece } from './trim-piece.ts';

export interface TrimRequest {
  readonly name: string;
  readonly text: string;
  readonly cap: number;
  /**
   * Ranges that must survive in full, in any order. They count more than the limit: `keptLength` says first whether
   * they fit.
   */
  readonly keep?: readonly TextRange[] | undefined;
  /** False trims AGENTS.md like any other file. */
  readonly policyDigest?: boolean | undefined;
}

/** The result is never longer than the limit, unless the kept ranges alone are. */
export function trimFile(request: TrimRequest): TrimmedText {
  const { name, cap, keep = [], policyDigest = true } = request;
  const text = request.text.trimEnd();
  if (text.length <= cap) return keepWhole(text);
  if (keep.length > 0) return trimAroundKept(name, text, cap, keep);
  if (policyDigest && isPolicyFile(name)) return trimWithPolicyDigest(text, cap);
  return trimHeadAndTail(name, text, cap);
}

export function keepWhole(text: string): TrimmedText {
  return { pieces: text === '' ? [] : [{ kind: 'kept', start: 0, end: text.length }], cuts: [], text };
}

/** The fewest characters that hold every kept range in full, with a marker in each gap that is worth one. */
export function keptLength(request: Pick<TrimRequest, 'name' | 'text' | 'keep'>): number {
  const text = request.text.trimEnd();
  if (!request.keep || request.keep.length === 0) return 0;
  const gaps = gapsAround(text, request.keep);
  return text.length - lengthOf(gaps) + overheadOf(request.name, gaps);
}

const HEAD_SHARE = 0.75;
const TAIL_SHARE = 0.25;
/** With less room than this beside the long marker, the short one is used: it leaves more for the text. */
const LEAST_TEXT_BESIDE_LONG_MARKER = 16;

function trimHeadAndTail(name: string, text: string, cap: number): TrimmedText {
  const long = (head: number, tail: number) =>
    [
      head > 0 ? '\n' : '',
      `\n[...truncated, read ${name} for full content...]\n`,
      `…(truncated ${name}: kept ${head}+${tail} chars of ${text.length})…\n`,
      tail > 0 ? '\n' : '',
    ].join('');
  const short = (head: number, tail: number) => `[…truncated ${head}+${tail}/${text.length}]`;
  const marker = cap - long(0, 0).length - 2 < LEAST_TEXT_BESIDE_LONG_MARKER ? short : long;
  const overflow = (head: number, tail: number) => head + tail + marker(head, tail).length - cap;

  let head = 0;
  let tail = 0;
  // The marker's length depends on the counts that it names, so the shares settle within a few rounds.
  for (let round = 0; round < 3; round++) {
    const room = Math.max(0, cap - marker(head, tail).length);
    const nextHead = Math.floor(room * HEAD_SHARE);
    const nextTail = Math.floor(room * TAIL_SHARE);
    if (nextHead === head && nextTail === tail) break;
    head = nextHead;
    tail = nextTail;
  }
  for (let over = overflow(head, tail); over > 0 && head + tail > 0; over = overflow(head, tail)) {
    if (tail > 0) tail = Math.max(0, tail - over);
    else head = Math.max(0, head - over);
  }
  if (head + tail === 0 && overflow(1, 0) <= 0) head = 1;

  const headEnd = pairBoundaryBefore(text, head);
  const tailStart = pairBoundaryAfter(text, text.length - tail);
  const pieces: TrimPiece[] = [
    { kind: 'kept', start: 0, end: headEnd },
    { kind: 'marker', text: marker(headEnd, text.length - tailStart) },
    { kind: 'kept', start: tailStart, end: text.length },
  ];
  return renderPieces(text, pieces, cap);
}

/**
 * What the kept ranges and their markers leave is given to the characters between them, three quarters from the start and
 * a quarter from the end. Eating into a gap never lengthens its marker, so room that a removed marker frees can be handed
 * out again without overshooting.
 */
function trimAroundKept(name: string, text: string, cap: number, keep: readonly TextRange[]): TrimmedText {
  const gaps = gapsAround(text, keep);
  const kept = text.length - lengthOf(gaps);
  let left = gaps;
  let room = 0;
  for (let round = 0; round < 4; round++) {
    const nextRoom = Math.max(0, cap - kept - overheadOf(name, left));
    if (nextRoom <= room) break;
    room = nextRoom;
    left = shrinkGaps(text, gaps, room);
  }

  const pieces: TrimPiece[] = [];
  let keptFrom = 0;
  for (const gap of left) {
    const marker = gapMarker(name, gap);
    if (gap.end - gap.start <= marker.length) continue;
    pieces.push({ kind: 'kept', start: keptFrom, end: gap.start }, { kind: 'marker', text: marker });
    keptFrom = gap.end;
  }
  pieces.push({ kind: 'kept', start: keptFrom, end: text.length });
  return renderPieces(text, pieces, Number.POSITIVE_INFINITY);
}

function gapMarker(name: string, gap: TextRange): string {
  return `\n[...${gap.end - gap.start} chars truncated, read ${name} for full content...]\n`;
}

/** What the gaps cost when nothing in them is kept: a marker each, or the gap itself where that is no longer. */
function overheadOf(name: string, gaps: readonly TextRange[]): number {
  return gaps.reduce((sum, gap) => sum + Math.min(gap.end - gap.start, gapMarker(name, gap).length), 0);
}

function lengthOf(ranges: readonly TextRange[]): number {
  return ranges.reduce((sum, range) => sum + range.end - range.start, 0);
}

/** The complement of the kept ranges, which are widened where they would split a pair. */
function gapsAround(text: string, keep: readonly TextRange[]): readonly TextRange[] {
  const gaps: TextRange[] = [];
  let keptUpTo = 0;
  for (const range of [...keep].sort((a, b) => a.start - b.start)) {
    const start = pairBoundaryBefore(text, Math.max(0, range.start));
    const end = pairBoundaryAfter(text, Math.min(text.length, range.end));
    if (end <= start) continue;
    if (start > keptUpTo) gaps.push({ start: keptUpTo, end: start });
    keptUpTo = Math.max(keptUpTo, end);
  }
  if (keptUpTo < text.length) gaps.push({ start: keptUpTo, end: text.length });
  return gaps;
}

function shrinkGaps(text: string, gaps: readonly TextRange[], room: number): readonly TextRange[] {
  let tail = Math.floor(room * TAIL_SHARE);
  let head = room - tail;
  const starts = gaps.map((gap) => {
    const eaten = Math.min(head, gap.end - gap.start);
    head -= eaten;
    return pairBoundaryBefore(text, gap.start + eaten);
  });
  const ends = gaps.map((gap) => gap.end);
  for (let i = gaps.length - 1; i >= 0; i--) {
    const start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    const eaten = Math.min(tail, end - start);
    tail -= eaten;
    ends[i] = pairBoundaryAfter(text, end - eaten);
  }
  return starts.map((start, i) => ({ start, end: ends[i] ?? start })).filter((gap) => gap.end > gap.start);
}
