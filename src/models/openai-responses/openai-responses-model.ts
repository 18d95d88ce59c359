// Models behind OpenAI's Responses API, or any server that speaks it. Every request carries the whole conversation and asks
// the provider to keep nothing, so what a preview shows is all that the model is given.

import type { WishName } from '../../protocol/answer-wishes.ts';
import type { Model } from '../model.ts';
import { reasoningGap } from '../reasoning-models.ts';
import { noSetting } from '../take-wishes.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { responsesBody } from './responses-body.ts';
import { RESPONSES_EVENTS } from './responses-events.ts';

export function createOpenAiResponsesModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const API = 'openai-responses';

const NO_WORDS: ReadonlySet<WishName> = new Set(['stop', 'presencePenalty', 'frequencyPenalty', 'logitBias', 'seed']);

const dialect: WireDialect = {
  api: API,
  path: () => '/responses',
  maxImageBytes: 15_000_000,
  events: RESPONSES_EVENTS,
  gap: (wish, wishes, { model }) => (NO_WORDS.has(wish) ? noSetting(API) : reasoningGap(model, wish, wishes)),
  keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  headers: () => ({}),
  body: responsesBody,
};
