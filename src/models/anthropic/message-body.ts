// The body of a request to the Messages API. Messages of one side that follow each other become one, because the API
// takes turns. The order of the keys is part of the bytes, so it never changes.
//
// Cache marks: one at the end of the system block that is the cache boundary (tools stand before it, so they are cached
// with it), one at the end of the conversation, and one where the request before this one ended, which a look-back of
// twenty blocks would miss after many parallel tool calls.

import type { AnswerWishes } from '../../protocol/answer-wishes.ts';
import { answerLimit } from '../answer-limit.ts';
import type { ModelRequest, SystemBlock, ToolSpec } from '../model.ts';
import { markOf, type ShowImages } from '../wire-images.ts';
import { type WireMessage, wireMessages } from '../wire-messages.ts';
import type { WireModelSettings } from '../wire-model.ts';
import { wellFormed } from '../wire-text.ts';
import { claudeModel } from './claude-models.ts';

/**
 * The API requires a limit. This one allows long answers, and leaves most of the context window to the conversation.
 */
const DEFAULT_MAX_TOKENS = 16_000;

/** The API refuses a blank text, and without its last message a conversation would be answered wrongly. */
const EMPTY_MESSAGE = '(empty message)';

const CACHE_MARK = { type: 'ephemeral' };

export function messageBody(request: ModelRequest, settings: WireModelSettings, show: ShowImages): string {
  const { maxTokens = Number.POSITIVE_INFINITY } = claudeModel(settings.model);
  const messages = wireMessages(request.messages, { isEmpty: isBlank, emptyMessage: EMPTY_MESSAGE, show });
  const system = systemBlocks(request.system);
  const { wishes = {} } = request;
  return JSON.stringify({
    model: settings.model,
    max_tokens: Math.min(maxTokens, answerLimit(request, settings.maxTokens) ?? DEFAULT_MAX_TOKENS),
    temperature: wishes.temperature,
    top_p: wishes.topP,
    stop_sequences: wishes.stop,
    system: system.length === 0 ? undefined : system,
    messages: turns(messages),
    tools: request.tools.length === 0 ? undefined : request.tools.map(messageTool),
    tool_choice: request.tools.length === 0 ? undefined : messageChoice(wishes),
    output_config: outputConfig(wishes),
    stream: true,
  });
}

/** A blank block is not sent. A boundary on it moves to the end of the block before. */
function systemBlocks(system: readonly SystemBlock[]): object[] {
  const boundary = system.findLastIndex((block) => block.cacheBoundary);
  const marked = system.findLastIndex(({ text }, index) => index <= boundary && !isBlank(text));
  return system.flatMap(({ text }, index) =>
    isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text), cache_control: markIf(index === marked) }],
  );
}

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

function turns(messages: readonly WireMessage[]): Turn[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  const made: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks =
      message.role === 'assistant'
        ? assistantBlocks(message, index === last)
        : userBlocks(message, index === last || index === before);
    const turn = made.at(-1);
    if (turn?.role === role) turn.content.push(...blocks);
    else made.push({ role, content: blocks });
  }
  return made.map((turn) => (turn.role === 'assistant' ? { ...turn, content: callsLast(turn.content) } : turn));
}

function userBlocks(message: Exclude<WireMessage, { role: 'assistant' }>, isMarked: boolean): object[] {
  if (message.role === 'tool') {
    const { callId, content, isError } = message;
    return [
      {
        type: 'tool_result',
        tool_use_id: callId,
        content,
        is_error: isError ? true : undefined,
        cache_control: markIf(isMarked),
      },
    ];
  }
  const { text, images } = message;
  return [
    { type: 'text', text, cache_control: markIf(isMarked && images.length === 0) },
    ...images.map((image, index) => ({
      type: 'image',
      source: { type: 'base64', media_type: image.mime, data: markOf(image) },
      cache_control: markIf(isMarked && index === images.length - 1),
    })),
  ];
}

/** The API refuses blanks at the end of a conversation that ends with an answer. */
function assistantBlocks({ parts }: Extract<WireMessage, { role: 'assistant' }>, isLast: boolean): object[] {
  return parts.map((part, index) =>
    part.type === 'text'
      ? { type: 'text', text: isLast && index === parts.length - 1 ? part.text.trim() : part.text }
      : { type: 'tool_use', id: part.id, name: part.name, input: part.params },
  );
}

/** The API wants results directly behind the calls, so no text may stand between them. */
function callsLast(blocks: readonly object[]): object[] {
  const isCall = (block: object) => 'input' in block;
  return [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)];
}

function messageTool({ name, description, parameters }: ToolSpec): object {
  return {
    name,
    description: wellFormed(description),
    input_schema: parameters,
    // Long parameters come piece by piece, which keeps the connection from being silent.
    eager_input_streaming: true,
  };
}

/** What a client of the API asked for. */
function messageChoice({ toolChoice, isOneCallAtATime }: AnswerWishes): object | undefined {
  if (!toolChoice && !isOneCallAtATime) return undefined;
  const type = typeof toolChoice === 'object' ? 'tool' : toolChoice ? 'any' : 'auto';
  const name = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  return { type, name, disable_parallel_tool_use: isOneCallAtATime };
}

function outputConfig({ format, effort }: AnswerWishes): object | undefined {
  const schema = format?.type === 'json_schema' ? format.schema : undefined;
  return (schema || effort) && { effort, format: schema && { type: 'json_schema', schema } };
}

function markIf(isMarked: boolean): typeof CACHE_MARK | undefined {
  return isMarked ? CACHE_MARK : undefined;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
