// Who wrote the words at a place of a captured request: the spans that were stored with it are laid over its pieces. Tools
// and system blocks are counted; messages are found by the number of their characters, because serialisers join some and
// leave out empty ones. It is pure.

import type { RequestSpan } from '../../../agent/request-draft.ts';
import type { PromptText } from '../../../recorder/cache-prefix.ts';
import { wordAt, wordsOfPiece } from './piece-words.ts';

export interface PromptAuthor {
  readonly kind: AuthorKind;
  /** The path of a file, the id of a handler or rule, the name of a tool; else what the span says. */
  readonly name: string;
  /** The owner of a tool, or of words that a plugin put in; the file that a handler brought its words from. */
  readonly of?: string | undefined;
  /** The line of the file. */
  readonly line?: number | undefined;
  /** The run that the words of an earlier message come from. */
  readonly runId?: string | undefined;
}

export type AuthorKind =
  | 'file'
  | 'handler'
  | 'rule'
  | 'plugin'
  | 'tool'
  | 'tool-result'
  | 'message'
  | 'model'
  | 'compaction'
  | 'atrium';

type Pieces = readonly Pick<PromptText, 'path' | 'text'>[];

/** Undefined when the place is behind the last piece, or the spans do not describe this request. */
export function promptAuthorAt(
  pieces: Pieces,
  spans: readonly RequestSpan[],
  { piece, char }: { readonly piece: number; readonly char: number },
): PromptAuthor | undefined {
  const found = pieces[piece];
  const unit = found && unitOf(pieces, spans, piece);
  if (!unit) return undefined;
  if (unit.spans.length === 1 || unit.isTool) return authorOf(unit.spans[0], '');
  return authorInWords(unit.spans, unit.words, wordAt(found.text, char, unit.words));
}

/** The span at a place, by its index, and how many characters of it stand before the place. */
export function spanAt(
  pieces: Pieces,
  spans: readonly RequestSpan[],
  { piece, char }: { readonly piece: number; readonly char: number },
): { readonly span: number; readonly char: number } | undefined {
  const found = pieces[piece];
  const unit = found && unitOf(pieces, spans, piece);
  const [first] = unit?.spans ?? [];
  if (!unit || !first) return undefined;
  if (unit.isTool) return { span: spans.indexOf(first), char: 0 };
  let rest = wordAt(found.text, char, unit.words);
  for (const span of unit.spans) {
    if (rest < span.chars) return { span: spans.indexOf(span), char: rest };
    rest -= span.chars;
  }
  const last = unit.spans.at(-1) ?? first;
  return { span: spans.indexOf(last), char: last.chars };
}

/** The author of one character of a text that these spans describe. Behind its end it is the last author. */
export function authorInWords(spans: readonly RequestSpan[], words: string, char: number): PromptAuthor | undefined {
  let start = 0;
  for (const span of spans) {
    if (char < start + span.chars) return authorOf(span, words.slice(start, char));
    start += span.chars;
  }
  const last = spans.at(-1);
  return authorOf(last, words.slice(start - (last?.chars ?? 0)));
}

interface Unit {
  readonly spans: readonly RequestSpan[];
  readonly words: string;
  readonly isTool: boolean;
}

function unitOf(pieces: Pieces, spans: readonly RequestSpan[], index: number): Unit | undefined {
  const { path = '', text = '' } = pieces[index] ?? {};
  const [, section, number] = /^(\w+?)(?:\[(\d+)\].*)?$/.exec(path) ?? [];
  if (section === 'tools') {
    const own = spans.filter(({ where, index: at }) => where === 'tools' && at === Number(number));
    return own.length === 0 ? undefined : { spans: own, words: '', isTool: true };
  }
  const words = wordsOfPiece(text);
  const ofSystem = spans.filter(({ where }) => where === 'system');
  if (section === 'system') {
    const before = pieces.slice(0, index).filter(({ path: each }) => each.startsWith('system'));
    const skipped = before.reduce((sum, piece) => sum + wordsOfPiece(piece.text).length, 0);
    // Google is given all blocks as one text.
    const own = charsOf(ofSystem) === words.length ? ofSystem : spansFrom(ofSystem, skipped, words.length);
    return own && { spans: own, words, isTool: false };
  }
  if (isSystemPiece({ path, text })) return { spans: ofSystem, words, isTool: false };
  const talk = pieces
    .map((piece, at) => ({ ...piece, at }))
    .filter((piece) => piece.path.startsWith('messages') && !isSystemPiece(piece));
  return unitOfTalk(talk, spans, index);
}

