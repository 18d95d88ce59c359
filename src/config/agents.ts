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
  const { byId } = agentsOf(cfg);
  return byId.size === 0 ? [DEFAULT_AGENT_ID] : [...byId.keys()];
}

/** Returns the first entry that is marked as default, else the first entry, else `main`. */
export function resolveDefaultAgentId(cfg: Config): string {
  return agentsOf(cfg).defaultId;
}

/** Returns the agent's entry in `agents.list`. When two entries share an id, the first one counts. */
export function resolveAgentConfig(cfg: Config, agentId: string): AgentConfig | undefined {
  return agentsOf(cfg).byId.get(normalizeAgentId(agentId));
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
  return [...agentsOf(cfg).entries];
}

function listIn(cfg: Config | undefined): readonly unknown[] {
  const list: unknown = isPlainObject(cfg?.agents) ? cfg.agents.list : undefined;
  return Array.isArray(list) ? list : NO_ENTRIES;
}

const NO_ENTRIES: readonly unknown[] = [];

function agentEntries(list: readonly unknown[]): AgentConfig[] {
  return list.filter(isPlainObject).map((entry) => entry as AgentConfig);
}

/** A list of agents as it was read before: with hundreds of agents, every look at one of them would read all ids again. */
interface KnownAgents {
  /** What was read. It is compared, because a program may change the list of a configuration that it made itself. */
  readonly entries: readonly AgentConfig[];
  readonly ids: readonly unknown[];
  readonly defaults: readonly unknown[];
  readonly byId: ReadonlyMap<string, AgentConfig>;
  readonly defaultId: string;
  /** True when neither the list nor an entry can change any more, so that nothing need be compared. */
  readonly isFixed: boolean;
}

const KNOWN_AGENTS = new WeakMap<readonly unknown[], KnownAgents>();

function agentsOf(cfg: Config | undefined): KnownAgents {
  const list = listIn(cfg);
  const known = KNOWN_AGENTS.get(list);
  if (known && (known.isFixed || isAsRead(known, list))) return known;
  const entries = agentEntries(list);
  const byId = new Map<string, AgentConfig>();
  for (const entry of entries) if (!byId.has(agentIdOf(entry))) byId.set(agentIdOf(entry), entry);
  const chosen = entries.find((entry) => Boolean(entry.default)) ?? entries[0];
  const made: KnownAgents = {
    entries,
    ids: entries.map(({ id }) => id),
    defaults: entries.map((entry) => entry.default),
    byId,
    defaultId: chosen === undefined ? DEFAULT_AGENT_ID : agentIdOf(chosen),
    isFixed: Object.isFrozen(list) && list.every(Object.isFrozen),
  };
  KNOWN_AGENTS.set(list, made);
  return made;
}

/** The same configuration with a list of agents of its own that cannot be changed: every look at an agent is quicker. */
export function withFixedAgents(cfg: Config): Config {
  if (listIn(cfg).length === 0) return cfg;
  const list = listIn(cfg).map((entry) => Object.freeze(isPlainObject(entry) ? { ...entry } : entry));
  return { ...cfg, agents: { ...cfg.agents, list: Object.freeze(list) as AgentConfig[] } };
}

/** A plain loop, because it is run for every look at an agent. A list with entries that are no agents is read each time. */
function isAsRead({ entries, ids, defaults }: KnownAgents, list: readonly unknown[]): boolean {
  if (entries.length !== list.length) return false;
  for (let index = 0; index < list.length; index++) {
    const entry = entries[index];
    if (entry !== list[index] || entry?.id !== ids[index] || entry?.default !== defaults[index]) return false;
  }
  return true;
}

export function agentIdOf(entry: AgentConfig): string {
  return normalizeAgentId(typeof entry.id === 'string' ? entry.id : undefined);
}

/** Returns a path that a person wrote: text that is not blank, without the NUL bytes that no path may contain. */
export function givenPath(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.replaceAll('\0', '').trim() || undefined;
}
