// Models behind OpenAI's Responses API, or any server that speaks it. Every request carries the whole conversation and asks
// the provider to keep nothing, so what a preview shows is all that the model is given.

import type { Model } from '../model.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { responsesBody } from './responses-body.ts';
import { RESPONSES_EVENTS } from './responses-events.ts';

export function createOpenAiResponsesModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const dialect: WireDialect = {
  api: 'openai-responses',
  path: () => '/responses',
  maxImageBytes: 15_000_000,
  events: RESPONSES_EVENTS,
  takesFormat: true,
  keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  headers: () => ({}),
  body: responsesBody,
};
