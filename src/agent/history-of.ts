// What was said in a session, as the next request tells it. A run that was stopped or given up may have left tool calls
// without results, and every provider refuses such a conversation; so each of them is answered here, the same way every
// time, or the beginning of each later request would differ.

import { type Message, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { PastEntry } from './message-spans.ts';

export function historyOf(entries: readonly TranscriptRow[]): readonly PastEntry[] {
  const said = entries.filter(({ kind }) => kind === 'message');
  const messages = said.map(({ message }) => message);
  return said.flatMap((entry, index) => [
    entry,
    ...missingResults(entry.message, messages.slice(index + 1)).map(
      (message): PastEntry => ({ message, meta: { unanswered: true } }),
    ),
  ]);
}

/** A call's results stand right behind it. */
function missingResults(message: Message, behind: readonly Message[]): readonly Message[] {
  if (message.role !== 'assistant') return [];
  const end = behind.findIndex(({ role }) => role !== 'tool');
  const results = end === -1 ? behind : behind.slice(0, end);
  return toolCallsOf(message)
    .filter(({ id }) => !results.some((each) => each.role === 'tool' && each.toolCallId === id))
    .map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: UNANSWERED, isError: true }));
}

const UNANSWERED = 'The run ended before this call had a result; whether it took effect is unknown.';
