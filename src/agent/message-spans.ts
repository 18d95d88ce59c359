// Who wrote the messages of a request: people, plugins, tools, models. What an earlier run sent keeps the authors that
// it had then, and says which entry of the transcript it is.

import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { Contribution } from './prepare-turn.ts';
import type { RequestSpan } from './request-draft.ts';
import { piecesOfMessage } from './request-text.ts';

/** A message of the history, with its place in the transcript once it has one. */
export type PastEntry = Pick<TranscriptRow, 'message' | 'meta'> &
  Partial<Pick<TranscriptRow, 'runId' | 'position' | 'kind'>> & {
    /** The compaction whose words stand here instead of the entry's own. */
    readonly writtenBy?: Pick<TranscriptRow, 'runId' | 'position'> | undefined;
  };

/** A message on its way into the transcript. */
export type SaidMessage = Pick<TranscriptRow, 'message' | 'meta'>;

export function spansOfEntry(entry: PastEntry, index: number): readonly RequestSpan[] {
  const { message, meta } = entry;
  const { runId, position } = entry.writtenBy ?? entry;
  const place = runId === undefined || position === undefined ? {} : { runId, entry: position };
  const kept = keptPieces(meta.authors);
  const [text = ''] = piecesOfMessage(message);
  if (message.role === 'user' && kept.reduce((sum, { chars }) => sum + chars, 0) === text.length) {
    return kept.map(({ origin, chars }) => ({ where: 'messages', index, origin, chars, ...place }));
  }
  return spansOfMessage(message, index, authorOf(message, meta)).map((span) => ({ ...span, ...place }));
}

/** The words of a user's message with their authors; joined they are its text. */
export function piecesOfEntry(entry: PastEntry): readonly Contribution[] {
  const text = piecesOfMessage(entry.message).join('');
  let at = 0;
  return spansOfEntry(entry, 0).map(({ origin, chars }) => {
    at += chars;
    return { origin, text: text.slice(at - chars, at) };
  });
}

/** Everything that is said in a request: the past, and the message that it is about. */
export function spansOfTalk(past: readonly PastEntry[], userPieces: readonly Contribution[]): readonly RequestSpan[] {
  return [
    ...past.flatMap(spansOfEntry),
    ...userPieces.map(
      ({ origin, text }): RequestSpan => ({ where: 'messages', index: past.length, origin, chars: text.length }),
    ),
  ];
}

export function spansOfMessage(message: Message, index: number, origin: string): readonly RequestSpan[] {
  return piecesOfMessage(message)
    .filter((piece) => piece !== '')
    .map((piece) => ({ where: 'messages', index, origin, chars: piece.length }));
}

/** What the transcript keeps about a message that several authors wrote. */
export function authorsOf(pieces: readonly Contribution[]): JsonObject {
  return pieces.length < 2 ? {} : { authors: pieces.map(({ origin, text }) => [origin, text.length]) };
}

/** The same for a message whose words a handler changed as a whole. */
export function rewriterOf(origin: string, by: string | undefined): JsonObject {
  return by === undefined ? {} : { author: `${origin}, rewritten by ${by}` };
}

function keptPieces(authors: JsonValue | undefined): readonly { origin: string; chars: number }[] {
  if (!Array.isArray(authors)) return [];
  return authors.flatMap((author) => {
    const [origin, chars] = Array.isArray(author) ? author : [];
    return typeof origin === 'string' && typeof chars === 'number' ? [{ origin, chars }] : [];
  });
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
/** A message that the transcript does not keep has words in its own run only. */
export const UNKEPT_AUTHOR = 'message, not kept';

/** What a handler rewrote: the beginning and the end that stayed keep their authors, the middle is the handler's. */
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
  for (const { origin, text } of pieces) {
    const slice = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (slice !== '') kept.push({ origin, text: slice });
    at += text.length;
  }
  return kept;
}
