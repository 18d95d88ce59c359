// A request as the page shows it: the units that a model reads, in order, each with its pieces, their authors and what is
// known about each. It is made from what the gateway tells about a run, or about what would be sent now. Pure.

import type { CacheCall, ContextReport, RequestMeasure, ToldSpan } from '../client/gateway-client.ts';
import { type Author, authorOf } from './author.ts';
import { type LaidRequest, layRequest } from './lay-request.ts';

export interface RequestSource {
  readonly body: string;
  readonly spans: readonly ToldSpan[];
  readonly report: ContextReport | undefined;
  readonly measure: RequestMeasure | undefined;
  /** Undefined for a request that was not sent. */
  readonly runId: string | undefined;
  /** How the request compares with the one before it; undefined for one that was not sent. */
  readonly cache: CacheCall | undefined;
}

export interface RequestView {
  readonly units: readonly RequestUnit[];
  readonly laid: LaidRequest;
  readonly pieces: readonly RequestPiece[];
  readonly bytes: number;
  /** The bytes of the pieces as they stand in the body; the rest is the form of the provider. */
  readonly authorBytes: number;
  /** The piece at which the request first differs from the one before it, where its author is known. */
  readonly brokenAt: number | undefined;
}

export interface RequestUnit {
  readonly title: string;
  readonly where: ToldSpan['where'];
  readonly chars: number;
  readonly tokens: number;
  readonly pieces: readonly RequestPiece[];
  /** The last unit that is the same in every session, so that a provider can cache all up to here. */
  readonly isBoundary: boolean;
}

export interface RequestPiece {
  readonly index: number;
  readonly span: ToldSpan;
  readonly author: Author;
  readonly tokens: number;
  readonly stability: string | undefined;
  /** It stood in the request before, with the same beginning. Undefined when that is not known. */
  readonly isShared: boolean | undefined;
}

export function viewRequest({ body, spans, report, measure, cache, runId }: RequestSource): RequestView {
  const laid = layRequest(body, spans);
  const bytes = bytesOf(body);
  const scale = measure && measure.chars > 0 ? measure.tokens / measure.chars : 1 / 4;
  const layers = layersOf(spans, report);
  const pieces = spans.map((span, index): RequestPiece => {
    return {
      index,
      span,
      author: authorOf(span),
      tokens: span.tokens ?? Math.round(span.chars * scale),
      stability: layers[index] ?? STABILITY_ELSEWHERE[span.where],
      isShared: isShared(span, cache, runId),
    };
  });
  const authorBytes = laid.parts.reduce((sum, { text, span }) => (span === undefined ? sum : sum + bytesOf(text)), 0);
  const brokenAt = cache?.break ? findBreak(spans, cache.break) : undefined;
  return { units: unitsOf(pieces, report), laid, pieces, bytes, authorBytes, brokenAt };
}

const STABILITY_ELSEWHERE = { system: undefined, tools: 'session', messages: 'run' } as const;

function unitsOf(pieces: readonly RequestPiece[], report: ContextReport | undefined): readonly RequestUnit[] {
  const units = new Map<string, RequestPiece[]>();
  for (const piece of pieces) {
    const name = `${piece.span.where} ${piece.span.index}`;
    const known = units.get(name);
    if (known) known.push(piece);
    else units.set(name, [piece]);
  }
  const stable = report?.prompt.stable.chars ?? 0;
  let system = 0;
  return [...units.values()].map((members): RequestUnit => {
    const where = members[0]?.span.where ?? 'messages';
    const chars = sum(members, ({ span }) => span.chars);
    const before = system;
    if (where === 'system') system += chars;
    return {
      title: titleOf(members),
      where,
      chars,
      tokens: sum(members, ({ tokens }) => tokens),
      pieces: members,
      isBoundary: where === 'system' && stable > 0 && before < stable && system >= stable,
    };
  });
}

function titleOf([first]: readonly RequestPiece[]): string {
  if (!first) return '';
  const { where, index } = first.span;
  if (where === 'system') return `System block ${index + 1}`;
  if (where === 'tools') return `Tool: ${first.author.name}`;
  const speaker = { model: 'model', tool: `result of ${first.author.name}` }[first.author.kind as string];
  return `Message ${index + 1}: ${speaker ?? 'person'}`;
}

/** The stability of the layer that each piece of the system prompt belongs to, where the lengths agree. */
function layersOf(spans: readonly ToldSpan[], report: ContextReport | undefined): readonly (string | undefined)[] {
  const chars = sum(spans, ({ where, chars: each }) => (where === 'system' ? each : 0));
  let at = 0;
  return spans.map((span) => {
    if (span.where !== 'system' || !report) return undefined;
    const start = at;
    at += span.chars;
    const layer = report.layers.find(({ start: from, end }) => start >= from && start < end);
    if (layer) return layer.stability;
    return chars === report.prompt.chars && start < report.prompt.stable.chars ? 'static' : undefined;
  });
}

function sum<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.reduce((total, item) => total + measure(item), 0);
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A break in the messages leaves all before them as it was; what broke in front of them is not told piece by piece. */
function isShared({ where, runId: saidIn }: ToldSpan, cache: CacheCall | undefined, runId: string | undefined) {
  if (!cache || cache.with === null) return undefined;
  if (cache.break && !cache.break.where.startsWith('messages')) return undefined;
  if (where !== 'messages') return true;
  return cache.break || cache.with.kind === 'call' ? undefined : saidIn !== undefined && saidIn !== runId;
}

function findBreak(spans: readonly ToldSpan[], { author, line }: NonNullable<CacheCall['break']>): number | undefined {
  const isNear = ({ origin }: ToldSpan) => {
    const [, first, last] = /, lines? (\d+)(?:-(\d+))?$/.exec(origin) ?? [];
    if (line === undefined || first === undefined) return true;
    return line >= Number(first) && line <= Number(last ?? first);
  };
  const index = spans.findIndex((span) => span.origin.includes(author) && isNear(span));
  return index === -1 ? undefined : index;
}
