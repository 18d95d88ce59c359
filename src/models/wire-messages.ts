// A conversation in a form that every provider can take, with the same small repairs for all of them. What only one
// provider needs is in that provider's folder. The result depends on neither time nor chance.

import type { AttachmentRef } from '../protocol/attachment.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage, Message, UserMessage } from '../protocol/message.ts';
import type { ShowImages } from './wire-images.ts';
import { wellFormed, wireParams, wireToolCallId } from './wire-text.ts';

export type WireMessage =
  | { readonly role: 'user'; readonly text: string; readonly images: readonly AttachmentRef[] }
  | { readonly role: 'assistant'; readonly parts: readonly WirePart[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    };

export type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly params: JsonObject };

export interface MessageRules {
  /** The text of an answer is left out when this returns true. */
  readonly isEmpty: (text: string) => boolean;
  /** Replaces a person's message that is empty. Without it, such a message is sent as it is. */
  readonly emptyMessage?: string | undefined;
  readonly show: ShowImages;
}

/** Throws when no message is left. */
export function wireMessages(messages: readonly Message[], rules: MessageRules): WireMessage[] {
  const converted = messages.flatMap((message) => wireMessage(message, rules));
  requireMessages(converted);
  return converted;
}

/** No provider answers a conversation without messages. */
export function requireMessages(messages: readonly unknown[]): void {
  if (messages.length === 0) throw new Error('it has no messages');
}

/** An empty list when the message is left out. */
export function wireMessage(message: Message, rules: MessageRules): WireMessage | [] {
  switch (message.role) {
    case 'user':
      return userMessage(message, rules);
    case 'assistant':
      return assistantMessage(message, rules);
    case 'tool':
      return {
        role: 'tool',
        callId: wireToolCallId(message.toolCallId),
        name: message.toolName,
        content: wellFormed(message.content),
        isError: message.isError === true,
      };
  }
}

function userMessage(message: UserMessage, { isEmpty, emptyMessage, show }: MessageRules): WireMessage {
  const { text, images } = show(message);
  return {
    role: 'user',
    text: emptyMessage !== undefined && isEmpty(text) ? emptyMessage : wellFormed(text),
    images,
  };
}

/** An answer without text and without calls is left out, because no provider accepts a message without content. */
function assistantMessage({ content }: AssistantMessage, { isEmpty }: MessageRules): WireMessage | [] {
  const parts = content.filter((part) => part.type === 'tool-call' || !isEmpty(part.text));
  if (parts.length === 0) return [];
  return {
    role: 'assistant',
    parts: parts.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: wellFormed(part.text) }
        : { type: 'tool-call', id: wireToolCallId(part.id), name: part.name, params: wireParams(part.params) },
    ),
  };
}
