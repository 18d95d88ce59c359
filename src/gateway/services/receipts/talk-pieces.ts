// The pieces of a conversation, one for each message. A run sends most messages of the run before it again, so what was made of
// a message is kept with it.
//
// Promise: the pieces are those that the spans and the messages alone give. What is kept is used only for the same message, of
// the same session, with spans that say the same; it is forgotten with the message.

import type { RequestSpan } from '../../../agent/request-draft.ts';
import { piecesOfMessage } from '../../../agent/request-text.ts';
import type { Message } from '../../../protocol/message.ts';
import { type Piece, promptPiece, type WordedSpan } from './prompt-piece.ts';

export interface TalkPieces {
  readonly pieces: readonly Piece[];
  /** False when the words of a span are not known. */
  readonly isWhole: boolean;
}

type SpanOfMessage = Pick<RequestSpan, 'origin' | 'chars'>;

/** The spans are those of messages, in the order of the request. */
export function talkPieces(
  sessionKey: string,
  spans: readonly RequestSpan[],
  messages: readonly Message[],
): TalkPieces {
  const ordered = spans.every(({ index }, at) => index >= (spans[at - 1]?.index ?? 0))
    ? spans
    : spans.toSorted((one, other) => one.index - other.index);
  const pieces: Piece[] = [];
  let isWhole = true;
  let from = 0;
  while (from < ordered.length) {
    const index = ordered[from]?.index ?? 0;
    let to = from + 1;
    while (ordered[to]?.index === index) to += 1;
    const { piece, isKnown } = pieceOfMessage(sessionKey, { spans: ordered, from, to }, messages[index]);
    if (piece) pieces.push(piece);
    isWhole &&= isKnown;
    from = to;
  }
  return { pieces, isWhole };
}

/** The spans of one message among those of all; a list of its own for each message of each run would be garbage. */
interface SpanRange {
  readonly spans: readonly SpanOfMessage[];
  readonly from: number;
  readonly to: number;
}

interface KnownMessage {
  readonly sessionKey: string;
  readonly spans: readonly SpanOfMessage[];
  readonly piece: Piece | undefined;
  /** False when the words of the message are not those that its spans describe. */
  readonly isKnown: boolean;
}

const KNOWN = new WeakMap<Message, KnownMessage>();

function pieceOfMessage(sessionKey: string, range: SpanRange, message: Message | undefined): KnownMessage {
  const known = message && KNOWN.get(message);
  if (known?.sessionKey === sessionKey && saysTheSame(known.spans, range)) return known;
  const spans = range.spans.slice(range.from, range.to);
  const worded = message && wordsOf(spans, piecesOfMessage(message).join(''));
  const made: KnownMessage = {
    sessionKey,
    spans,
    piece: worded && worded.length > 0 ? promptPiece(sessionKey, 'messages', worded) : undefined,
    isKnown: worded !== undefined || spans.every(({ chars }) => chars === 0),
  };
  if (message) KNOWN.set(message, made);
  return made;
}

function saysTheSame(some: readonly SpanOfMessage[], { spans, from, to }: SpanRange): boolean {
  if (some.length !== to - from) return false;
  return some.every(({ origin, chars }, index) => {
    const other = spans[from + index];
    return origin === other?.origin && chars === other.chars;
  });
}

/** The spans with their words, without empty ones; undefined when the text has another length than they describe. */
function wordsOf(spans: readonly SpanOfMessage[], text: string): readonly WordedSpan[] | undefined {
  if (spans.reduce((sum, { chars }) => sum + chars, 0) !== text.length) return undefined;
  const worded: WordedSpan[] = [];
  let start = 0;
  for (const { origin, chars } of spans) {
    if (chars > 0) worded.push({ origin, text: text.slice(start, start + chars) });
    start += chars;
  }
  return worded;
}
