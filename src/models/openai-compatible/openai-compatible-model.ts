// Models behind an API like OpenAI's chat completions: OpenAI itself, OpenRouter, Ollama, llama.cpp, LiteLLM and many
// more, by base URL. The package is loaded at the first request or when the gateway warms it up, never at start.

import type { Model } from '../model.ts';
import { createWireModel, type LanguageModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { CHAT_EVENTS } from './mend-chunk.ts';
import { openAiCompatibleCall } from './openai-compatible-call.ts';

export function createOpenAiCompatibleModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

export async function loadOpenAiCompatible(): Promise<void> {
  await import('@ai-sdk/openai-compatible');
}

const dialect: WireDialect = {
  api: 'openai-completions',
  events: CHAT_EVENTS,
  keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  callOptions: openAiCompatibleCall,
  async languageModel({ provider, model, baseUrl, fetch }): Promise<LanguageModel> {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const isOpenAi = new URL(baseUrl).hostname === 'api.openai.com';
    return createOpenAICompatible({
      name: provider,
      baseURL: baseUrl,
      includeUsage: true,
      fetch,
      ...(isOpenAi ? { transformRequestBody: withMaxCompletionTokens } : {}),
    }).chatModel(model);
  },
};

/** OpenAI's newer models refuse the old name of this setting; other servers know only the old one. */
function withMaxCompletionTokens({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}
