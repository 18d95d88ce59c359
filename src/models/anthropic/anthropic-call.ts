// A request in the form that the Messages serialiser takes.
//
// Cache marks: one at the end of the system block that is the cache boundary (tools stand before it, so they are cached
// with it), one at the end of the conversation, and one where the request before this one ended, which a look-back of
// twenty blocks would miss after many parallel tool calls.

import type { ModelRequest, SystemBlock } from '../model.ts';
import type { CallOptions, WireModelSettings } from '../wire-model.ts';
import { type PromptMessage, promptMessages, promptOptions } from '../wire-prompt.ts';
import { wellFormed } from '../wire-text.ts';

/**
 * The API requires a limit. This one allows long answers, and leaves most of the context window to the conversation.
 */
const DEFAULT_MAX_TOKENS = 16_000;

/** The API refuses a blank text, and without its last message a conversation would be answered wrongly. */
const EMPTY_MESSAGE = '(empty message)';

const CACHE_MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

export function anthropicCall(request: ModelRequest, settings: WireModelSettings): CallOptions {
  const messages = promptMessages(request.messages, { isEmpty: isBlank, emptyMessage: EMPTY_MESSAGE });
  return {
    prompt: [...systemMessages(request.system), ...markCache(messages)],
    maxOutputTokens: DEFAULT_MAX_TOKENS,
    ...promptOptions(request, settings),
  };
}

/** A blank block is not sent. A boundary on it moves to the end of the block before. */
function systemMessages(system: readonly SystemBlock[]): PromptMessage[] {
  const boundary = system.findLastIndex((block) => block.cacheBoundary);
  const marked = system.findLastIndex(({ text }, index) => index <= boundary && !isBlank(text));
  return system.flatMap(({ text }, index): PromptMessage[] => {
    if (isBlank(text)) return [];
    return [
      { role: 'system', content: wellFormed(text), ...(index === marked ? { providerOptions: CACHE_MARK } : {}) },
    ];
  });
}

function markCache(messages: readonly PromptMessage[]): PromptMessage[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return messages.map((message, index) =>
    (index === last || index === before) && message.role !== 'assistant'
      ? { ...message, providerOptions: CACHE_MARK }
      : message,
  );
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
