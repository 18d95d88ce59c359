// A rewritten message must still be the message that it replaces: another role or another tool call's result would make
// a transcript that no provider accepts.

import type { AnswerFields } from './answer-shape.ts';

/** Says what is wrong with the new message; undefined when nothing is. */
export function problemOfMessage(before: unknown, next: AnswerFields): string | undefined {
  const old = before as AnswerFields;
  if (next.role !== old.role) return `turned a message of ${old.role} into one of ${next.role}`;
  if (next.toolCallId !== old.toolCallId) return 'turned the result of one tool call into that of another';
  const hasParts = Array.isArray(old.content);
  if (Array.isArray(next.content) !== hasParts || typeof next.content !== typeof old.content) {
    return `answered with a message whose content is no ${hasParts ? 'list' : 'text'}`;
  }
  return undefined;
}
