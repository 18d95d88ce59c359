// Names what the budget took from a layer: the file, the lines in it, how much, and which limit was the cause.

import type { FittedEntry } from './budget/fit-budget.ts';
import type { Cut, Layer } from './composition.ts';
import { lineRange } from './provenance/line-index.ts';
import { type Rope, ropeText, type SourceText, type Span, sliceRope } from './provenance/rope.ts';
import { countTokens } from './report/count-tokens.ts';

export function nameCuts(layer: Layer, entry: FittedEntry): Cut[] {
  const cause = entry.causes.at(-1);
  if (!entry.truncated || entry.status !== 'present' || !cause) return [];
  const path = layer.file?.path ?? layer.title;
  const whole = { text: ropeText(layer.rope) };
  return entry.cuts.flatMap((range) => {
    let end = range.start;
    return groupBySource(sliceRope(layer.rope, range.start, range.end)).map((rope): Cut => {
      const start = end;
      const text = ropeText(rope);
      end += text.length;
      const place = placeInFile(rope) ?? { path, lines: lineRange(whole, start, end) };
      return {
        file: layer.title,
        stability: layer.stability,
        path,
        ...(place.path === path ? {} : { source: place.path }),
        lines: place.lines,
        chars: text.length,
        tokens: countTokens(rope),
        cause,
        text,
      };
    });
  });
}

/** Runs of spans that stand in one file; what stands in none goes with what is before it, or after it at the start. */
function groupBySource(rope: Rope): readonly Rope[] {
  const groups: { source: SourceText | undefined; spans: Span[] }[] = [];
  for (const span of rope) {
    const last = groups.at(-1);
    if (!last || (last.source && span.source && last.source !== span.source)) {
      groups.push({ source: span.source, spans: [span] });
    } else {
      last.source ??= span.source;
      last.spans.push(span);
    }
  }
  return groups.map((group) => group.spans);
}

function placeInFile(rope: Rope): { path: string; lines: readonly [number, number] } | undefined {
  let place: { path: string; source: SourceText; start: number; end: number } | undefined;
  for (const { text, origin, source, start } of rope) {
    if (!source || start === undefined || origin.kind === 'product' || origin.path === undefined) continue;
    place ??= { path: origin.path, source, start, end: start };
    place.start = Math.min(place.start, start);
    place.end = Math.max(place.end, start + text.length);
  }
  return place && { path: place.path, lines: lineRange(place.source, place.start, place.end) };
}
