// The configuration of a running gateway. A part that reads a setting when it is needed sees the change that was made to
// the files; a part that read it once, when the gateway was built, has to wait for the next start. Which setting is which
// is written down here, so that no change is taken up by half: a setting that waits is the same for all parts until then.
// Invariant: the settings of `WAITING_SETTINGS`, the folders and the taxonomy of the agents of the start, and the default
// agent stay as they were at the start.

import { isDeepStrictEqual } from 'node:util';
import {
  type AgentConfig,
  agentIdOf,
  agentPathOf,
  listAgentConfigs,
  resolveDefaultAgentId,
  withAgents,
  withFixedAgents,
} from '../../config/agents.ts';
import type { ConfigPath } from '../../config/config-path.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { LIVE_CONTEXT_SETTINGS } from '../composer/context-engine.ts';
import type { WaitingPlace } from '../gateway-part.ts';

/** Sections that are read when they are needed, except for the settings below. */
const LIVE_SECTIONS = [
  'accessGroups',
  'agents',
  'approvals',
  'bindings',
  'commands',
  'memory',
  'messages',
  'models',
  'session',
  'skills',
  'tools',
] as const satisfies readonly (keyof Config)[];

/** Settings of `gateway` that are read when they are needed; everything else about the server is fixed while it listens. */
const LIVE_GATEWAY_SETTINGS = [
  'gateway.allowedOrigins',
  'gateway.controlUi.allowedOrigins',
  'gateway.drainSeconds',
  'gateway.pictureHosts',
  'gateway.http.clientTools',
] as const;

/** What a change of the files reaches without a restart. */
export const LIVE_SETTINGS: readonly string[] = [...LIVE_SECTIONS, ...LIVE_GATEWAY_SETTINGS, ...LIVE_CONTEXT_SETTINGS];

/** Settings of the live sections that wait for the next start: open sessions, tools and folders have begun with them. */
export const WAITING_SETTINGS = [
  'agents.defaults.mediaMaxMb',
  'agents.defaults.userTimezone',
  'agents.defaults.workspace',
  'session.dmScope',
  'session.identityLinks',
  'session.mainKey',
  'session.scope',
  'tools.sessions',
  'tools.web',
] as const;

/** What stays the same about an agent that was there at the start. */
const WAITING_AGENT_SETTINGS = ['agentDir', 'taxonomy', 'workspace'] as const;

export class LiveConfig {
  /** The configuration of the start; what can change is what it is now, whenever it is read. */
  readonly config: Config;
  readonly #start: Config;
  #now: Config;

