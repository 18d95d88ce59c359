// What was said, in the form in which the transcript keeps it and in which every provider receives it. Providers have
// forms of their own; each conversion is one file in `models/`, and no other code knows those forms.

import type { AttachmentRef } from './attachment.ts';
import type { JsonValue } from './json.ts';

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: 'user';
  /** The words, with a line for every attachment. */
  readonly content: string;
  /** Images, which providers receive in their own form. */
  readonly attachments?: readonly AttachmentRef[] | undefined;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
}

export type AssistantPart = TextPart | ToolCallPart;

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** The parameters as the model wrote them. A model may write anything, so a tool checks them. */
  readonly params: JsonValue;
}

/** The outcome of one tool call. Each call of an assistant message is followed by exactly one of these, in call order. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string;
  readonly isError?: true | undefined;
  /** Details for people and programs. They are never sent to a model. */
  readonly details?: JsonValue | undefined;
}

/** The text of an assistant message, without its tool calls. */
export function textOf(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function toolCallsOf(message: AssistantMessage): readonly ToolCallPart[] {
  return message.content.filter((part) => part.type === 'tool-call');
}
