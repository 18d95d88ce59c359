// Claude, over Anthropic's Messages API or any server that speaks it. The package is loaded at the first request or
// when the gateway warms it up, never at start.

import type { Model } from '../model.ts';
import { createWireModel, type LanguageModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { anthropicCall } from './anthropic-call.ts';
import { MESSAGE_EVENTS } from './mend-event.ts';

export function createAnthropicModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

export async function loadAnthropic(): Promise<void> {
  await import('@ai-sdk/anthropic');
}

const dialect: WireDialect = {
  api: 'anthropic-messages',
  events: MESSAGE_EVENTS,
  keyHeader: (apiKey) => ({ 'x-api-key': apiKey }),
  callOptions: anthropicCall,
  async languageModel({ model, baseUrl, fetch }): Promise<LanguageModel> {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    // The package would look for a key in the environment. The real key is added while sending.
    return createAnthropic({ baseURL: baseUrl, apiKey: 'added-while-sending', fetch }).messages(model);
  },
};
