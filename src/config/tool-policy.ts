// What a configuration says about tools: every place that lists tools, and which of these places count for one agent in
// one session with one model. This file does not interpret the lists.

import { isSubagentSessionKey, subagentDepthOfSessionKey } from '../protocol/session-key.ts';
import type { ToolSection } from '../protocol/tool-section.ts';
import { agentIdOf, listAgentConfigs, resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';

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
}

export interface SubagentPlace {
  readonly depth: number;
  readonly maxSpawnDepth: number;
  readonly written?: ToolSection | undefined;
}

const DEFAULT_MAX_SPAWN_DEPTH = 1;

export function toolPolicyOf(config: Config, scope: ToolPolicyScope): ConfiguredToolPolicy {
  const { tools } = config;
  const entry = scope.agentId === undefined ? undefined : resolveAgentConfig(config, scope.agentId);
  const agentPlace = entry && placeOfAgent(agentIdOf(entry));
  return {
    global: tools && placed('tools', tools),
    globalProvider: providerLists('tools', tools?.byProvider, scope),
    agent: agentPlace && entry?.tools ? placed(agentPlace, entry.tools) : undefined,
    agentProvider: agentPlace ? providerLists(agentPlace, entry?.tools?.byProvider, scope) : undefined,
    subagent: isSubagentSessionKey(scope.sessionKey) ? subagentPlace(config, scope.sessionKey) : undefined,
  };
}

/** Returns every place of the configuration that lists tools, for checks that look for mistakes. */
export function listToolPlaces(config: Config): readonly ToolSection[] {
  const { tools } = config;
  const subagents = tools?.subagents?.tools;
  return [
    ...placesIn('tools', tools),
    ...(subagents ? [placed(SUBAGENT_PLACE, subagents)] : []),
    ...listAgentConfigs(config).flatMap((entry) => placesIn(placeOfAgent(agentIdOf(entry)), entry.tools)),
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
  const { subagents } = resolveAgentDefaults(config);
  const asked = isPlainObject(subagents) ? subagents.maxSpawnDepth : undefined;
  const written = config.tools?.subagents?.tools;
  return {
    depth: Math.max(1, subagentDepthOfSessionKey(sessionKey)),
    maxSpawnDepth: typeof asked === 'number' && Number.isFinite(asked) ? asked : DEFAULT_MAX_SPAWN_DEPTH,
    written: written && placed(SUBAGENT_PLACE, written),
  };
}

function placed(place: string, { profile, allow, alsoAllow, deny }: WrittenTools): ToolSection {
  return { place, profile, allow, alsoAllow, deny };
}

function placeOfAgent(agentId: string): string {
  return `agents.list[${agentId}].tools`;
}

function placeOfProvider(place: string, key: string): string {
  return `${place}.byProvider["${key}"]`;
}
