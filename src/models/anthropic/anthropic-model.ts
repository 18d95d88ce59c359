// Claude, over Anthropic's Messages API or any server that speaks it.

import type { AnswerWishes, WishName } from '../../protocol/answer-wishes.ts';
import type { Model, ModelRequest } from '../model.ts';
import { noSetting } from '../take-wishes.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { claudeModel, isClaude } from './claude-models.ts';
import { messageBody } from './message-body.ts';
import { MESSAGE_EVENTS } from './message-events.ts';

export function createAnthropicModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const API = 'anthropic-messages';

const dialect: WireDialect = {
  api: API,
  path: () => '/messages',
  // The API takes 5 MB of base64.
  maxImageBytes: (5 * 1_000_000 * 3) / 4,
  events: MESSAGE_EVENTS,
  gap: (wish, wishes, { model }) => messageGap(wish, wishes, model),
  keyHeader: (apiKey) => ({ 'x-api-key': apiKey }),
  headers: messageHeaders,
  body: messageBody,
};

const TAKEN: ReadonlySet<WishName> = new Set([
  ...(['format', 'toolChoice', 'isOneCallAtATime', 'temperature', 'topP', 'maxTokens', 'stop', 'effort'] as const),
]);

function messageGap(wish: WishName, wishes: AnswerWishes, model: string): string | undefined {
  const { temperature, topP } = wishes;
  if (!TAKEN.has(wish)) return noSetting(API);
  if (wish === 'format') return formatGap(wishes, model);
  if (wish === 'effort') return effortGap(wishes, model);
  if (wish !== 'temperature' && wish !== 'topP') return undefined;
  if (!claudeModel(model).takesTemperature) return 'this model does not take it';
  if (wish === 'temperature' && temperature !== undefined && temperature > 1) return 'it takes 0 to 1';
  if (temperature === undefined || topP === undefined || !isClaude(model)) return undefined;
  // Of the two, the one that changes nothing is left out.
  const other = temperature === 1 && topP !== 1 ? 'temperature' : 'topP';
  return wish === other ? 'Claude takes either a temperature or top_p, and the request has both' : undefined;
}

function formatGap({ format }: AnswerWishes, model: string): string | undefined {
  if (!claudeModel(model).hasStructuredOutputs) return 'this model does not take it';
  return format?.type === 'json_schema' ? undefined : 'its protocol has JSON with a schema ("json_schema") only';
}

function effortGap({ effort }: AnswerWishes, model: string): string | undefined {
  const { efforts } = claudeModel(model);
  if (!efforts) return 'this model does not take it';
  return effort && efforts.includes(effort) ? undefined : `it takes ${efforts.join(', ')}`;
}

function messageHeaders({ tools }: ModelRequest, { model }: WireModelSettings): Record<string, string> {
  const isAnnounced = tools.length > 0 && claudeModel(model).hasStructuredOutputs;
  return {
    ...(isAnnounced ? { 'anthropic-beta': 'structured-outputs-2025-11-13' } : {}),
    'anthropic-version': '2023-06-01',
  };
}