/** In both of OpenAI's protocols the system prompt is the first message. */
export function isSystemPiece({ path, text }: Pick<PromptText, 'path' | 'text'>): boolean {
  return path.startsWith('system') || (path === 'messages[0]' && /^\{"role":"(?:system|developer)"/.test(text));
}

/** The spans of a system block. A blank block is not sent, so blocks are found by their length. */
function spansFrom(spans: readonly RequestSpan[], skipped: number, length: number): readonly RequestSpan[] | undefined {
  const blocks = [...new Set(spans.map(({ index }) => index))].map((index) =>
    spans.filter((span) => span.index === index),
  );
  let start = 0;
  for (const block of blocks) {
    const size = charsOf(block);
    if (start >= skipped && size === length) return block;
    start += size;
  }
  return undefined;
}

/** Every message takes as many pieces as have its characters. */
function unitOfTalk(
  talk: readonly { readonly text: string; readonly at: number }[],
  spans: readonly RequestSpan[],
  index: number,
): Unit | undefined {
  const messages = new Map<number, RequestSpan[]>();
  for (const span of spans) {
    if (span.where === 'messages') messages.set(span.index, [...(messages.get(span.index) ?? []), span]);
  }
  const sizes = talk.map(({ text }) => wordsOfPiece(text).length);
  let next = 0;
  for (const own of messages.values()) {
    const size = charsOf(own);
    if (size === 0) continue;
    const taken = piecesFor(sizes, next, size);
    const isOwn = talk.slice(taken.from, taken.to).some(({ at }) => at === index);
    const words = talk[taken.from];
    if (isOwn) return { spans: own, words: words ? wordsOfPiece(words.text) : '', isTool: false };
    next = taken.to;
  }
  return undefined;
}

/**
 * The pieces that have exactly this many characters together, with the images behind them. Where none have, the message
 * was written differently, and it is taken for one piece.
 */
function piecesFor(
  sizes: readonly number[],
  from: number,
  size: number,
): { readonly from: number; readonly to: number } {
  for (const start of [from, from + 1]) {
    let to = start;
    let sum = 0;
    while (to < sizes.length && sum < size) {
      sum += sizes[to] ?? 0;
      to += 1;
    }
    if (sum !== size) continue;
    while (sizes[to] === 0) to += 1;
    return { from: start, to };
  }
  return { from, to: from + 1 };
}

function charsOf(spans: readonly RequestSpan[]): number {
  return spans.reduce((sum, { chars }) => sum + chars, 0);
}

function authorOf(span: RequestSpan | undefined, before: string): PromptAuthor | undefined {
  return span && authorOfSpan(span, before);
}

/** `before` are the words of the span up to the place that is meant. */
export function authorOfSpan({ origin, where, runId }: RequestSpan, before = ''): PromptAuthor {
  const [, name = origin, first, last] = /^(.*?)(?:, lines? (\d+)(?:-(\d+))?)?$/s.exec(origin) ?? [];
  const line = first === undefined ? undefined : lineOf(Number(first), Number(last ?? first), before);
  return { ...named(name, where), ...(line === undefined ? {} : { line }), ...(runId === undefined ? {} : { runId }) };
}

function lineOf(first: number, last: number, before: string): number {
  return Math.min(last, first + (before.match(/\n/g)?.length ?? 0));
}

function named(origin: string, where: RequestSpan['where']): Pick<PromptAuthor, 'kind' | 'name' | 'of'> {
  const [, kind, id = '', of] = /^(handler|rule) (.+?)(?: from (.+?))?(?: \(rewritten\))?$/s.exec(origin) ?? [];
  if (kind === 'handler' || kind === 'rule') return { kind, name: id, ...(of === undefined ? {} : { of }) };
  const [, tool, owner] = /^tool (\S+)(?: of (.+))?$/s.exec(origin) ?? [];
  if (tool !== undefined) {
    return {
      kind: where === 'tools' ? 'tool' : 'tool-result',
      name: tool,
      ...(owner === undefined ? {} : { of: owner }),
    };
  }
  if (origin.startsWith('atrium: ')) return { kind: 'atrium', name: origin.slice('atrium: '.length) };
  const [, hook, plugin] = /^(injection|[a-z]+(?:_[a-z]+)+) of (.+)$/s.exec(origin) ?? [];
  if (hook !== undefined) return { kind: 'plugin', name: hook, of: plugin };
  if (where === 'system') return { kind: 'file', name: origin.replace(/ \(derived\)$/, '') };
  if (origin === 'compaction' || origin === 'session.pins') return { kind: 'compaction', name: origin };
  return { kind: origin === 'model' ? 'model' : 'message', name: origin };
}
