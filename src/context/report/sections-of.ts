// A prompt as the list of its sections: what Atrium says itself, and the layers, each without its heading. Commands that
// compare prompts compare these.

import type { Stability } from '../../protocol/handler.ts';
import type { Composition, Prompt } from '../compose.ts';
import { type Rope, sliceRope } from '../provenance/rope.ts';
import type { LayerReport } from './build-report.ts';

export interface Section {
  /** No other section of the prompt has this id. */
  readonly id: string;
  readonly title: string;
  readonly stability: Stability;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly rope: Rope;
}

/** The sections in the order of the prompt. */
export function sectionsOf({ prompt, report }: Composition): readonly Section[] {
  const places = [...ownSections(prompt, report.layers), ...report.layers].sort((a, b) => a.start - b.start);
  const ids = new Map<string, number>();
  return places.map(({ id, title, stability, start, end }) => {
    const count = (ids.get(id) ?? 0) + 1;
    ids.set(id, count);
    return {
      id: count === 1 ? id : `${id}#${count}`,
      title,
      stability,
      start,
      end,
      text: prompt.text.slice(start, end),
      rope: sliceRope(prompt.rope, start, end),
    };
  });
}

type Place = Pick<Section, 'id' | 'title' | 'stability' | 'start' | 'end'>;

/** What stands between the layers and is no heading of one: the opening, the skills, notices. */
function ownSections(prompt: Prompt, layers: readonly LayerReport[]): Place[] {
  const places: Place[] = [];
  let blockStart = 0;
  for (const { stability, text } of prompt.blocks) {
    const blockEnd = blockStart + text.length;
    const inBlock = layers.filter((layer) => layer.start >= blockStart && layer.end <= blockEnd);
    const starts = [blockStart, ...inBlock.map((layer) => layer.end)];
    const ends = [...inBlock.map((layer) => layer.start), blockEnd];
    starts.forEach((start, index) => {
      places.push(...placesBetween(prompt.rope, start, ends[index] ?? blockEnd, stability));
    });
    blockStart = blockEnd;
  }
  return places;
}

function placesBetween(rope: Rope, from: number, to: number, stability: Stability): Place[] {
  const places: Place[] = [];
  const parts: { part: string; start: number; text: string }[] = [];
  let at = from;
  for (const span of sliceRope(rope, from, to)) {
    // A catalogue is Atrium's, with names and descriptions from elsewhere in it.
    const part = span.origin.kind === 'product' ? span.origin.part : (parts.at(-1)?.part ?? '');
    const last = parts.at(-1);
    if (last?.part === part) last.text += span.text;
    else parts.push({ part, start: at, text: span.text });
    at += span.text.length;
  }
  for (const { part, start, text } of parts) {
    if (part === 'heading') continue;
    const heading = /^\n## ([^\n]+)\n\n/.exec(text);
    const bodyStart = start + (heading?.[0].length ?? 0);
    const title = heading?.[1] ?? 'Opening';
    places.push({ id: `product:${part}`, title, stability, start: bodyStart, end: start + text.length });
  }
  return places;
}
