// What handlers are told about the model of a run, once it is chosen: its name, and how much of its window the run may
// use after every limit.

import type { HookContext } from '../hooks/hook-context.ts';
import type { Model } from '../models/model.ts';
import type { CompactionSettings } from '../protocol/compaction-settings.ts';

export type ModelContext = Pick<HookContext, 'modelProviderId' | 'modelId'> & ContextWindow;

export type ContextWindow = Pick<
  HookContext,
  'contextTokenBudget' | 'contextWindowSource' | 'contextWindowReferenceTokens'
>;

export function modelContextOf(
  model: Pick<Model, 'provider' | 'model' | 'contextWindow' | 'contextWindowSource'>,
  settings: CompactionSettings,
): ModelContext {
  return { modelProviderId: model.provider, modelId: model.model, ...contextWindowFor(model, settings) };
}

/** The words for the source of the limit are the plugin contract's. */
export function contextWindowFor(
  { contextWindow, contextWindowSource = 'model' }: Pick<Model, 'contextWindow' | 'contextWindowSource'>,
  { contextTokens, isContextTokensSet }: CompactionSettings,
): ContextWindow {
  if (contextWindow !== undefined && contextWindow <= contextTokens) {
    return { contextTokenBudget: contextWindow, contextWindowSource };
  }
  return {
    contextTokenBudget: contextTokens,
    contextWindowSource: isContextTokensSet ? 'agentContextTokens' : 'default',
    ...(contextWindow === undefined ? {} : { contextWindowReferenceTokens: contextWindow }),
  };
}
