// What the configuration says about subagents, with its defaults: how many, how deep, how long, and which agents. An
// agent's own keys replace the common ones.

import type { SubagentSettings } from '../protocol/subagent-settings.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

const DEFAULT_MAX_SPAWN_DEPTH = 1;
const DEFAULT_MAX_CHILDREN = 5;
const DEFAULT_MAX_CONCURRENT = 8;

/** `agentId` is the agent that spawns. */
export function subagentSettingsOf(config: Config, agentId: string): SubagentSettings {
  const { subagents: common = {} } = resolveAgentDefaults(config);
  const own = resolveAgentConfig(config, agentId)?.subagents ?? {};
  const seconds = common.runTimeoutSeconds ?? 0;
  return {
    maxSpawnDepth: maxSpawnDepthOf(config),
    maxChildren: common.maxChildrenPerAgent ?? DEFAULT_MAX_CHILDREN,
    runTimeoutMs: seconds === 0 ? null : seconds * 1_000,
    allowAgents: own.allowAgents ?? common.allowAgents ?? [],
    requireAgentId: own.requireAgentId ?? common.requireAgentId ?? false,
  };
}

export function maxSpawnDepthOf(config: Config): number {
  const asked = resolveAgentDefaults(config).subagents?.maxSpawnDepth;
  return typeof asked === 'number' && Number.isFinite(asked) ? asked : DEFAULT_MAX_SPAWN_DEPTH;
}

/** How many runs of subagents may go on at the same time. */
export function maxConcurrentSubagents(config: Config): number {
  return resolveAgentDefaults(config).subagents?.maxConcurrent ?? DEFAULT_MAX_CONCURRENT;
}

/** Undefined when the run about a result has the time of any run. Both spellings of the section are read. */
export function announceTimeoutMsOf(config: Config): number | undefined {
  const { subagents, subagent } = resolveAgentDefaults(config);
  return subagents?.announceTimeoutMs ?? subagent?.announceTimeoutMs;
}

/** The models that an agent uses as a subagent, first choice first; empty when it uses its own. */
export function subagentModelsOf(config: Config, agentId: string): readonly string[] {
  const wish = resolveAgentConfig(config, agentId)?.subagents?.model ?? resolveAgentDefaults(config).subagents?.model;
  if (wish === undefined) return [];
  if (typeof wish === 'string') return [wish];
  return wish.primary === undefined ? [] : [wish.primary, ...(wish.fallbacks ?? [])];
}
