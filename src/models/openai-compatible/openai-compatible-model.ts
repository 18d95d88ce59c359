// Models behind an API like OpenAI's chat completions: OpenAI itself, OpenRouter, Ollama, llama.cpp, LiteLLM and many
// more, by base URL.

import type { Model } from '../model.ts';
import { reasoningGap } from '../reasoning-models.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { chatBody, isOpenAiItself } from './chat-body.ts';
import { CHAT_EVENTS } from './chat-events.ts';

export function createOpenAiCompatibleModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

export function bearer(apiKey: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${apiKey}` };
}

const dialect: WireDialect = {
  api: 'openai-completions',
  path: () => '/chat/completions',
  maxImageBytes: 15_000_000,
  events: CHAT_EVENTS,
  // Other servers are asked as the client wishes: what their models take is not known here.
  gap: (wish, wishes, settings) => (isOpenAiItself(settings) ? reasoningGap(settings.model, wish, wishes) : undefined),
  keyHeader: bearer,
  headers: () => ({}),
  body: chatBody,
};
