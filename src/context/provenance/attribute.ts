// Finds the authors when a handler simply assigned a new text: text that is common with the text before keeps its
// origin, and the rest belongs to the handler. The work is bounded: for a hostile rewrite the whole text is attributed
// to the handler.

import { commonPrefix, commonSuffix } from '../../protocol/common-ends.ts';
import { commonLines, type LinePair } from '../common-lines.ts';
import type { HandlerOrigin, Origin } from './origin.ts';
import { joinRopes, type Rope, ropeText, sliceRope } from './rope.ts';

/** Who wrote a text that replaced another, and what that changed. */
export interface Attribution {
  readonly rope: Rope;
  readonly added: string;
  readonly removed: string;
  /** No whole line of the old text is left, or the texts are too long to compare. */
  readonly rewritten: boolean;
}

/** `text` is the text of `before`, for callers that already have it. */
export function attribute(before: Rope, after: string, author: Origin, text: string = ropeText(before)): Attribution {
  if (text === after) return { rope: before, added: '', removed: '', rewritten: false };
  const prefix = commonPrefix(text, after);
  const suffix = commonSuffix(text, after, prefix);
  const end = text.length - suffix;
  const oldMiddle = text.slice(prefix, end);
  const newMiddle = after.slice(prefix, after.length - suffix);
  const keepsLine = text.lastIndexOf('\n', prefix - 1) !== -1 || text.slice(end, -1).includes('\n');
  const middle = attributeMiddle(sliceRope(before, prefix, end), oldMiddle, newMiddle, author, keepsLine);
  return {
    ...middle,
    rope: joinRopes(sliceRope(before, 0, prefix), middle.rope, sliceRope(before, end, text.length)),
  };
}

function attributeMiddle(
  before: Rope,
  removed: string,
  added: string,
  author: Origin,
  keepsLine: boolean,
): Attribution {
  const whole = (origin: Origin, rewritten: boolean): Attribution => ({
    rope: [{ text: added, origin }],
    added,
    removed,
    rewritten,
  });
  if (removed === '' || added === '') return whole(author, false);
  const oldLines = splitLines(removed);
  const newLines = splitLines(added);
  const kept = commonLines(oldLines, newLines);
  if (kept === undefined) return whole(asRewritten(author), true);
  if (kept.length > 0) return weave(before, oldLines, newLines, kept, author);
  return keepsLine ? whole(author, false) : whole(asRewritten(author), true);
}

/** Walks both texts along their common lines; the new text between two of them belongs to the author. */
function weave(
  before: Rope,
  oldLines: string[],
  newLines: string[],
  kept: readonly LinePair[],
  author: Origin,
): Attribution {
  const oldStarts = lineStarts(oldLines);
  const ropes: Rope[] = [];
  let added = '';
  let removed = '';
  let oldLine = 0;
  let newLine = 0;
  const close = (oldEnd: number, newEnd: number) => {
    const oldText = oldLines.slice(oldLine, oldEnd).join('');
    const newText = newLines.slice(newLine, newEnd).join('');
    const start = oldStarts[oldLine] ?? 0;
    ropes.push(attributeLines(sliceRope(before, start, start + oldText.length), oldText, newText, author));
    added += newText;
    removed += oldText;
  };
  for (const pair of kept) {
    close(pair.before, pair.after);
    const start = oldStarts[pair.before] ?? 0;
    ropes.push(sliceRope(before, start, start + (oldLines[pair.before]?.length ?? 0)));
    oldLine = pair.before + 1;
    newLine = pair.after + 1;
  }
  close(oldLines.length, newLines.length);
  return { rope: joinRopes(...ropes), added, removed, rewritten: false };
}

/** Lines that differ may still begin or end alike, for example when a handler added to the end of a line. */
function attributeLines(before: Rope, oldText: string, newText: string, author: Origin): Rope {
  if (newText === '') return [];
  const prefix = commonPrefix(oldText, newText);
  const suffix = commonSuffix(oldText, newText, prefix);
  return [
    ...sliceRope(before, 0, prefix),
    { text: newText.slice(prefix, newText.length - suffix), origin: author },
    ...sliceRope(before, oldText.length - suffix, oldText.length),
  ];
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

function asRewritten(author: Origin): Origin {
  return author.kind === 'handler' ? ({ ...author, rewritten: true } satisfies HandlerOrigin) : author;
}
