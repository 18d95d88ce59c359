// A request in the form that the chat completions serialiser takes. The system blocks are joined without a separator
// into one message, because many servers accept only one and cache by prefix.

import type { ModelRequest } from '../model.ts';
import type { CallOptions, WireModelSettings } from '../wire-model.ts';
import { promptMessages, promptOptions } from '../wire-prompt.ts';
import { wellFormed } from '../wire-text.ts';

export function openAiCompatibleCall(request: ModelRequest, settings: WireModelSettings): CallOptions {
  const system = wellFormed(request.system.map(({ text }) => text).join(''));
  return {
    prompt: [
      ...(system ? [{ role: 'system', content: system } as const] : []),
      ...promptMessages(request.messages, { isEmpty: (text) => text === '' }),
    ],
    ...promptOptions(request, settings),
  };
}
