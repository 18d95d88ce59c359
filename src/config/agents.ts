// The agents that a configuration declares, and which of them is the default. They stand in `agents.list`, each with its
// id, or, as newer homes of OpenClaw have it, in `agents.entries` under their ids. A caller may pass a configuration that
// was never validated, so entries that are not objects are skipped.

import os from 'node:os';
import path from 'node:path';
import { DEFAULT_AGENT_ID, normalizeAgentId } from '../protocol/agent-id.ts';
import { type ConfigPath, formatConfigPath } from './config-path.ts';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { resolveStateDir } from './state-dir.ts';
import { resolveUserPath } from './user-path.ts';

export type AgentConfig = NonNullable<NonNullable<Config['agents']>['list']>[number];
export type AgentDefaults = NonNullable<NonNullable<Config['agents']>['defaults']>;

/** Returns the ids in the order of the file, each once. Without agents it returns `main` alone. */
export function listAgentIds(cfg: Config): string[] {
  const { byId } = agentsOf(cfg);
  return byId.size === 0 ? [DEFAULT_AGENT_ID] : [...byId.keys()];
}

/**
 * Returns the first agent that is marked as default, else the one that `agents.defaults.systemAgent` names, else the
 * first of the list. Names in `agents.entries` have no order, so `main` goes before the others there.
 */
export function resolveDefaultAgentId(cfg: Config): string {
  const { byId, markedId, firstId } = agentsOf(cfg);
  if (markedId !== undefined) return markedId;
  const system = resolveAgentDefaults(cfg).systemAgent?.agentId;
  const named = typeof system === 'string' ? normalizeAgentId(system) : undefined;
  if (named !== undefined && byId.has(named)) return named;
  return listIn(cfg).length === 0 && byId.has(DEFAULT_AGENT_ID) ? DEFAULT_AGENT_ID : firstId;
}

/** Where the agent is written: `agents.list[0]` or `agents.entries.main`; undefined for one that is not. */
export function agentPathOf(cfg: Config, agentId: string): ConfigPath | undefined {
  const index = listAgentConfigs(cfg).findIndex((entry) => agentIdOf(entry) === normalizeAgentId(agentId));
  return index === -1 ? undefined : listAgentPlaces(cfg)[index];
}

/** The same for people: an item of the list is named by its agent, because its number says little. */
export function agentPlaceOf(cfg: Config, agentId: string): string {
  const path = agentPathOf(cfg, agentId);
  return path?.[1] === 'entries' ? formatConfigPath(path) : `agents.list[${agentId}]`;
}

/** Where each of `listAgentConfigs` is written. */
export function listAgentPlaces(cfg: Config): readonly ConfigPath[] {
  const places = (part: 'list' | 'entries', entries: readonly (readonly [string | number, unknown])[]) =>
    entries.filter(([, entry]) => isPlainObject(entry)).map(([key]): ConfigPath => ['agents', part, key]);
  return [...places('list', [...listIn(cfg).entries()]), ...places('entries', Object.entries(entriesIn(cfg)))];
}

/** Returns the settings of the agent. When two entries share an id, the first one counts. */
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

const NO_ENTRIES: readonly unknown[] = Object.freeze([]);

function entriesIn(cfg: Config | undefined): PlainObject {
  const entries: unknown = isPlainObject(cfg?.agents) ? cfg.agents.entries : undefined;
  return isPlainObject(entries) ? entries : NO_NAMES;
}

const NO_NAMES: PlainObject = Object.freeze({});

function agentEntries(list: readonly unknown[], named: PlainObject): AgentConfig[] {
  const listed = list.filter(isPlainObject).map((entry) => entry as AgentConfig);
  const names = Object.entries(named).filter(([, entry]) => isPlainObject(entry));
  return [...listed, ...names.map(([id, entry]) => ({ ...(entry as Omit<AgentConfig, 'id'>), id }))];
}

/** Agents as they were read before: with hundreds of them, every look at one would read all ids again. */
interface KnownAgents {
  /** What was read. It is compared, because a program may change the list of a configuration that it made itself. */
  readonly entries: readonly AgentConfig[];
  readonly ids: readonly unknown[];
  readonly defaults: readonly unknown[];
  readonly byId: ReadonlyMap<string, AgentConfig>;
  readonly markedId: string | undefined;
  readonly firstId: string;
  /** True when neither the agents nor their settings can change any more, so that nothing need be compared. */
  readonly isFixed: boolean;
}

/** By the list, or by `agents.entries` where there are any. Those are copies with an id, so only fixed ones are kept. */
const KNOWN_AGENTS = new WeakMap<object, KnownAgents>();

function agentsOf(cfg: Config | undefined): KnownAgents {
  const [list, named] = [listIn(cfg), entriesIn(cfg)];
  const isListOnly = named === NO_NAMES || Object.keys(named).length === 0;
  const known = KNOWN_AGENTS.get(isListOnly ? list : named);
  if (known && (known.isFixed || isAsRead(known, list))) return known;
  const entries = agentEntries(list, named);
  const byId = new Map<string, AgentConfig>();
  for (const entry of entries) if (!byId.has(agentIdOf(entry))) byId.set(agentIdOf(entry), entry);
  const marked = entries.find((entry) => Boolean(entry.default));
  const made: KnownAgents = {
    entries,
    ids: entries.map(({ id }) => id),
    defaults: entries.map((entry) => entry.default),
    byId,
    markedId: marked && agentIdOf(marked),
    firstId: entries[0] === undefined ? DEFAULT_AGENT_ID : agentIdOf(entries[0]),
    isFixed: [list, named].every((part) => Object.isFrozen(part) && Object.values(part).every(Object.isFrozen)),
  };
  if (isListOnly) KNOWN_AGENTS.set(list, made);
  else if (made.isFixed) KNOWN_AGENTS.set(named, made);
  return made;
}

/** The same configuration with these agents and no others, each in the form in which it, or the others, are written there. */
export function withAgents(cfg: Config, agents: readonly AgentConfig[]): Config {
  const names = new Map(Object.keys(entriesIn(cfg)).map((name) => [normalizeAgentId(name), name]));
  const isByName = names.size > 0 && listIn(cfg).length === 0;
  const isNamed = (entry: AgentConfig) => isByName || names.has(agentIdOf(entry));
  const named = agents
    .filter(isNamed)
    .map(({ id, ...entry }) => [names.get(normalizeAgentId(id)) ?? id, entry] as const);
  const list = agents.filter((entry) => !isNamed(entry));
  return {
    ...cfg,
    agents: {
      ...cfg.agents,
      list: list.length === 0 ? undefined : list,
      entries: named.length === 0 ? undefined : Object.fromEntries(named),
    },
  };
}

/** The same configuration with agents of its own that cannot be changed: every look at one of them is quicker. */
export function withFixedAgents(cfg: Config): Config {
  const [list, named] = [listIn(cfg), Object.entries(entriesIn(cfg))];
  if (list.length === 0 && named.length === 0) return cfg;
  const fixed = (entry: unknown) => Object.freeze(isPlainObject(entry) ? { ...entry } : entry);
  const entries = Object.freeze(Object.fromEntries(named.map(([name, entry]) => [name, fixed(entry)])));
  return {
    ...cfg,
    agents: {
      ...cfg.agents,
      ...(list.length > 0 && { list: Object.freeze(list.map(fixed)) as AgentConfig[] }),
      ...(named.length > 0 && { entries: entries as NonNullable<Config['agents']>['entries'] }),
    },
  };
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
