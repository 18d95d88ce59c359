// What takes the place of a message when a handler that must see it first has failed: a sentence that says so, without a
// word of the message. The calls of a model stay, because every provider refuses a result without its call, and lose their
// parameters. The message of a person has no such form: without it there is nothing to answer, so its run ends.

import type { AssistantMessage, Message, ToolMessage } from '../protocol/message.ts';
import { toolCallsOf } from '../protocol/message.ts';
import { MessageWithheldError } from './errors.ts';

/** `reason` is one sentence in our own words. Throws MessageWithheldError for the message of a person. */
export function withheldMessage(message: Message, reason: string): Message {
  if (message.role === 'user') throw new MessageWithheldError({ reason });
  return message.role === 'tool' ? withheldResult(message, reason) : withheldAnswer(message, reason);
}

export function withheldResult({ toolCallId, toolName }: ToolMessage, reason: string): ToolMessage {
  const content = `The tool was called. What it returned is withheld and will not be shown, because it was not checked. ${reason}`;
  return { role: 'tool', toolCallId, toolName, content, isError: true };
}

function withheldAnswer(message: AssistantMessage, reason: string): AssistantMessage {
  const text = `[This text is withheld, because it was not checked. ${reason}]`;
  const calls = toolCallsOf(message).map((call) => ({ ...call, params: {} }));
  return { role: 'assistant', content: [{ type: 'text', text }, ...calls] };
}
