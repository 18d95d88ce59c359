// Line numbers of offsets in a source text, counted from one. The index is built once per text and kept as long as the
// text.

import type { SourceText, Span } from './rope.ts';

const indexes = new WeakMap<SourceText, readonly number[]>();

/** First and last line that the span covers in its file; undefined for text that stands in no file. */
export function linesOf(span: Span): readonly [number, number] | undefined {
  if (span.source === undefined || span.start === undefined) return undefined;
  return lineRange(span.source, span.start, span.start + span.text.length);
}

export function lineRange(source: SourceText, start: number, end: number): readonly [number, number] {
  return [lineAt(source, start), lineAt(source, Math.max(start, end - 1))];
}

/** The offsets of a line's first character and of the character behind its last. */
export function offsetsOfLine(source: SourceText, line: number): readonly [number, number] | undefined {
  const starts = indexOf(source);
  const start = starts[line - 1];
  if (start === undefined) return undefined;
  return [start, starts[line] ?? source.text.length];
}

function lineAt(source: SourceText, offset: number): number {
  const starts = indexOf(source);
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function indexOf(source: SourceText): readonly number[] {
  let starts = indexes.get(source);
  if (!starts) {
    const found = [0];
    for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) {
      if (at + 1 < source.text.length) found.push(at + 1);
    }
    starts = found;
    indexes.set(source, starts);
  }
  return starts;
}
