// What a fresh session of a thread is told of the thread: the messages that people wrote there before it began. They
// are one entry of the transcript, in front of the first message, with an author of its own. The words are other
// people's, and are quoted (`quoteMessages`).
//
// Errors: none. When the platform cannot be asked, the session is told so.

import type { Inbound, Surface } from '../protocol/inbound.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { SessionRow, TranscriptRow, TriggerKind } from '../store/tables.ts';
import type { SaidMessage } from './message-spans.ts';
import { type QuotedMessage, quoteMessages } from './quote-messages.ts';

export interface ThreadHistoryRequest {
  readonly surface: Surface;
  /** Only what was written before this message, where its id is known. */
  readonly before: string | undefined;
  /** The time at which the first message was written. */
  readonly at: number;
}

export type ThreadHistory =
  | { readonly messages: readonly ThreadMessage[] }
  /** Why the thread could not be read. */
  | { readonly problem: string };

export type ThreadMessage = QuotedMessage;

/** Undefined where the channel cannot read threads. Never rejects. */
export type ThreadHistoryPort = (request: ThreadHistoryRequest) => Promise<ThreadHistory | undefined>;

export async function threadHistory(
  port: ThreadHistoryPort | undefined,
  about: {
    readonly inbound: Inbound;
    readonly kind: TriggerKind;
    readonly session: SessionRow;
    readonly entries: readonly TranscriptRow[];
  },
): Promise<readonly SaidMessage[]> {
  const { inbound, kind, session, entries } = about;
  const { surface, messageId, at } = inbound;
  if (!port || kind !== 'message' || surface.threadId === undefined || inbound.fromAgent) return [];
  // A person who begins a new session wants to leave what was said behind. What an agent posted is no beginning.
  if (session.resumedFrom !== null || !entries.every(isNote)) return [];
  const history = await port({ surface, before: messageId, at });
  if (!history) return [];
  const text = 'problem' in history ? unreadable(history.problem) : quote(withoutKnown(history.messages, entries));
  if (text === undefined) return [];
  const meta = { seed: true, author: `thread history of ${surface.channel}` };
  return [{ message: { role: 'user', content: text }, meta }];
}

function isNote({ meta, kind }: TranscriptRow): boolean {
  return meta.note === true || kind === 'notice';
}

/** What an agent posted here is in the transcript already. */
function withoutKnown(messages: readonly ThreadMessage[], entries: readonly TranscriptRow[]): readonly ThreadMessage[] {
  const known = new Set(
    entries.flatMap(({ message }) =>
      message.role === 'assistant' ? message.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    ),
  );
  return messages.filter(({ isOwn, text }) => !isOwn || !known.has(text));
}

function quote(messages: readonly ThreadMessage[]): string | undefined {
  const about = 'What was written in this thread before';
  return quoteMessages(messages, { about, end: 'End of what was written before.' });
}

function unreadable(problem: string): string {
  return `[What was written in this thread before could not be read: ${oneLine(problem, 200)}]`;
}
