// How an agent's long conversations are shortened: what its entry says, else the defaults of all agents, else ours.

import type { CompactionSettings } from '../protocol/compaction-settings.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import { parseModelRef } from './model-choice.ts';
import type { Config } from './schema.ts';

export function compactionSettingsOf(config: Config, agentId: string): CompactionSettings {
  const defaults = resolveAgentDefaults(config);
  const { enabled, threshold, keepRecentTokens, model, timeoutSeconds } = {
    ...defaults.compaction,
    ...resolveAgentConfig(config, agentId)?.compaction,
  };
  return {
    enabled: enabled ?? true,
    threshold: threshold ?? 0.8,
    keepRecentTokens,
    model: model === undefined ? undefined : parseModelRef(model, config),
    timeoutMs: (timeoutSeconds ?? 120) * 1_000,
    contextTokens: defaults.contextTokens ?? 128_000,
    isContextTokensSet: defaults.contextTokens !== undefined,
    pins: (config.session?.pins ?? []).map((pin) => pin.trim()).filter((pin) => pin !== ''),
  };
}
