// The body of a request to the Responses API. The conversation is a list of items: messages, calls and their results. The
// system blocks are joined without a separator into the first one, because the API caches by prefix. `store: false` keeps
// the conversation out of the provider's own state. The order of the keys is part of the bytes, so it never changes.
//
// The thoughts of a reasoning model are not sent back: a transcript holds what was said and called, and a conversation
// may change providers, so their encrypted form is not asked for either.

import { answerLimit } from '../answer-limit.ts';
import type { ModelRequest, ToolSpec } from '../model.ts';
import { isReasoningModel } from '../reasoning-models.ts';
import { markOf, type ShowImages } from '../wire-images.ts';
import { type WireMessage, wireMessages } from '../wire-messages.ts';
import type { WireModelSettings } from '../wire-model.ts';
import { wellFormed } from '../wire-text.ts';

export function responsesBody(request: ModelRequest, settings: WireModelSettings, show: ShowImages): string {
  const system = wellFormed(request.system.map(({ text }) => text).join(''));
  const messages = wireMessages(request.messages, { isEmpty: (text) => text === '', show });
  const isReasoning = isReasoningModel(settings.model);
  const { wishes = {} } = request;
  return JSON.stringify({
    model: settings.model,
    input: [
      ...(system === '' ? [] : [{ role: isReasoning ? 'developer' : 'system', content: system }]),
      ...messages.flatMap(inputItems),
    ],
    temperature: wishes.temperature,
    top_p: wishes.topP,
    max_output_tokens: answerLimit(request, settings.maxTokens),
    store: false,
    reasoning: wishes.effort && { effort: wishes.effort },
    tools: request.tools.length === 0 ? undefined : request.tools.map(functionTool),
    stream: true,
    ...responsesWishes(request),
  });
}

function inputItems(message: WireMessage): object[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
    case 'assistant':
      return message.parts.map((part) =>
        part.type === 'text'
          ? { role: 'assistant', content: [{ type: 'output_text', text: part.text }] }
          : { type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.params) },
      );
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.content }];
  }
}

function userContent({ text, images }: Extract<WireMessage, { role: 'user' }>): object[] {
  return [
    { type: 'input_text', text },
    ...images.map((image) => ({
      type: 'input_image',
      image_url: `data:${image.mime};base64,${markOf(image)}`,
    })),
  ];
}

/** Without `strict: false` this API may hold a schema to rules that its author did not write it for. */
function functionTool({ name, description, parameters, strict }: ToolSpec): object {
  return { type: 'function', name, description: wellFormed(description), parameters, strict: strict === true };
}

/** What a client of the API asked for about form and tools. */
function responsesWishes({ wishes = {}, tools }: ModelRequest): object {
  const { format, verbosity, toolChoice, isOneCallAtATime } = wishes;
  const hasTools = tools.length > 0;
  const choice = typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.name } : toolChoice;
  return {
    text: (format || verbosity) && { format, verbosity },
    tool_choice: hasTools ? choice : undefined,
    parallel_tool_calls: hasTools && isOneCallAtATime ? false : undefined,
  };
}
