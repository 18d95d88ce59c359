// An old tool result, told by its length only. The same result gives the same words, so that requests keep their
// beginning; what it said stays in the transcript.

import type { Message, ToolMessage } from '../../protocol/message.ts';

/** Undefined for what stays as it is: everything but results, and results that are hardly longer than the words for them. */
export function prunedResult(message: Message): ToolMessage | undefined {
  if (message.role !== 'tool' || message.content.length <= SHORT_RESULT_CHARS) return undefined;
  const { details: _, ...kept } = message;
  return { ...kept, content: placeholderFor(message.content.length) };
}

const SHORT_RESULT_CHARS = 240;

function placeholderFor(chars: number): string {
  return `[This result was pruned to make room: it had ${chars} characters. Call the tool again if you need it.]`;
}
