// The authors of the messages of a request: people, plugins, tools, models. Messages of an earlier run keep the authors
// that they had then, and name their entry in the transcript.

import { overGrownList } from '../protocol/grown-list.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { Contribution } from './prepare-message.ts';
import type { RequestSpan } from './request-draft.ts';
import { imagesOf, piecesOfMessage, TOKENS_OF_IMAGE } from './request-text.ts';

/** A message of the history, with its position in the transcript once it has one. */
export type PastEntry = Pick<TranscriptRow, 'message' | 'meta'> &
  Partial<Pick<TranscriptRow, 'runId' | 'position' | 'kind' | 'at'>> & {
    /** The compaction whose words replace the entry's own. */
    readonly writtenBy?: Pick<TranscriptRow, 'runId' | 'position'> | undefined;
  };

/** A message that is about to be written to the transcript. */
export type SaidMessage = Pick<TranscriptRow, 'message' | 'meta'>;

/** The entries of a conversation are the same in every request, at the same places, until it is compacted. */
export function spansOfEntry(entry: PastEntry, index: number): readonly RequestSpan[] {
  const known = KNOWN_SPANS.get(entry);
  if (known?.index === index) return known.spans;
  const spans = makeSpans(entry, index);
  KNOWN_SPANS.set(entry, { index, spans });
  return spans;
}

const KNOWN_SPANS = new WeakMap<PastEntry, { readonly index: number; readonly spans: readonly RequestSpan[] }>();

function makeSpans(entry: PastEntry, index: number): readonly RequestSpan[] {
  const { message, meta } = entry;
  const { runId, position } = entry.writtenBy ?? entry;
  const place = runId === undefined || position === undefined ? {} : { runId, entry: position };
  const written = writtenPieces({ message, meta });
  const spans =
    written.length > 0
      ? written.map(({ origin, text }): RequestSpan => ({ where: 'messages', index, origin, chars: text.length }))
      : spansOfText(message, index, authorOf(message, meta));
  return [...spans, ...spansOfImages(message, index)].map((span) => ({ ...span, ...place }));
}

/** The pieces of a user's message with their authors; joined they are its text. */
export function piecesOfEntry(entry: PastEntry): readonly Contribution[] {
  const text = piecesOfMessage(entry.message).join('');
  let at = 0;
  const spans = spansOfEntry(entry, 0).filter(({ tokens }) => tokens === undefined);
  return spans.map(({ origin, chars }) => {
    at += chars;
    return { origin, text: text.slice(at - chars, at) };
  });
}

/** The authors of all messages of a request: the history, and the message that it is about. */
export function spansOfTalk(
  past: readonly PastEntry[],
  userPieces: readonly Contribution[],
  user: Message,
): readonly RequestSpan[] {
  return [
    ...spansOfPast(past),
    ...userPieces.map(
      ({ origin, text }): RequestSpan => ({ where: 'messages', index: past.length, origin, chars: text.length }),
    ),
    ...spansOfImages(user, past.length),
  ];
}

const spansOfPast = overGrownList<PastEntry, readonly RequestSpan[]>([], (known, past, from) => [
  ...known,
  ...past.slice(from).flatMap((entry, index) => spansOfEntry(entry, from + index)),
]);

export function spansOfMessage(message: Message, index: number, origin: string): readonly RequestSpan[] {
  return [...spansOfText(message, index, origin), ...spansOfImages(message, index)];
}

function spansOfImages(message: Message, index: number): readonly RequestSpan[] {
  return imagesOf(message).map(({ name }) => ({
    where: 'messages',
    index,
    origin: `attachment ${name}`,
    chars: 0,
    tokens: TOKENS_OF_IMAGE,
  }));
}

function spansOfText(message: Message, index: number, origin: string): readonly RequestSpan[] {
  return piecesOfMessage(message)
    .filter((piece) => piece !== '')
    .map((piece) => ({ where: 'messages', index, origin, chars: piece.length }));
}

/** What the transcript records about a message that several authors wrote. */
export function authorsOf(pieces: readonly Contribution[]): JsonObject {
  if (pieces.length < 2) return {};
  return { authors: pieces.map(authorOfPiece) };
}

/** The form of a piece in `meta.authors` of an entry; `writtenPieces` reads it back. */
export function authorOfPiece({ origin, text, told }: Contribution): JsonValue {
  return [origin, text.length, ...(told ? [told] : [])];
}

