// How a conversation is called that a person gave no title: the beginning of what was said first in it.

import { isWebhookSenderId } from '../protocol/inbound.ts';
import { oneLine } from '../protocol/one-line.ts';
import { unquotedText } from '../protocol/quoted-text.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { saidIn } from './said-in.ts';

const MOST_CHARS = 80;
/** A session may begin with entries that no person wrote, such as a summary or a task. */
const ENTRIES = 10;

/** Null for a session in which a person has said nothing yet, or of which nothing is kept. */
export async function readFirstWords(store: Store, sessionId: string): Promise<string | null> {
  const where = { sessionId, kind: 'message' };
  const entries = await store.select('transcript', { where, orderBy: [['position', 'asc']], limit: ENTRIES });
  const first = entries.find((entry) => entry.message.role === 'user' && oneLine(wordsIn(entry)) !== '');
  return first ? oneLine(wordsIn(first), MOST_CHARS) : null;
}

/** What a webhook sent is quoted for the agent. A title has the words only. */
function wordsIn(entry: TranscriptRow): string {
  const said = saidIn(entry);
  const { sender } = entry.meta as { readonly sender?: { readonly id?: unknown } };
  return isWebhookSenderId(sender?.id) ? unquotedText(said) : said;
}
