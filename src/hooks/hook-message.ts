// A message in the form of the plugin contract, which published plugins are written for: the content is a list of
// blocks, and the result of a tool has the role `toolResult`. Everywhere else a message has the form of
// protocol/message.ts; this file converts in both directions. It does not know which hook carries the message.
// Errors: an answer that cannot be read as a message throws InvalidHandlerResult, with what is wrong.

import { InvalidHandlerResult } from '../protocol/handler.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { AssistantPart, Message } from '../protocol/message.ts';

export type HookMessage = HookUserMessage | HookAssistantMessage | HookToolResult;

export interface HookUserMessage {
  readonly role: 'user';
  readonly content: readonly HookTextBlock[];
  /** When it was written, in milliseconds since 1970, where that is known. */
  readonly timestamp?: number | undefined;
}

export interface HookAssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (HookTextBlock | HookToolCallBlock)[];
  readonly stopReason: 'stop' | 'toolUse';
  readonly api?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: object | undefined;
  readonly timestamp?: number | undefined;
}

export interface HookToolResult {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: readonly HookTextBlock[];
  readonly isError: boolean;
  readonly details?: JsonValue | undefined;
  readonly timestamp?: number | undefined;
}

export interface HookTextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface HookToolCallBlock {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  /** The parameters as the model wrote them, so this may be any value. */
  readonly arguments: JsonValue;
}

/** What a handler may answer in place of a message: its content may be a plain text, too. */
export interface AnsweredMessage {
  readonly role: string;
  readonly content: string | readonly (string | object)[];
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly details?: JsonValue | undefined;
  readonly timestamp?: number | undefined;
}

export function hookMessageOf(message: Message, timestamp?: number): HookMessage {
  const at = timestamp === undefined ? {} : { timestamp };
  if (message.role === 'user') return { role: 'user', content: [textBlock(message.content)], ...at };
  if (message.role === 'assistant') {
    const isCalling = message.content.some(({ type }) => type === 'tool-call');
    return {
      role: 'assistant',
      content: message.content.map(blockOf),
      stopReason: isCalling ? 'toolUse' : 'stop',
      ...at,
    };
  }
  const { toolCallId, toolName, content, isError = false, details } = message;
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [textBlock(content)],
    isError,
    ...(details === undefined ? {} : { details }),
    ...at,
  };
}

/** What a tool returned, in the same form as its message. */
export function hookToolOutputOf({ content, details }: { readonly content: string; readonly details?: unknown }) {
  return { content: [textBlock(content)], ...(details === undefined ? {} : { details }) };
}

/**
 * Reads a handler's answer as the message that takes the place of `before`, in the form that `before` has, so that the
 * next handler sees the same form. The role, the tool call of a result and the calls of an assistant stay as they were,
 * because no provider accepts the conversation otherwise.
 */
export function readAnsweredMessage(
  before: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (next.role !== before.role && !(before.role === 'toolResult' && next.role === 'tool')) {
    throw new InvalidHandlerResult(`turned a message of ${before.role} into one of ${next.role}`);
  }
  if (next.toolCallId !== undefined && next.toolCallId !== before.toolCallId) {
    throw new InvalidHandlerResult('turned the result of one tool call into that of another');
  }
  const { role, toolCallId, toolName } = before;
  const kept = { role, ...(toolCallId === undefined ? {} : { toolCallId, toolName }) };
  if (!Array.isArray(before.content)) {
    if (typeof next.content !== typeof before.content) throw new InvalidHandlerResult(NO_CONTENT);
    return { ...next, ...kept };
  }
  const isAssistant = before.role === 'assistant';
  const content = blocksOf(next.content, isAssistant);
  const calls = callsOf(before.content);
  if (typeof next.content === 'string') return { ...next, ...kept, content: [...content, ...calls] };
  if (isAssistant && namesOf(callsOf(content)) !== namesOf(calls)) {
    throw new InvalidHandlerResult('added or removed a tool call, or changed its id or name');
  }
  return { ...next, ...kept, content };
}

/** The message behind an answer that `readAnsweredMessage` has accepted for `before`. */
export function messageOf(before: Message, answered: Readonly<Record<string, unknown>>): Message {
  const blocks = answered.content as HookMessage['content'];
  if (before.role === 'assistant') return { role: 'assistant', content: blocks.map(partOf) };
  const content = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  if (before.role === 'user') return { ...before, content };
  const { toolCallId, toolName } = before;
  const isError = answered.isError === undefined ? before.isError === true : answered.isError === true;
  const details = answered.details as JsonValue | undefined;
  return {
    role: 'tool',
    toolCallId,
    toolName,
    content,
    ...(isError ? { isError: true } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

const NO_CONTENT = 'answered with a message whose content is neither a text nor a list of blocks';

function textBlock(text: string): HookTextBlock {
  return { type: 'text', text };
}

function blockOf(part: AssistantPart): HookTextBlock | HookToolCallBlock {
  if (part.type === 'text') return textBlock(part.text);
  return { type: 'toolCall', id: part.id, name: part.name, arguments: part.params };
}

function partOf(block: HookTextBlock | HookToolCallBlock): AssistantPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return { type: 'tool-call', id: block.id, name: block.name, params: block.arguments };
}

/**
 * Thoughts are left out, because we hand out none and keep none. Any other block that we cannot keep leaves a mark in
 * the text, so that nothing disappears unseen.
 */
function blocksOf(content: unknown, mayCall: boolean): readonly (HookTextBlock | HookToolCallBlock)[] {
  if (typeof content === 'string') return [textBlock(content)];
  if (!Array.isArray(content)) throw new InvalidHandlerResult(NO_CONTENT);
  return content.flatMap((block: unknown): readonly (HookTextBlock | HookToolCallBlock)[] => {
    if (typeof block === 'string') return [textBlock(block)];
    if (typeof block !== 'object' || block === null) throw new InvalidHandlerResult(NO_CONTENT);
    const { type, text, id, name, arguments: given } = block as Readonly<Record<string, unknown>>;
    if (type === 'text') {
      if (typeof text === 'string') return [textBlock(text)];
      throw new InvalidHandlerResult('answered with a message in which a block of text has no text');
    }
    if (type === 'thinking') return [];
    if (type === 'toolCall' && mayCall) {
      return [{ type, id: String(id), name: String(name), arguments: (given === undefined ? {} : given) as JsonValue }];
    }
    if (typeof type !== 'string') throw new InvalidHandlerResult(NO_CONTENT);
    return [textBlock(`[${type}]`)];
  });
}

function callsOf(blocks: readonly unknown[]): readonly HookToolCallBlock[] {
  return (blocks as readonly (HookTextBlock | HookToolCallBlock)[]).filter((block) => block.type === 'toolCall');
}

function namesOf(calls: readonly HookToolCallBlock[]): string {
  return JSON.stringify(calls.map(({ id, name }) => [id, name]));
}
