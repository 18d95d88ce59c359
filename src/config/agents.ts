// The agents that a configuration declares, and which of them is the default. A caller may pass a configuration that
// was never validated, so entries that are not objects are skipped.

import os from 'node:os';
import path from 'node:path';
import { DEFAULT_AGENT_ID, normalizeAgentId } from '../protocol/agent-id.ts';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { resolveStateDir } from './state-dir.ts';
import { resolveUserPath } from './user-path.ts';

export type AgentConfig = NonNullable<NonNullable<Config['agents']>['list']>[number];
export type AgentDefaults = NonNullable<NonNullable<Config['agents']>['defaults']>;

/** Returns the ids in the order of the list, each once. Without agents in the list it returns `main` alone. */
export function listAgentIds(cfg: Config): string[] {
  const ids = new Set(listAgentConfigs(cfg).map(agentIdOf));
  return ids.size === 0 ? [DEFAULT_AGENT_ID] : [...ids];
}

/** Returns the first entry that is marked as default, else the first entry, else `main`. */
export function resolveDefaultAgentId(cfg: Config): string {
  const entries = listAgentConfigs(cfg);
  const chosen = entries.find((entry) => Boolean(entry.default)) ?? entries[0];
  return chosen === undefined ? DEFAULT_AGENT_ID : agentIdOf(chosen);
}

/** Returns the agent's entry in `agents.list`. When two entries share an id, the first one counts. */
export function resolveAgentConfig(cfg: Config, agentId: string): AgentConfig | undefined {
  const id = normalizeAgentId(agentId);
  return listAgentConfigs(cfg).find((entry) => agentIdOf(entry) === id);
}

/** Returns `agents.defaults`, or an empty object when it is absent or not an object. */
export function resolveAgentDefaults(cfg: Config | undefined): AgentDefaults {
  const defaults = isPlainObject(cfg?.agents) ? cfg.agents.defaults : undefined;
  return isPlainObject(defaults) ? defaults : {};
}

/** Returns the folder of the agent's own state, which is not its workspace. */
export function resolveAgentDir(cfg: Config, agentId: string, env: EnvironmentVariables = process.env): string {
  const configured = givenPath(resolveAgentConfig(cfg, agentId)?.agentDir);
  if (configured !== undefined) return resolveUserPath(configured, resolveHomeDir(env));
  return path.join(resolveStateDir(env, os.homedir), 'agents', normalizeAgentId(agentId), 'agent');
}

export function listAgentConfigs(cfg: Config | undefined): AgentConfig[] {
  const list: unknown = isPlainObject(cfg?.agents) ? cfg.agents.list : undefined;
  return Array.isArray(list) ? list.filter(isPlainObject).map((entry) => entry as AgentConfig) : [];
}

export function agentIdOf(entry: AgentConfig): string {
  return normalizeAgentId(typeof entry.id === 'string' ? entry.id : undefined);
}

/** Returns a path that a person wrote: text that is not blank, without the NUL bytes that no path may contain. */
export function givenPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.replaceAll('\0', '').trim() || undefined;
}
