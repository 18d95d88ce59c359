// Which model an agent uses, and which fallbacks follow it: the configured one, else the provider for which there is a
// key, else Mirror. The choice states its reason in one sentence. This file does not check whether a provider can be
// used.

import type { ModelRef } from '../protocol/model-ref.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { configuredModels, configuredProviders, findApiKey, keyVariable, MIRROR_PROVIDER } from './model-provider.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';

export interface ModelChoice {
  readonly primary: ModelRef;
  /** The fallbacks in the order in which they are tried, without the primary model. */
  readonly fallbacks: readonly ModelRef[];
  /** The reason in one sentence. */
  readonly source: string;
}

export function resolveModelChoice(config: Config, agentId: string, variables: EnvironmentVariables): ModelChoice {
  const own = wishOf(resolveAgentConfig(config, agentId)?.model);
  const common = wishOf(resolveAgentDefaults(config).model);
  const wish = own ?? common;
  const named = wish?.primary ?? common?.primary;
  const { ref, source } =
    named === undefined
      ? byWhatIsAtHand(config, variables)
      : {
          ref: parseModelRef(named, config),
          source: `${own?.primary === undefined ? 'agents.defaults.model' : `The entry of agent "${agentId}"`} names it.`,
        };
  const fallbacks = (wish?.fallbacks ?? []).map((name) => parseModelRef(name, config));
  return { primary: ref, fallbacks: withoutRepeats(ref, fallbacks), source };
}

/** Whether the configuration names a model for the agent, also where that is the mirror. */
export function isModelConfigured(config: Config, agentId: string): boolean {
  const own = wishOf(resolveAgentConfig(config, agentId)?.model);
  return (own?.primary ?? wishOf(resolveAgentDefaults(config).model)?.primary) !== undefined;
}

/** Formats a model as people write it: `anthropic/claude-sonnet-4-6`. */
export function formatModelRef({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}

/**
 * Reads `provider/model`. A name without a provider is an alias from `agents.defaults.models`, a model that a configured
 * provider lists, or, as in OpenClaw, one of Anthropic's.
 */
export function parseModelRef(text: string, config: Config): ModelRef {
  const name = aliased(text.trim(), config);
  const slash = name.indexOf('/');
  if (slash > 0) return { provider: spelledAsConfigured(name.slice(0, slash), config), model: name.slice(slash + 1) };
  if (name.toLowerCase() === MIRROR_PROVIDER) return MIRROR;
  const listing = configuredProviders(config).find((provider) =>
    configuredModels(config, provider).some(({ id }) => id === name),
  );
  return { provider: listing ?? 'anthropic', model: name };
}

const MIRROR: ModelRef = { provider: MIRROR_PROVIDER, model: 'mirror' };

/** The model of each provider that is used where only a key is there. Keys are looked for in this order. */
export const DEFAULT_MODELS: readonly ModelRef[] = [
  { provider: 'anthropic', model: 'claude-sonnet-4-6' },
  { provider: 'openai', model: 'gpt-5.4' },
  { provider: 'openrouter', model: 'openrouter/auto' },
];

interface Wish {
  readonly primary?: string | undefined;
  readonly fallbacks?: readonly string[] | undefined;
}

function wishOf(value: unknown): Wish | undefined {
  if (typeof value === 'string') return value.trim() ? { primary: value } : undefined;
  if (!isPlainObject(value)) return undefined;
  const { primary, fallbacks } = value;
  return {
    primary: typeof primary === 'string' && primary.trim() ? primary : undefined,
    fallbacks: Array.isArray(fallbacks)
      ? fallbacks.filter((name): name is string => typeof name === 'string' && name.trim() !== '')
      : undefined,
  };
}

function byWhatIsAtHand(config: Config, variables: EnvironmentVariables): { ref: ModelRef; source: string } {
  for (const ref of DEFAULT_MODELS) {
    if (findApiKey(config, ref.provider, variables) === undefined) continue;
    const variable = keyVariable(ref.provider);
    const key = variables[variable]?.trim() ? `${variable} is set` : `models.providers.${ref.provider} has a key`;
    const first = configuredModels(config, ref.provider)[0];
    return {
      ref: first ? { ...ref, model: first.id } : ref,
      source: `No model is configured, and ${key}.`,
    };
  }
  for (const provider of configuredProviders(config)) {
    const model = configuredModels(config, provider)[0]?.id;
    if (model !== undefined) {
      return {
        ref: { provider, model },
        source: `No model is chosen, and models.providers.${provider} lists this one first.`,
      };
    }
  }
  return { ref: MIRROR, source: 'No model is configured and no key was found.' };
}

/** The name of a provider is written in any case. */
export function spelledAsConfigured(provider: string, config: Config): string {
  const name = provider.toLowerCase();
  return configuredProviders(config).find((configured) => configured.toLowerCase() === name) ?? name;
}

function aliased(name: string, config: Config): string {
  const models: unknown = resolveAgentDefaults(config).models;
  if (!isPlainObject(models)) return name;
  const isAlias = (entry: unknown) =>
    isPlainObject(entry) && typeof entry.alias === 'string' && entry.alias.toLowerCase() === name.toLowerCase();
  return Object.keys(models).find((ref) => isAlias(models[ref])) ?? name;
}

function withoutRepeats(primary: ModelRef, fallbacks: readonly ModelRef[]): ModelRef[] {
  const seen = new Set([formatModelRef(primary)]);
  return fallbacks.filter((ref) => {
    const name = formatModelRef(ref);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
