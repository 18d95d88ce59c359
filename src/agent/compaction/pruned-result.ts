// Replaces an old tool result by a text with its length. The same result gives the same text, so that requests keep
// their beginning; the transcript keeps the full result.

import type { Message, ToolMessage } from '../../protocol/message.ts';

/**
 * Undefined for messages that are not pruned: everything except tool results, and results that are hardly longer than
 * the text that would replace them.
 */
export function prunedResult(message: Message): ToolMessage | undefined {
  if (message.role !== 'tool' || message.content.length <= SHORT_RESULT_CHARS) return undefined;
  const { details: _, ...kept } = message;
  return { ...kept, content: placeholderFor(message.content.length) };
}

const SHORT_RESULT_CHARS = 240;

function placeholderFor(chars: number): string {
  return `[This result was pruned to make room: it had ${chars} characters. Call the tool again if you need it.]`;
}
