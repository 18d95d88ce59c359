// What a whole request is made of, by part and by author: system blocks, tools, the history, the message that it is
// about, and what the run itself has added since. Every size that people are shown comes from here: the page, the
// commands and the chat therefore agree with each other and with the moment at which compaction begins.
// Promise: the parts add up to the whole, and the authors of a part to the part. It is pure; it reads spans and sends nothing.

import { estimateTokens } from '../context/budget/estimate-tokens.ts';
import type { Model } from '../models/model.ts';
import type { CompactionSettings } from '../protocol/compaction-settings.ts';
import { isCredibleCount, limitsOf, TOKENS_AROUND_MESSAGE } from './compaction/request-size.ts';
import type { ToldSpan } from './request-text.ts';

/** In the order in which a model reads them. `steps` are the tool calls of this run and their results. */
export const REQUEST_PARTS = ['system', 'tools', 'history', 'message', 'steps'] as const;
export type RequestPartName = (typeof REQUEST_PARTS)[number];

export interface RequestSize {
  readonly chars: number;
  readonly tokens: number;
}

export interface RequestMeasure extends RequestSize {
  /** All parts, in order. A part that the request does not have is empty. */
  readonly parts: readonly RequestPart[];
  /** How much of the model's window is left. Undefined for a request that was stored without it. */
  readonly room?: RequestRoom | undefined;
  /** How many tokens were estimated from the words, before the provider's count was known. */
  readonly estimated: number;
  /** How many tokens the provider counted for this request; undefined when it has not answered or did not say. */
  readonly counted?: ProviderCount | undefined;
}

export interface RequestPart extends RequestSize {
  readonly part: RequestPartName;
  /** The number of blocks, tools or messages. */
  readonly count: number;
  /** Who wrote it, in the order of the request, each author once. */
  readonly authors: readonly PartAuthor[];
}

export interface PartAuthor extends RequestSize {
  /** A file without its line numbers, a handler, a plugin's contribution, a tool, `message`, `model`. */
  readonly origin: string;
  /** The number of blocks, tools or messages that this author has a piece of. */
  readonly count: number;
}

/** The limits for a request, in tokens. */
export interface RequestLimits {
  /** What the model's window allows after every limit. */
  readonly window: number;
  /** A larger request is compacted before it is sent. Undefined when compaction is off. */
  readonly compactsAt?: number | undefined;
}

export interface RequestRoom extends RequestLimits {
  /** What is left of the window; negative for a request that is too large. */
  readonly free: number;
  readonly untilCompaction?: number | undefined;
}

export interface ProviderCount {
  readonly tokens: number;
  /** False when the count is so far from the estimate that it cannot be right. The sizes are then estimates. */
  readonly isCredible: boolean;
}

export interface MeasuredRequest {
  readonly spans: readonly ToldSpan[];
  /** The index of the message that the request is about. */
  readonly messageIndex: number;
  readonly limits?: RequestLimits | undefined;
  /** The provider's count for each token of the estimate, where it is known from earlier requests. */
  readonly scale?: number | undefined;
  /** The provider's count of this very request. It is used instead of the scale when it is credible. */
  readonly countedTokens?: number | undefined;
}

export function requestLimits(model: Pick<Model, 'contextWindow'>, settings: CompactionSettings): RequestLimits {
  const { window, limit } = limitsOf(model, settings);
  return { window, ...(settings.enabled ? { compactsAt: limit } : {}) };
}

export function measureRequest(request: MeasuredRequest): RequestMeasure {
  const { limits, countedTokens } = request;
  const pieces = piecesOf(request.spans);
  const estimated = pieces.reduce((sum, { estimate }) => sum + estimate, 0);
  const counted =
    countedTokens === undefined
      ? undefined
      : { tokens: countedTokens, isCredible: isCredibleCount(countedTokens, estimated) };
  const scale = counted?.isCredible ? counted.tokens / estimated : (request.scale ?? 1);
  const parts = partsOf(pieces, request.messageIndex, scale);
  const tokens = sumOf(parts, (part) => part.tokens);
  return {
    chars: sumOf(parts, ({ chars }) => chars),
    tokens,
    parts,
    ...(limits && { room: roomOf(limits, tokens) }),
    estimated: Math.round(estimated),
    ...(counted && { counted }),
  };
}

