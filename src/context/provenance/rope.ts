// A rope is text as a list of spans, each with one origin. Slicing and joining ropes is how text moves through
// composition without losing its authors: the texts of a rope's spans always concatenate to its text.

import { type Origin, sameOrigin } from './origin.ts';

export interface Span {
  readonly text: string;
  readonly origin: Origin;
  /** The whole text of the file that the origin names, for text that stands in one, and the offset in it. */
  readonly source?: SourceText;
  readonly start?: number;
  /** The whole addition that this span is part of, so that the addition can be lifted out again. */
  readonly contribution?: Contribution;
}

/** Text that one handler appended or prepended in one call, with its separator. It is compared by identity. */
export interface Contribution {
  readonly by: string;
  readonly chars: number;
  readonly separator: string;
  readonly at: 'end' | 'start' | 'whole';
  /** True when the file that it was added to is missing. It does not stand for that file. */
  readonly addsToMissing?: true;
}

/** A file's text as it was read. Compared by identity, which is what lets facts about it be remembered. */
export interface SourceText {
  readonly text: string;
  /** The real path of the file. It decides what a session may not read, even when a handler brought the text. */
  readonly realPath?: string | undefined;
}

export type Rope = readonly Span[];

export const EMPTY_ROPE: Rope = [];

export function ropeText(rope: Rope): string {
  if (rope.length === 1) return rope[0]?.text ?? '';
  let text = '';
  for (const span of rope) text += span.text;
  return text;
}

export function ropeLength(rope: Rope): number {
  let length = 0;
  for (const span of rope) length += span.text.length;
  return length;
}

export function sliceRope(rope: Rope, from: number, to: number): Rope {
  const slice: Span[] = [];
  let at = 0;
  for (const span of rope) {
    const end = at + span.text.length;
    if (end > from && at < to) slice.push(sliceSpan(span, Math.max(0, from - at), Math.min(span.text.length, to - at)));
    at = end;
    if (at >= to) break;
  }
  return slice;
}

/** Joins neighbours that continue one another, so that a report shows the fewest spans that tell the truth. */
export function joinRopes(...ropes: readonly Rope[]): Rope {
  const joined: Span[] = [];
  for (const rope of ropes) {
    for (const span of rope) {
      if (span.text === '') continue;
      const last = joined.at(-1);
      if (last && continues(last, span)) joined[joined.length - 1] = { ...last, text: last.text + span.text };
      else joined.push(span);
    }
  }
  return joined;
}

function sliceSpan(span: Span, from: number, to: number): Span {
  if (from === 0 && to === span.text.length) return span;
  const text = span.text.slice(from, to);
  return span.start === undefined ? { ...span, text } : { ...span, text, start: span.start + from };
}

function continues(last: Span, next: Span): boolean {
  if (last.contribution !== next.contribution || last.source !== next.source || !sameOrigin(last.origin, next.origin))
    return false;
  if (last.start === undefined) return next.start === undefined;
  return next.start === last.start + last.text.length;
}
