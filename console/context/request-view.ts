// A request as the page shows it: the units that a model reads, in order, each with its pieces, their authors and what is
// known about each. It is made from what the gateway tells about a run, or about what would be sent now. It is pure.

import type { CacheCall, ContextReport, RequestMeasure, ToldSpan } from '../client/gateway-client.ts';
import { type Author, authorOf } from './author.ts';
import { type LaidRequest, layRequest } from './lay-request.ts';

export interface RequestSource {
  readonly body: string;
  readonly spans: readonly ToldSpan[];
  readonly report: ContextReport | undefined;
  readonly measure: RequestMeasure | undefined;
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
  /** Where the request first differs from the one before it, where its author is known. */
  readonly newAt: NewPlace | undefined;
}

export interface NewPlace {
  readonly piece: number;
  /** How many characters of the piece are as they were. */
  readonly char: number;
  /** False when the request only goes on where the one before it ended. */
  readonly isBreak: boolean;
  /** The same place in the part of the body, and its byte in the whole body. */
  readonly offset?: number | undefined;
  readonly byte?: number | undefined;
}

export interface RequestUnit {
  readonly title: string;
  readonly where: ToldSpan['where'];
  readonly chars: number;
  readonly tokens: number;
  readonly pieces: readonly RequestPiece[];
  /** The last piece that is the same in every session, so that a provider can cache all up to here. */
  readonly boundaryAfter: number | undefined;
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

export function viewRequest({ body, spans, report, measure, cache }: RequestSource): RequestView {
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
      isShared: isShared(index, spans, cache),
    };
  });
  const authorBytes = laid.parts.reduce((sum, { text, span }) => (span === undefined ? sum : sum + bytesOf(text)), 0);
  const newAt = cache && newPlace(cache, spans, body, laid);
  return { units: unitsOf(pieces, report), laid, pieces, bytes, authorBytes, newAt };
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
    let boundaryAfter: number | undefined;
    for (const { span, index } of where === 'system' && stable > 0 ? members : []) {
      if (system < stable && system + span.chars >= stable) boundaryAfter = index;
      system += span.chars;
    }
    return {
      title: titleOf(members),
      where,
      chars,
      tokens: sum(members, ({ tokens }) => tokens),
      pieces: members,
      boundaryAfter,
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

/** Providers read tools first, then the system prompt, then the messages. */
const READING_ORDER = { tools: 0, system: 1, messages: 2 } as const;

function isBefore(one: number, other: number, spans: readonly ToldSpan[]): boolean {
  const [a, b] = [spans[one], spans[other]];
  if (!a || !b) return false;
  return READING_ORDER[a.where] - READING_ORDER[b.where] < 0 || (a.where === b.where && one < other);
}

/** Everything before the first character that is new stood in the request before. */
function isShared(index: number, spans: readonly ToldSpan[], cache: CacheCall | undefined): boolean | undefined {
  if (!cache || cache.with === null) return undefined;
  if (cache.newFrom === null) return cache.break === null ? true : undefined;
  const { span, char } = cache.newFrom;
  return isBefore(index, span, spans) || (index === span && char >= (spans[index]?.chars ?? 0));
}

/** The place of the first character that is new, in the document and in the body. */
function newPlace(
  { newFrom, break: broken }: CacheCall,
  spans: readonly ToldSpan[],
  body: string,
  { starts }: LaidRequest,
): NewPlace | undefined {
  if (newFrom === null) return undefined;
  const { span, char } = newFrom;
  const [start, text = ''] = [starts[span], spans[span]?.text];
  if (start === undefined) return { piece: span, char, isBreak: broken !== null };
  const escaped = JSON.stringify(text).slice(1, -1);
  const isEscaped = body.startsWith(escaped, start);
  const offset = isEscaped ? JSON.stringify(text.slice(0, char)).length - 2 : char;
  return { piece: span, char, isBreak: broken !== null, offset, byte: bytesOf(body.slice(0, start + offset)) };
}
