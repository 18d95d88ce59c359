// A rewritten message must keep its role and its tool call: otherwise the transcript would be one that no provider
// accepts.

import type { AnswerFields } from './answer-shape.ts';

/** Says what is wrong with the new message; undefined when it is valid. */
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
