// Compares a composition with the one before it: where the first changed character is and whose it is, which is what
// decides how much of a provider's prompt cache is lost; and which handlers broke their promise to be static.

import type { Composition, Prompt } from '../compose.ts';
import type { CompositionState } from '../composition.ts';
import { formatOrigin, type Origin } from '../provenance/origin.ts';
import type { Rope } from '../provenance/rope.ts';

export interface ContextChange {
  readonly changed: boolean;
  /** Offset of the first character that differs from the previous prompt. */
  readonly firstChangedChar?: number | undefined;
  /** True when the change lies before the boundary, so that the cached prefix is lost from there on. */
  readonly breaksCache: boolean;
  readonly origin?: Origin | undefined;
  readonly previousOrigin?: Origin | undefined;
  /** One sentence for people. */
  readonly summary: string;
  /** Handlers that declare themselves static and wrote something else than last time. */
  readonly brokenPromises: readonly string[];
}

export function findChange(
  prompt: Prompt,
  hash: string,
  previous: Composition,
  state: CompositionState,
): ContextChange {
  if (hash === previous.report.prompt.hash) {
    return { changed: false, breaksCache: false, summary: 'nothing changed', brokenPromises: [] };
  }
  const at = firstDifference(prompt.text, previous.prompt.text);
  const origin = originAt(prompt.rope, at);
  const previousOrigin = originAt(previous.prompt.rope, at);
  const breaksCache = at < Math.min(prompt.cacheBoundary, previous.prompt.cacheBoundary);
  return {
    changed: true,
    firstChangedChar: at,
    breaksCache,
    origin,
    previousOrigin,
    summary: summarise(at, origin, previousOrigin, breaksCache),
    brokenPromises: brokenPromises(prompt.rope, previous.prompt.rope, state),
  };
}

function summarise(at: number, origin: Origin | undefined, previous: Origin | undefined, breaksCache: boolean): string {
  const side = breaksCache ? 'before the cache boundary' : 'behind the cache boundary';
  const whose = origin ? formatOrigin(origin) : previous ? `the end of ${formatOrigin(previous)}` : 'the end';
  return `the first change is at character ${at}, ${side}, in ${whose}`;
}

function firstDifference(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

function originAt(rope: Rope, offset: number): Origin | undefined {
  let end = 0;
  for (const span of rope) {
    end += span.text.length;
    if (offset < end) return span.origin;
  }
  return undefined;
}

/** Text that a handler carried in from a file is exempt: an edited file is the operator's doing. */
function brokenPromises(rope: Rope, previous: Rope, state: CompositionState): string[] {
  const promised = state.input.handlers.list().filter((handler) => handler.stability === 'static');
  return promised.map((handler) => handler.id).filter((id) => ownText(rope, id) !== ownText(previous, id));
}

function ownText(rope: Rope, id: string): string {
  let text = '';
  for (const span of rope) {
    if (
      span.source === undefined &&
      (span.origin.kind === 'handler' || span.origin.kind === 'rule') &&
      span.origin.id === id
    )
      text += span.text;
  }
  return text;
}
