// Finds out who wrote what when a handler simply assigned a new text: what is common with the text before keeps its
// origin, the rest is the handler's. The work is bounded, so a hostile rewrite costs no more than a whole-text claim.

import type { HandlerOrigin, Origin } from './origin.ts';
import { joinRopes, type Rope, ropeText, type Span, sliceRope } from './rope.ts';

/** Above this many line pairs the middle of a rewrite is not compared line by line any more. */
const MAX_LINE_PAIRS = 250_000;

export function attribute(before: Rope, after: string, author: Origin): Rope {
  const text = ropeText(before);
  if (text === after) return before;
  const prefix = commonPrefix(text, after);
  const suffix = commonSuffix(text, after, prefix);
  const oldMiddle = sliceRope(before, prefix, text.length - suffix);
  const newMiddle = after.slice(prefix, after.length - suffix);
  return joinRopes(
    sliceRope(before, 0, prefix),
    attributeMiddle(oldMiddle, newMiddle, author),
    sliceRope(before, text.length - suffix, text.length),
  );
}

function attributeMiddle(before: Rope, after: string, author: Origin): Rope {
  if (after === '') return [];
  if (before.length === 0) return [{ text: after, origin: author }];
  const oldLines = splitLines(ropeText(before));
  const newLines = splitLines(after);
  if (oldLines.length * newLines.length > MAX_LINE_PAIRS) return [{ text: after, origin: rewritten(author) }];
  const kept = commonLines(oldLines, newLines);
  if (kept.length === 0) return [{ text: after, origin: rewritten(author) }];
  return weave(before, oldLines, newLines, kept, author);
}

/** Walks both texts along their common lines; everything between two common lines of the new text is the author's. */
function weave(before: Rope, oldLines: string[], newLines: string[], kept: LinePair[], author: Origin): Rope {
  const oldStarts = lineStarts(oldLines);
  const spans: Span[] = [];
  let newLine = 0;
  for (const pair of kept) {
    if (pair.after > newLine) spans.push({ text: newLines.slice(newLine, pair.after).join(''), origin: author });
    const start = oldStarts[pair.before] ?? 0;
    spans.push(...sliceRope(before, start, start + (oldLines[pair.before]?.length ?? 0)));
    newLine = pair.after + 1;
  }
  if (newLine < newLines.length) spans.push({ text: newLines.slice(newLine).join(''), origin: author });
  return joinRopes(spans);
}

interface LinePair {
  readonly before: number;
  readonly after: number;
}

/** The longest common subsequence of lines; among equals the earliest line of the old text wins. */
function commonLines(before: readonly string[], after: readonly string[]): LinePair[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const here = i * width + j;
      lengths[here] =
        before[i] === after[j]
          ? (lengths[here + width + 1] ?? 0) + 1
          : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0);
    }
  }
  const pairs: LinePair[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) pairs.push({ before: i++, after: j++ });
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}

/** Lines keep their line ends, so that joining them gives the text back. */
function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

function lineStarts(lines: readonly string[]): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length;
  }
  return starts;
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length > 0 && isHighSurrogate(a.charCodeAt(length - 1)) ? length - 1 : length;
}

function commonSuffix(a: string, b: string, prefix: number): number {
  const limit = Math.min(a.length, b.length) - prefix;
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length > 0 && isLowSurrogate(a.charCodeAt(a.length - length)) ? length - 1 : length;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function rewritten(author: Origin): Origin {
  return author.kind === 'handler' ? ({ ...author, rewritten: true } satisfies HandlerOrigin) : author;
}
