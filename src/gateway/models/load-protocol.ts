// The code that speaks one wire form. It is loaded when a model needs it, because most gateways need one of them.

import type { Model } from '../../models/model.ts';
import type { WireModelSettings } from '../../models/wire-model.ts';
import type { ModelProtocol } from '../../protocol/model-protocol.ts';

export type CreateWireModel = (settings: WireModelSettings) => Model;

export function loadProtocol(protocol: ModelProtocol): Promise<CreateWireModel> {
  return LOADERS[protocol]();
}

const LOADERS: Readonly<Record<ModelProtocol, () => Promise<CreateWireModel>>> = {
  'anthropic-messages': async () => (await import('../../models/anthropic/anthropic-model.ts')).createAnthropicModel,
  'openai-completions': async () =>
    (await import('../../models/openai-compatible/openai-compatible-model.ts')).createOpenAiCompatibleModel,
  'openai-responses': async () =>
    (await import('../../models/openai-responses/openai-responses-model.ts')).createOpenAiResponsesModel,
  'google-generative-ai': async () => (await import('../../models/google/google-model.ts')).createGoogleModel,
};
