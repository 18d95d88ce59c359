// An origin as reports show it: with the lines of the file that the text stands in, and a rule under its own id.

import { linesOf } from '../provenance/line-index.ts';
import { formatOrigin, type Origin } from '../provenance/origin.ts';
import type { Rope, Span } from '../provenance/rope.ts';

export type LocatedOrigin = Origin & { readonly lines?: readonly [number, number] };

/**
 * Among handlers a rule has a name with this prefix, so that it cannot clash with a handler. Reports show its plain id.
 */
const RULE_PREFIX = 'rule:';

export function originOf(span: Span): LocatedOrigin {
  const { origin } = span;
  const named: Origin =
    origin.kind === 'rule' && origin.id.startsWith(RULE_PREFIX)
      ? { ...origin, id: origin.id.slice(RULE_PREFIX.length) }
      : origin;
  const lines = linesOf(span);
  return lines ? { ...named, lines } : named;
}

/** The authors of a piece of text, each once, in the order in which they appear. */
export function originsOf(rope: Rope): LocatedOrigin[] {
  const origins = new Map<string, LocatedOrigin>();
  for (const span of rope) {
    const origin = originOf(span);
    const key = formatOrigin(origin);
    const known = origins.get(key);
    origins.set(key, known ? { ...known, ...joinLines(known, origin) } : origin);
  }
  return [...origins.values()];
}

function joinLines(a: LocatedOrigin, b: LocatedOrigin): { lines?: readonly [number, number] } {
  if (!a.lines || !b.lines) return {};
  return { lines: [Math.min(a.lines[0], b.lines[0]), Math.max(a.lines[1], b.lines[1])] };
}
