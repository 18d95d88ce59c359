// What a configuration says about tools: every place that lists tools, and which of these places count for one agent in
// one session with one model. This file does not interpret the lists.

import { isSubagentSessionKey, subagentDepthOfSessionKey } from '../protocol/session-key.ts';
import type { ToolSection } from '../protocol/tool-section.ts';
import { type AgentConfig, agentIdOf, agentPlaceOf, listAgentConfigs, resolveAgentConfig } from './agents.ts';
import { isMemoryDenied } from './memory-scope.ts';
import { missingSandboxOf } from './missing-protection.ts';
import type { Config } from './schema.ts';
import { maxSpawnDepthOf } from './subagent-settings.ts';

type WrittenTools = NonNullable<NonNullable<Config['tools']>['byProvider']>[string];

export interface ToolPolicyScope {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

export interface ConfiguredToolPolicy {
  readonly global?: ToolSection | undefined;
  readonly globalProvider?: ToolSection | undefined;
  readonly agent?: ToolSection | undefined;
  readonly agentProvider?: ToolSection | undefined;
  readonly subagent?: SubagentPlace | undefined;
  /** For a session that should run in a sandbox: what is written about its tools, the agent's own keys first. */
  readonly sandbox?: ToolSection | undefined;
  /** Tools that a setting of their own keeps away. */
  readonly switchedOff?: readonly SwitchedOffTool[] | undefined;
}

export interface SwitchedOffTool {
  readonly name: string;
  readonly setting: string;
  /** Says how the setting decided. */
  readonly rule: string;
}

export interface SubagentPlace {
  readonly depth: number;
  readonly maxSpawnDepth: number;
  readonly written?: ToolSection | undefined;
}

export function toolPolicyOf(config: Config, scope: ToolPolicyScope): ConfiguredToolPolicy {
  const { tools } = config;
  const entry = scope.agentId === undefined ? undefined : resolveAgentConfig(config, scope.agentId);
  const agentPlace = entry && placeOfAgent(config, agentIdOf(entry));
  return {
    global: tools && placed('tools', tools),
    globalProvider: providerLists('tools', tools?.byProvider, scope),
    agent: agentPlace && entry?.tools ? placed(agentPlace, entry.tools) : undefined,
    agentProvider: agentPlace ? providerLists(agentPlace, entry?.tools?.byProvider, scope) : undefined,
    subagent: isSubagentSessionKey(scope.sessionKey) ? subagentPlace(config, scope.sessionKey) : undefined,
    sandbox: missingSandboxOf(config, scope) && sandboxPlace(tools, entry?.tools),
    switchedOff: listSwitchedOff(config, entry?.tools, scope),
  };
}

function listSwitchedOff(
  { tools, memory }: Config,
  own: AgentConfig['tools'],
  scope: ToolPolicyScope,
): readonly SwitchedOffTool[] | undefined {
  const off = (name: string, setting: string, isOff: boolean, rule: string) => (isOff ? [{ name, setting, rule }] : []);
  const patch = own?.exec?.applyPatch ?? tools?.exec?.applyPatch;
  const models = patch?.allowModels ?? [];
  const isMemoryOff = isMemoryDenied(memory?.qmd?.scope, scope.sessionKey);
  const found = [
    ...off('web_fetch', FETCH, tools?.web?.fetch?.enabled === false, `${FETCH} is false`),
    ...off('apply_patch', PATCH, patch?.enabled === false, `${PATCH} is false`),
    ...off(
      'apply_patch',
      PATCH_MODELS,
      models.length > 0 && !isListedModel(models, scope),
      `${PATCH_MODELS} does not name ${scope.model ?? 'the model'}`,
    ),
    ...MEMORY_TOOLS.flatMap((name) =>
      off(name, MEMORY_SCOPE, isMemoryOff, `${MEMORY_SCOPE} denies it in this session`),
    ),
  ];
  return found.length === 0 ? undefined : found;
}

const FETCH = 'tools.web.fetch.enabled';
const PATCH = 'tools.exec.applyPatch.enabled';
const PATCH_MODELS = 'tools.exec.applyPatch.allowModels';
const MEMORY_SCOPE = 'memory.qmd.scope';
const MEMORY_TOOLS = ['memory_search', 'memory_get'];

/** A model is named with or without its provider. */
function isListedModel(list: readonly string[], { provider = '', model = '' }: ToolPolicyScope): boolean {
  const [id, place] = [model.trim().toLowerCase(), provider.trim().toLowerCase()];
  const names = id === '' ? [] : [id, `${place}/${id}`];
  return list.some((entry) => names.includes(entry.trim().toLowerCase()));
}

function sandboxPlace(tools: Config['tools'], own: AgentConfig['tools']): ToolSection {
  const [particular, general] = [own?.sandbox?.tools, tools?.sandbox?.tools];
  return {
    place: 'tools.sandbox.tools',
    allow: particular?.allow ?? general?.allow,
    alsoAllow: particular?.alsoAllow ?? general?.alsoAllow,
    deny: particular?.deny ?? general?.deny,
  };
}

/** Returns every place of the configuration that lists tools, for checks that look for mistakes. */
export function listToolPlaces(config: Config): readonly ToolSection[] {
  const { tools } = config;
  const subagents = tools?.subagents?.tools;
  return [
    ...placesIn('tools', tools),
    ...(subagents ? [placed(SUBAGENT_PLACE, subagents)] : []),
    ...listAgentConfigs(config).flatMap((entry) => placesIn(placeOfAgent(config, agentIdOf(entry)), entry.tools)),
  ];
}

/** Returns the plugins that the configuration mentions. A list may name all tools of a plugin by the plugin's id. */
export function listPluginIds(config: Config): readonly string[] {
  return Object.keys(config.plugins?.entries ?? {});
}

const SUBAGENT_PLACE = 'tools.subagents.tools';

function placesIn(
  place: string,
  tools: (WrittenTools & { readonly byProvider?: Readonly<Record<string, WrittenTools>> | undefined }) | undefined,
): readonly ToolSection[] {
  if (tools === undefined) return [];
  const byProvider = Object.entries(tools.byProvider ?? {});
  return [placed(place, tools), ...byProvider.map(([key, lists]) => placed(placeOfProvider(place, key), lists))];
}

/** The model's own entry counts before its provider's. Keys are compared without regard to case. */
function providerLists(
  place: string,
  byProvider: Readonly<Record<string, WrittenTools>> | undefined,
  { provider = '', model = '' }: ToolPolicyScope,
): ToolSection | undefined {
  const written = Object.entries(byProvider ?? {});
  for (const name of providerNames(provider.trim().toLowerCase(), model.trim().toLowerCase())) {
    const found = written.find(([key]) => key.trim().toLowerCase() === name);
    if (found) return placed(placeOfProvider(place, found[0]), found[1]);
  }
  return undefined;
}

/** The most exact name is first. Some providers pass on models of others, whose ids contain a provider themselves. */
function providerNames(provider: string, model: string): readonly string[] {
  const full = provider === '' || model === '' ? [] : [`${provider}/${model}`];
  return [...full, ...(model.includes('/') ? [model] : []), ...(provider === '' ? [] : [provider])];
}

function subagentPlace(config: Config, sessionKey: string | undefined): SubagentPlace {
  const written = config.tools?.subagents?.tools;
  return {
    depth: Math.max(1, subagentDepthOfSessionKey(sessionKey)),
    maxSpawnDepth: maxSpawnDepthOf(config),
    written: written && placed(SUBAGENT_PLACE, written),
  };
}

function placed(place: string, { profile, allow, alsoAllow, deny }: WrittenTools): ToolSection {
  return { place, profile, allow, alsoAllow, deny };
}

function placeOfAgent(config: Config, agentId: string): string {
  return `${agentPlaceOf(config, agentId)}.tools`;
}

function placeOfProvider(place: string, key: string): string {
  return `${place}.byProvider["${key}"]`;
}
