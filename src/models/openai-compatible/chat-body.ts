// The body of a chat completions request. The system blocks are joined without a separator into one message, because
// many servers accept only one and cache by prefix. The order of the keys is part of the bytes, so it never changes.

import type { AnswerFormat, AnswerWishes } from '../../protocol/answer-wishes.ts';
import type { Message } from '../../protocol/message.ts';
import { answerLimit } from '../answer-limit.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import { markOf, type ShowImages } from '../wire-images.ts';
import { requireMessages, type WireMessage, wireMessage } from '../wire-messages.ts';
import type { WireModelSettings } from '../wire-model.ts';
import { wellFormed } from '../wire-text.ts';

export function chatBody(request: ModelRequest, settings: WireModelSettings, show: ShowImages): string {
  const system = wellFormed(request.system.map(({ text }) => text).join(''));
  const messages = request.messages.map((message) => messageText(message, show)).filter((text) => text !== '');
  requireMessages(messages);
  if (system !== '') messages.unshift(JSON.stringify({ role: 'system', content: system }));
  const most = answerLimit(request, settings.maxTokens);
  // OpenAI's newer models refuse the old name of this setting; other servers know only the old one.
  const isOpenAi = isOpenAiItself(settings);
  const { wishes = {} } = request;
  const before = JSON.stringify({
    model: settings.model,
    max_tokens: isOpenAi ? undefined : most,
    temperature: wishes.temperature,
    top_p: wishes.topP,
    frequency_penalty: wishes.frequencyPenalty,
    presence_penalty: wishes.presencePenalty,
    logit_bias: wishes.logitBias,
    stop: wishes.stop,
    seed: wishes.seed,
    reasoning_effort: wishes.effort,
    verbosity: wishes.verbosity,
  });
  const after = JSON.stringify({
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: isOpenAi ? most : undefined,
    ...chatWishes(request),
  });
  const tools = request.tools.length === 0 ? '' : `"tools":${toolsText(request.tools)},`;
  return `${before.slice(0, -1)},"messages":[${messages.join()}],${tools}${after.slice(1)}`;
}

/** OpenAI's own servers hold their models to rules that other servers of this protocol do not have. */
export function isOpenAiItself({ baseUrl }: Pick<WireModelSettings, 'baseUrl'>): boolean {
  return new URL(baseUrl).hostname === 'api.openai.com';
}

/** A message never changes, and every later request of its conversation has it again. Empty when it is left out. */
function messageText(message: Message, show: ShowImages): string {
  const known = MESSAGE_TEXTS.get(message);
  if (known !== undefined) return known;
  const written = wireMessage(message, { isEmpty: (text) => text === '', show });
  const text = 'role' in written ? JSON.stringify(chatMessage(written)) : '';
  // What is shown of images depends on the model and on what is still kept.
  if (message.role !== 'user' || (message.attachments ?? []).length === 0) MESSAGE_TEXTS.set(message, text);
  return text;
}

const MESSAGE_TEXTS = new WeakMap<Message, string>();

/** Runs are offered the same lists of tools. */
function toolsText(tools: ModelRequest['tools']): string {
  const known = TOOL_TEXTS.get(tools);
  if (known !== undefined) return known;
  const text = JSON.stringify(tools.map(chatTool));
  TOOL_TEXTS.set(tools, text);
  return text;
}

const TOOL_TEXTS = new WeakMap<ModelRequest['tools'], string>();

function chatMessage(message: WireMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: userContent(message) };
    case 'assistant':
      return assistantMessage(message);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
  }
}

function userContent({ text, images }: Extract<WireMessage, { role: 'user' }>): string | object[] {
  if (images.length === 0) return text;
  return [
    { type: 'text', text },
    ...images.map((image) => ({
      type: 'image_url',
      image_url: { url: `data:${image.mime};base64,${markOf(image)}` },
    })),
  ];
}

function assistantMessage({ parts }: Extract<WireMessage, { role: 'assistant' }>): object {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: JSON.stringify(part.params) } }]
      : [],
  );
  return calls.length === 0
    ? { role: 'assistant', content: text }
    : { role: 'assistant', content: text || null, tool_calls: calls };
}

function chatTool({ name, description, parameters, strict }: ToolSpec): object {
  return { type: 'function', function: { name, description: wellFormed(description), parameters, strict } };
}

/** What a client of the API asked for about form and tools. Servers refuse settings of tools in a request without tools. */
function chatWishes({ wishes = {}, tools }: ModelRequest): object {
  const { format, toolChoice, isOneCallAtATime } = wishes;
  const hasTools = tools.length > 0;
  return {
    response_format: format && chatFormat(format),
    tool_choice: hasTools ? chatChoice(toolChoice) : undefined,
    parallel_tool_calls: hasTools && isOneCallAtATime ? false : undefined,
  };
}

function chatFormat(format: AnswerFormat): object {
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}

function chatChoice(choice: AnswerWishes['toolChoice']): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}
