// Converts a conversation and its tools into the form that the providers' serialisers take. What only one provider
// needs is in that provider's folder. The result depends on neither time nor chance.

import type { AssistantMessage, Message, ToolMessage } from '../protocol/message.ts';
import type { ModelRequest, ToolSpec } from './model.ts';
import type { CallOptions, WireModelSettings } from './wire-model.ts';
import { wellFormed, wireParams, wireToolCallId } from './wire-text.ts';

export type PromptMessage = CallOptions['prompt'][number];

export interface PromptRules {
  /** The text of an answer is left out when this returns true. */
  readonly isEmpty: (text: string) => boolean;
  /** Replaces a person's message that is empty. Without it, such a message is sent as it is. */
  readonly emptyMessage?: string | undefined;
}

export function promptMessages(messages: readonly Message[], rules: PromptRules): PromptMessage[] {
  const converted = messages.flatMap((message) => promptMessage(message, rules));
  if (converted.length === 0) throw new Error('it has no messages');
  return converted;
}

/** Returns everything of a call except its prompt. */
export function promptOptions(
  { tools, maxOutputTokens, temperature }: ModelRequest,
  { maxTokens }: WireModelSettings,
): Omit<CallOptions, 'prompt'> {
  const most = maxOutputTokens ?? maxTokens;
  return {
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool) }),
    ...(most === undefined ? {} : { maxOutputTokens: most }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function functionTool({ name, description, parameters }: ToolSpec) {
  return { type: 'function' as const, name, description: wellFormed(description), inputSchema: parameters };
}

function promptMessage(message: Message, rules: PromptRules): PromptMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: userText(message.content, rules) }] }];
    case 'assistant':
      return assistantMessage(message, rules);
    case 'tool':
      return [{ role: 'tool', content: [toolResult(message)] }];
  }
}

function userText(content: string, { isEmpty, emptyMessage }: PromptRules): string {
  return emptyMessage !== undefined && isEmpty(content) ? emptyMessage : wellFormed(content);
}

/** An answer without text and without calls is left out, because no provider accepts a message without content. */
function assistantMessage({ content }: AssistantMessage, { isEmpty }: PromptRules): PromptMessage[] {
  const parts = content.filter((part) => part.type === 'tool-call' || !isEmpty(part.text));
  if (parts.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: parts.map((part) =>
        part.type === 'text'
          ? { type: 'text', text: wellFormed(part.text) }
          : {
              type: 'tool-call',
              toolCallId: wireToolCallId(part.id),
              toolName: part.name,
              input: wireParams(part.params),
            },
      ),
    },
  ];
}

function toolResult({ toolCallId, toolName, content, isError }: ToolMessage) {
  return {
    type: 'tool-result' as const,
    toolCallId: wireToolCallId(toolCallId),
    toolName,
    output: { type: isError ? ('error-text' as const) : ('text' as const), value: wellFormed(content) },
  };
}
