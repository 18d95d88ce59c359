// What was said in a session, as the next request tells it. A run that was stopped or given up may have left tool calls
// without results, and every provider refuses such a conversation; so each of them is answered here, the same way every
// time, or the beginning of each later request would differ.

import { type Message, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { PastEntry } from './message-spans.ts';

export function historyOf(entries: readonly TranscriptRow[]): readonly PastEntry[] {
  const said = entries.filter(({ kind }) => kind === 'message');
  return said.flatMap((entry, index) => [
    entry,
    ...missingResults(entry.message, resultsBehind(said, index)).map(
      (message): PastEntry => ({ message, meta: { unanswered: true } }),
    ),
  ]);
}

/** A call's results stand right behind it. */
function resultsBehind(said: readonly TranscriptRow[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let next = index + 1; next < said.length; next++) {
    const message = said[next]?.message;
    if (message?.role !== 'tool') break;
    ids.add(message.toolCallId);
  }
  return ids;
}

function missingResults(message: Message, results: ReadonlySet<string>): readonly Message[] {
  if (message.role !== 'assistant') return [];
  return toolCallsOf(message)
    .filter(({ id }) => !results.has(id))
    .map(({ id, name }) => ({ role: 'tool', toolCallId: id, toolName: name, content: UNANSWERED, isError: true }));
}

const UNANSWERED = 'The run ended before this call had a result; whether it took effect is unknown.';
