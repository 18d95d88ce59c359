// The same composition with folders under other names, so that two workspaces can be compared by what they say instead of
// by where they lie. Text that stands in a file is left as it is; paths that Atrium or a handler wrote are renamed.

import { sha256Of } from '../../protocol/sha256-of.ts';
import type { Composition } from '../compose.ts';
import { type Rope, ropeText } from '../provenance/rope.ts';
import { type MachineFolder, pathNormaliser } from './path-normaliser.ts';

export function renameFolders(composition: Composition, folders: readonly MachineFolder[]): Composition {
  const rename = pathNormaliser(folders);
  const { prompt, report } = composition;
  const renamed = prompt.rope.map((span) => (span.source ? span : { ...span, text: rename(span.text) }));
  const text = ropeText(renamed);
  if (text === prompt.text) return composition;
  const place = (offset: number) => newOffset(prompt.rope, renamed, offset, rename);
  let at = 0;
  const blocks = prompt.blocks.map((block) => {
    const start = at;
    at += block.text.length;
    return { ...block, text: text.slice(place(start), place(at)) };
  });
  const stableChars = place(prompt.cacheBoundary);
  return {
    ...composition,
    prompt: { text, rope: renamed, blocks, cacheBoundary: stableChars },
    report: {
      ...report,
      prompt: {
        ...report.prompt,
        chars: text.length,
        hash: sha256Of(text),
        stable: { ...report.prompt.stable, chars: stableChars, hash: sha256Of(text.slice(0, stableChars)) },
      },
      layers: report.layers.map((layer) => ({ ...layer, start: place(layer.start), end: place(layer.end) })),
      spans: report.spans.map((span, index) => ({
        ...span,
        text: renamed[index]?.text ?? span.text,
        start: place(span.start),
        end: place(span.end),
      })),
    },
  };
}

/** Where a place of the old text is in the new one. A path does not go on from one span to the next. */
function newOffset(before: Rope, after: Rope, offset: number, rename: (text: string) => string): number {
  let old = 0;
  let now = 0;
  for (const [index, { text }] of before.entries()) {
    const renamed = after[index]?.text ?? text;
    if (offset < old + text.length)
      return now + (renamed === text ? offset - old : rename(text.slice(0, offset - old)).length);
    old += text.length;
    now += renamed.length;
  }
  return now;
}
