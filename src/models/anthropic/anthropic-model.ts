// Claude, over Anthropic's Messages API or any server that speaks it.

import type { Model, ModelRequest } from '../model.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { claudeModel } from './claude-models.ts';
import { messageBody } from './message-body.ts';
import { MESSAGE_EVENTS } from './message-events.ts';

export function createAnthropicModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const dialect: WireDialect = {
  api: 'anthropic-messages',
  path: () => '/messages',
  // The API takes 5 MB of base64.
  maxImageBytes: (5 * 1_000_000 * 3) / 4,
  events: MESSAGE_EVENTS,
  keyHeader: (apiKey) => ({ 'x-api-key': apiKey }),
  headers: messageHeaders,
  body: messageBody,
};

function messageHeaders({ tools }: ModelRequest, { model }: WireModelSettings): Record<string, string> {
  const isAnnounced = tools.length > 0 && claudeModel(model).hasStructuredOutputs;
  return {
    ...(isAnnounced ? { 'anthropic-beta': 'structured-outputs-2025-11-13' } : {}),
    'anthropic-version': '2023-06-01',
  };
}