  constructor(start: Config) {
    this.#start = start;
    this.#now = withFixedAgents(start);
    const sections = [...LIVE_SECTIONS, 'gateway', 'bootstrap', 'hooks', 'openboa'] as const;
    const getters = sections.map((name) => [name, { enumerable: true, get: () => this.#now[name] }] as const);
    this.config = Object.defineProperties({ ...start }, Object.fromEntries(getters));
  }

  /** Takes up what can change. Returns whether anything is another value now. */
  apply(changed: Config): boolean {
    const next = withFixedAgents(mixed(this.#start, changed));
    if (isDeepStrictEqual(next, this.#now)) return false;
    this.#now = next;
    return true;
  }
}

/** The settings of live sections in which two configurations differ and which wait for the next start. */
export function listWaitingSettings(before: Config, after: Config): readonly WaitingPlace[] {
  const settings = WAITING_SETTINGS.filter((path) => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path)));
  const entries = new Map(listAgentConfigs(after).map((entry) => [agentIdOf(entry), entry]));
  const folders = listAgentConfigs(before).flatMap((entry) => {
    const id = agentIdOf(entry);
    const now = entries.get(id);
    const differing = now ? WAITING_AGENT_SETTINGS.filter((key) => !isDeepStrictEqual(entry[key], now[key])) : [];
    return differing.map((key) => placeOfAgent(before, after, id, key));
  });
  return [...settings.map((path) => samePlace(path.split('.'))), ...folders, ...placesOfDefault(before, after)];
}

/** What made another agent the default one: a mark, the name in the defaults, or else which agent comes first. */
function placesOfDefault(before: Config, after: Config): readonly WaitingPlace[] {
  const [old, next] = [before, after].map(resolveDefaultAgentId) as [string, string];
  if (old === next) return [];
  const markOf = (config: Config, id: string) =>
    listAgentConfigs(config).find((each) => agentIdOf(each) === id)?.default;
  const ids = new Set([...listAgentConfigs(after), ...listAgentConfigs(before)].map(agentIdOf));
  const marks = [...ids].filter((id) => (markOf(before, id) ?? false) !== (markOf(after, id) ?? false));
  if (marks.length > 0) return marks.map((id) => placeOfAgent(before, after, id, 'default'));
  const system = 'agents.defaults.systemAgent';
  if (!isDeepStrictEqual(valueAt(before, system), valueAt(after, system))) return [samePlace(system.split('.'))];
  const first = agentPathOf(after, next) ?? agentPathOf(before, old) ?? ['agents'];
  return [samePlace(first[1] === 'list' ? [...first, 'id'] : first)];
}

/** An agent may stand at another place of the list now. */
function placeOfAgent(before: Config, after: Config, agentId: string, key: string): WaitingPlace {
  const [was, is] = [agentPathOf(before, agentId), agentPathOf(after, agentId)];
  const at = is ?? was ?? ['agents', 'list'];
  return { atStart: [...(was ?? at), key], now: [...at, key] };
}

function samePlace(path: ConfigPath): WaitingPlace {
  return { atStart: path, now: path };
}

/** `changed`, with everything that waits for the next start as it is in `start`. */
function mixed(start: Config, changed: Config): Config {
  const live = LIVE_SETTINGS.reduce<Config>((config, path) => withValue(config, path, valueAt(changed, path)), start);
  const kept = WAITING_SETTINGS.reduce((config, path) => withValue(config, path, valueAt(start, path)), live);
  const agents = mixedAgents(start, changed);
  return agents.length === 0 ? kept : withAgents(kept, agents);
}

/** The default agent of the start stays the default one, even where it is not in the file any more. */
function mixedAgents(start: Config, changed: Config): readonly AgentConfig[] {
  const before = new Map(listAgentConfigs(start).map((entry) => [agentIdOf(entry), entry]));
  const entries = listAgentConfigs(changed).map((entry) => {
    const old = before.get(agentIdOf(entry));
    return old ? WAITING_AGENT_SETTINGS.reduce((mixing, key) => withKey(mixing, key, old[key]), entry) : entry;
  });
  const defaultId = resolveDefaultAgentId(start);
  if (resolveDefaultAgentId(withAgents(changed, entries)) === defaultId) return entries;
  const others = entries.filter((entry) => agentIdOf(entry) !== defaultId).map(({ default: _, ...entry }) => entry);
  const own = entries.find((entry) => agentIdOf(entry) === defaultId) ?? before.get(defaultId) ?? { id: defaultId };
  return [{ ...own, default: true }, ...others];
}

function valueAt(config: Config, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), config);
}

/** A copy in which `path` has this value; with undefined it has none. */
function withValue<Value extends object>(value: Value, path: string, given: unknown): Value {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return withKey(value, key, given);
  const below = (value as Record<string, unknown>)[key];
  if (!isPlainObject(below) && given === undefined) return value;
  return withKey(value, key, withValue(isPlainObject(below) ? below : {}, rest.join('.'), given));
}

function withKey<Value extends object>(value: Value, key: string, given: unknown): Value {
  const { [key]: _, ...others } = value as Record<string, unknown>;
  return (given === undefined ? others : { ...others, [key]: given }) as Value;
}
