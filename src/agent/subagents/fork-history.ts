// The conversation of a parent as its child is told it: what was said before, in the form in which models are told it,
// and what this run has said so far. The call that spawns the child has no result yet, so it is left out.

import { type Message, toolCallsOf } from '../../protocol/message.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import { splitHistory } from '../history-of.ts';

export function forkHistory(entries: readonly TranscriptRow[], runId: string): readonly Message[] {
  const { past, own } = splitHistory(entries, runId);
  const messages = [...past, ...own].map(({ message }) => message);
  const last = messages.at(-1);
  const isOpen = last?.role === 'assistant' && toolCallsOf(last).length > 0;
  return isOpen ? messages.slice(0, -1) : messages;
}
