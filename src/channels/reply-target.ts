// Which message a part of an answer replies to, on platforms where a message can be a reply to another. The operator's
// `replyToMode` decides about ordinary answers; a reply that the agent asked for by the message's id is one in any mode.

import type { OutboundPart } from './channel.ts';

/** Whether no part of an ordinary answer is a reply, only the first one, or every part. */
export type ReplyToMode = 'off' | 'first' | 'all';

/** The platform's id of the message, or undefined when the part is no reply. The id may be any text. */
export function replyTargetOf(
  { options, part }: Pick<OutboundPart, 'options' | 'part'>,
  mode: ReplyToMode,
): string | undefined {
  const { replyToId, isReplyAsked } = options;
  const isReply = mode === 'all' || (part === 1 && (mode === 'first' || isReplyAsked === true));
  return isReply && typeof replyToId === 'string' ? replyToId : undefined;
}