function roomOf(limits: RequestLimits, tokens: number): RequestRoom {
  const { window, compactsAt } = limits;
  return {
    ...limits,
    free: window - tokens,
    ...(compactsAt === undefined ? {} : { untilCompaction: compactsAt - tokens }),
  };
}

interface Piece {
  readonly span: ToldSpan;
  /** Tokens by our estimate, not rounded. */
  readonly estimate: number;
}

/**
 * A block, tool or message is estimated as a whole, as compaction does it, and its pieces share that estimate: rounding
 * every short piece up would count too much.
 */
function piecesOf(spans: readonly ToldSpan[]): readonly Piece[] {
  const units = new Map<string, ToldSpan[]>();
  for (const span of spans) {
    const name = unitOf(span);
    const unit = units.get(name);
    if (unit) unit.push(span);
    else units.set(name, [span]);
  }
  return [...units.values()].flatMap((all) => {
    const unit = all.filter(({ tokens }) => tokens === undefined);
    const images = all.flatMap((span) => (span.tokens === undefined ? [] : [{ span, estimate: span.tokens }]));
    const single = unit.map(({ text, chars }) => (text === undefined ? chars / CHARS_PER_TOKEN : estimateTokens(text)));
    const sum = sumOf(single, (tokens) => tokens);
    const around = unit[0]?.where === 'messages' ? TOKENS_AROUND_MESSAGE : 0;
    const whole = around + (unit.some(({ text }) => text === undefined) ? sum : estimateTokens(joined(unit)));
    const texts = unit.map((span, index) => ({
      span,
      estimate: sum === 0 ? 0 : (whole * (single[index] ?? 0)) / sum,
    }));
    return [...texts, ...images];
  });
}

/** For words that are not stored any more. */
const CHARS_PER_TOKEN = 4;

function joined(unit: readonly ToldSpan[]): string {
  return unit.map(({ text }) => text ?? '').join('');
}

function partsOf(pieces: readonly Piece[], messageIndex: number, scale: number): readonly RequestPart[] {
  const authors = new Map<RequestPartName, Map<string, { units: Set<string>; chars: number; estimate: number }>>();
  for (const { span, estimate } of pieces) {
    const part = partOf(span, messageIndex);
    const ofPart = authors.get(part) ?? new Map();
    authors.set(part, ofPart);
    const origin = withoutLines(span.origin);
    const author = ofPart.get(origin) ?? { units: new Set(), chars: 0, estimate: 0 };
    ofPart.set(origin, author);
    author.units.add(unitOf(span));
    author.chars += span.chars;
    author.estimate += estimate;
  }
  // Each size is the difference of two rounded sums, so that the rounded sizes add up to the rounded whole.
  let exact = 0;
  return REQUEST_PARTS.map((part): RequestPart => {
    const ofPart = [...(authors.get(part) ?? [])].map(([origin, { units, chars, estimate }]): PartAuthor => {
      const before = Math.round(exact);
      exact += estimate * scale;
      return { origin, count: units.size, chars, tokens: Math.round(exact) - before };
    });
    const units = pieces.filter(({ span }) => partOf(span, messageIndex) === part).map(({ span }) => unitOf(span));
    return {
      part,
      count: new Set(units).size,
      chars: sumOf(ofPart, ({ chars }) => chars),
      tokens: sumOf(ofPart, ({ tokens }) => tokens),
      authors: ofPart,
    };
  });
}

function partOf({ where, index }: ToldSpan, messageIndex: number): RequestPartName {
  if (where !== 'messages') return where;
  if (index === messageIndex) return 'message';
  return index < messageIndex ? 'history' : 'steps';
}

function unitOf({ where, index }: ToldSpan): string {
  return `${where} ${index}`;
}

/** The author of a line of a file is that file. */
function withoutLines(origin: string): string {
  return origin.replace(/, lines? [\d-]+$/, '');
}

function sumOf<Item>(items: readonly Item[], measure: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + measure(item), 0);
}
