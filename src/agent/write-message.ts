// What enters the transcript passes `before_message_write`: a handler may rewrite the message or keep it out. What is
// kept out was still said in this run; it is only not remembered.

import type { Message } from '../protocol/message.ts';
import type { TurnSubject } from './draft-request.ts';
import type { RunParts } from './run-parts.ts';

export interface WrittenMessage {
  readonly message: Message;
  readonly blocked: boolean;
}

export async function writeMessage(
  parts: RunParts,
  turn: TurnSubject,
  message: Message,
  options: { readonly pureOnly?: boolean } = {},
): Promise<WrittenMessage> {
  if (!parts.hooks.has('before_message_write')) return { message, blocked: false };
  const { result } = await parts.hooks.run(
    'before_message_write',
    { message, sessionKey: turn.sessionKey, agentId: turn.agentId },
    turn.context,
    options,
  );
  // A rewrite may change the words, not who speaks: a call without its result would be refused by every provider.
  const rewritten = result.message?.role === message.role ? (result.message as Message) : message;
  return { message: rewritten, blocked: result.block === true && message.role === 'user' };
}
