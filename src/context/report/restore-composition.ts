// A composition from what a run has stored: its report, which has no texts, and the system prompt that was sent. The
// texts of what was left out are not stored, so nothing can be found there.

import { sha256Of } from '../../protocol/sha256-of.ts';
import type { Composition } from '../compose.ts';
import type { Span } from '../provenance/rope.ts';
import type { ContextReport, SpanReport } from './build-report.ts';
import type { LocatedOrigin } from './located-origin.ts';

/** `pieces` are the texts of the system prompt in order; undefined when the composed prompt is not among them. */
export function restoreComposition(report: ContextReport, pieces: readonly string[]): Composition | undefined {
  const text = findPrompt(report, pieces);
  if (text === undefined) return undefined;
  const spans = report.spans.map((span) => ({ ...span, text: text.slice(span.start, span.end) }));
  const boundary = report.prompt.stable.chars;
  const run = text.indexOf('\n# Run Context\n', boundary);
  const end = run === -1 ? text.length : run;
  const blocks = [
    { id: 'static', stability: 'static' as const, text: text.slice(0, boundary) },
    { id: 'session', stability: 'session' as const, text: text.slice(boundary, end) },
    { id: 'run', stability: 'run' as const, text: text.slice(end) },
  ].filter((block) => block.text !== '');
  return {
    files: [],
    prompt: { text, blocks, cacheBoundary: boundary, rope: spans.flatMap(toSpans) },
    report: { ...report, spans },
  };
}

/** Plugins may have added text before and behind the prompt; its hash says where it is. */
function findPrompt({ prompt }: ContextReport, pieces: readonly string[]): string | undefined {
  const all = pieces.join('');
  let start = 0;
  for (const piece of ['', ...pieces]) {
    start += piece.length;
    const text = all.slice(start, start + prompt.chars);
    if (text.length === prompt.chars && sha256Of(text) === prompt.hash) return text;
  }
  return undefined;
}

/** A span of several lines of a file becomes one for each line, so that every line has its own number. */
function toSpans({ text, origin }: SpanReport): readonly Span[] {
  if (!origin.lines) return [{ text, origin }];
  const [first, last] = origin.lines;
  const lines = text.split(/(?<=\n)/);
  if (lines.length !== last - first + 1) return [{ text, origin }];
  return lines.map((line, index) => {
    const located: LocatedOrigin = { ...origin, lines: [first + index, first + index] };
    return { text: line, origin: located };
  });
}
