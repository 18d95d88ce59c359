// A place in a prompt that a person can find: its line, its section, its side of the cache boundary, and its author.

import type { Composition } from '../compose.ts';
import { sliceRope } from '../provenance/rope.ts';
import type { SpanReport } from './build-report.ts';
import { originOf } from './located-origin.ts';
import { sectionsOf } from './sections-of.ts';

export interface PromptPlace {
  readonly start: number;
  readonly end: number;
  /** First and last line of the prompt, counted from one. */
  readonly lines: readonly [number, number];
  readonly side: 'before-boundary' | 'behind-boundary' | 'across-boundary';
  /** Titles of the sections that it touches; none for a heading. */
  readonly sections: readonly string[];
  /** The same characters by author, in order. */
  readonly parts: readonly SpanReport[];
}

export function placeAt(composition: Composition, start: number, end: number): PromptPlace {
  const { prompt } = composition;
  const last = Math.max(start, end - 1);
  const firstLine = countNewlines(prompt.text, 0, start) + 1;
  let at = start;
  const parts = sliceRope(prompt.rope, start, end).map((span) => {
    const part = { text: span.text, start: at, end: at + span.text.length, origin: originOf(span) };
    at = part.end;
    return part;
  });
  return {
    start,
    end,
    lines: [firstLine, firstLine + countNewlines(prompt.text, start, last)],
    side:
      last < prompt.cacheBoundary
        ? 'before-boundary'
        : start >= prompt.cacheBoundary
          ? 'behind-boundary'
          : 'across-boundary',
    sections: sectionsOf(composition)
      .filter((section) => section.start < end && section.end > start)
      .map((section) => section.title),
    parts,
  };
}

export function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
