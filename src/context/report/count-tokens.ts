// Token estimates for ropes. The estimate of a piece of a file is remembered with the file's text, so an unchanged
// workspace is not counted again on every run.

import { estimateTokens } from '../budget/estimate-tokens.ts';
import type { Rope, SourceText, Span } from '../provenance/rope.ts';

const counts = new WeakMap<SourceText, Map<string, number>>();

/** Further pieces of one text are not remembered. */
const MAX_REMEMBERED = 64;

/** The sum over the spans, so that the parts of a report add up to its total. */
export function countTokens(rope: Rope): number {
  let tokens = 0;
  for (const span of rope) tokens += countSpan(span);
  return tokens;
}

function countSpan(span: Span): number {
  if (!span.source || span.origin.kind === 'product') return estimateTokens(span.text);
  let remembered = counts.get(span.source);
  if (!remembered) {
    remembered = new Map();
    counts.set(span.source, remembered);
  }
  const piece = `${span.start}+${span.text.length}`;
  let tokens = remembered.get(piece);
  if (tokens === undefined) {
    tokens = estimateTokens(span.text);
    if (remembered.size < MAX_REMEMBERED) remembered.set(piece, tokens);
  }
  return tokens;
}
