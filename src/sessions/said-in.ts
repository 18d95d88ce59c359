// What a person reads of an entry of a transcript: the words of people and agents, without tools, notices and what hooks
// added around them. What a webhook sent is quoted for the agent, and people read the words only. It is empty for every
// other entry.

import { isWebhookSenderId } from '../protocol/inbound.ts';
import { textOf } from '../protocol/message.ts';
import { unquotedText } from '../protocol/quoted-text.ts';
import type { TranscriptRow } from '../store/tables.ts';

export function saidIn({
  kind,
  message,
  shown,
  meta,
}: Pick<TranscriptRow, 'kind' | 'message' | 'shown' | 'meta'>): string {
  if (kind !== 'message' || message.role === 'tool') return '';
  if (message.role === 'assistant') return shown ?? textOf(message);
  const said = shown ?? message.content;
  const { sender } = meta as { readonly sender?: { readonly id?: unknown } };
  return isWebhookSenderId(sender?.id) ? unquotedText(said) : said;
}