/** The separator between two pieces of a message. */
export const SEPARATOR: Contribution = { origin: 'atrium: separator', text: '\n\n' };

/**
 * The entry without the pieces that `isLeftOut` names, and without the separator beside each of them. An entry that
 * would become empty stays as it is, because no provider accepts an empty message.
 */
export function withoutPieces(entry: PastEntry, isLeftOut: (piece: Contribution) => boolean): PastEntry {
  const kept: Contribution[] = [];
  let leavesSeparator = false;
  const pieces = writtenPieces(entry);
  for (const piece of pieces) {
    if (isLeftOut(piece)) {
      if (isSeparator(kept.at(-1))) kept.pop();
      else leavesSeparator = true;
    } else if (!(leavesSeparator && isSeparator(piece))) {
      kept.push(piece);
      leavesSeparator = false;
    } else leavesSeparator = false;
  }
  const content = kept.map(({ text }) => text).join('');
  if (entry.message.role !== 'user' || kept.length === pieces.length || content === '') return entry;
  return {
    ...entry,
    message: { ...entry.message, content },
    meta: { ...entry.meta, authors: kept.map(authorOfPiece) },
  };
}

function isSeparator(piece: Contribution | undefined): boolean {
  return piece?.origin === SEPARATOR.origin && piece.text === SEPARATOR.text;
}

/** The author of a message that a handler rewrote as a whole. */
export function rewriterOf(origin: string, by: string | undefined): JsonObject {
  return by === undefined ? {} : { author: `${origin}, rewritten by ${by}` };
}

/** The pieces of a user's message, as the transcript records them; empty when it has only one author. */
export function writtenPieces({ message, meta }: SaidMessage): readonly Contribution[] {
  if (message.role !== 'user' || !Array.isArray(meta.authors)) return [];
  let at = 0;
  const pieces = meta.authors.flatMap((author: JsonValue): Contribution[] => {
    const [origin, chars, told] = Array.isArray(author) ? author : [];
    if (typeof origin !== 'string' || typeof chars !== 'number') return [];
    at += chars;
    const text = message.content.slice(at - chars, at);
    return [{ origin, text, told: told === 'once' || told === 'until-compaction' ? told : undefined }];
  });
  return at === message.content.length ? pieces : [];
}

function authorOf(message: Message, meta: JsonObject): string {
  if (typeof meta.author === 'string') return meta.author;
  if (meta.unanswered === true) return 'atrium: a call without a result';
  if (meta.seed === true) return `${message.role}, as the client told it`;
  if (message.role === 'tool') return `tool ${message.toolName}`;
  if (message.role === 'user') return meta.revision === true ? REVISION_AUTHOR : 'message';
  if (meta.synthetic === true) return SYNTHETIC_AUTHOR;
  return 'model';
}

const REVISION_AUTHOR = 'before_agent_finalize';
export const SYNTHETIC_AUTHOR = 'before_agent_reply';
export const COMPACTION_AUTHOR = 'compaction';
/** A message that the transcript does not keep can be shown in its own run only. */
export const UNKEPT_AUTHOR = 'message, not kept';

/**
 * The pieces of a rewritten message: the unchanged beginning and end keep their authors, the middle is the handler's.
 */
export function rewrittenPieces(pieces: readonly Contribution[], text: string, by: string): readonly Contribution[] {
  const before = pieces.map((piece) => piece.text).join('');
  if (before === text) return pieces;
  const longest = Math.min(before.length, text.length);
  let start = 0;
  while (start < longest && before[start] === text[start]) start += 1;
  let end = 0;
  while (end < longest - start && before.at(-1 - end) === text.at(-1 - end)) end += 1;
  const middle = text.slice(start, text.length - end);
  return [
    ...cutPieces(pieces, 0, start),
    ...(middle === '' ? [] : [{ origin: by, text: middle }]),
    ...cutPieces(pieces, before.length - end, before.length),
  ];
}

export function cutPieces(pieces: readonly Contribution[], from: number, to: number): Contribution[] {
  const kept: Contribution[] = [];
  let at = 0;
  for (const piece of pieces) {
    const slice = piece.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (slice !== '') kept.push({ ...piece, text: slice });
    at += piece.text.length;
  }
  return kept;
}
