// A composition as plain data that crosses a connection, and back. Many spans stand in the same file, so that file's
// text is packed once. Text that was read keeps its file and its place, so every author has the same lines as before.

import type { Composition } from './compose.ts';
import type { Origin } from './provenance/origin.ts';
import { ropeText, type SourceText, type Span } from './provenance/rope.ts';
import type { ContextReport } from './report/build-report.ts';

export interface PackedComposition {
  readonly files: Composition['files'];
  /** The spans of the report are those of the rope, so they are not packed twice. */
  readonly report: Omit<ContextReport, 'spans'>;
  readonly blocks: readonly Omit<Composition['prompt']['blocks'][number], 'text'>[];
  /** How many characters each block has. */
  readonly blockChars: readonly number[];
  readonly cacheBoundary: number;
  readonly sources: readonly SourceText[];
  readonly spans: readonly PackedSpan[];
}

export interface PackedSpan {
  readonly text: string;
  readonly origin: Origin;
  /** As the report names it. */
  readonly told: ContextReport['spans'][number]['origin'];
  /** The position of its file in `sources`. */
  readonly source?: number | undefined;
  readonly start?: number | undefined;
}

export function packComposition({ files, prompt, report }: Composition): PackedComposition {
  const sources: SourceText[] = [];
  const positions = new Map<SourceText, number>();
  const { spans: told, ...rest } = report;
  const spans = prompt.rope.map(({ text, origin, source, start }, index): PackedSpan => {
    if (source && !positions.has(source)) positions.set(source, sources.push(source) - 1);
    return { text, origin, told: told[index]?.origin ?? origin, source: source && positions.get(source), start };
  });
  return {
    files,
    report: rest,
    blocks: prompt.blocks.map(({ id, stability }) => ({ id, stability })),
    blockChars: prompt.blocks.map(({ text }) => text.length),
    cacheBoundary: prompt.cacheBoundary,
    sources,
    spans,
  };
}

export function unpackComposition(packed: PackedComposition): Composition {
  const rope = packed.spans.map(({ text, origin, source, start }): Span => {
    const file = source === undefined ? undefined : packed.sources[source];
    return { text, origin, ...(file && { source: file }), ...(start === undefined ? {} : { start }) };
  });
  const text = ropeText(rope);
  let at = 0;
  const next = (chars: number) => {
    at += chars;
    return at - chars;
  };
  const blocks = packed.blocks.map((block, index) => {
    const chars = packed.blockChars[index] ?? 0;
    const start = next(chars);
    return { ...block, text: text.slice(start, start + chars) };
  });
  at = 0;
  const spans = packed.spans.map(({ text: own, told }) => {
    const start = next(own.length);
    return { text: own, start, end: start + own.length, origin: told };
  });
  return {
    files: packed.files,
    prompt: { text, blocks, cacheBoundary: packed.cacheBoundary, rope },
    report: { ...packed.report, spans },
  };
}
