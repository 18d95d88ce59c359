// A rope as lines, each with its own authors.

import { type Rope, ropeText, sliceRope } from '../provenance/rope.ts';

export interface RopeLine {
  /** The text of the line, without its line end. */
  readonly text: string;
  /** The spans of the line, with its line end, so that an empty line has an author too. */
  readonly rope: Rope;
}

export function splitRope(rope: Rope): readonly RopeLine[] {
  const text = ropeText(rope);
  const lines: RopeLine[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push({ text: text.slice(start, end), rope: sliceRope(rope, start, end + 1) });
    start = end + 1;
  }
  return lines;
}
