// What a person reads of an entry of a transcript: the words of people and agents, without tools, notices and what hooks
// added around them. It is empty for every other entry.

import { textOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';

export function saidIn({ kind, message, shown }: Pick<TranscriptRow, 'kind' | 'message' | 'shown'>): string {
  if (kind !== 'message' || message.role === 'tool') return '';
  return shown ?? (message.role === 'assistant' ? textOf(message) : message.content);
}
