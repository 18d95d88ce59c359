// Which models people, jobs and agents may choose for a session or a run. `modelPolicy.allow` of the agent counts first,
// then that of `agents.defaults`, then the list `agents.defaults.models`; without any of them every model may be chosen.
// What the configuration itself gives an agent is used whatever a list says. This file does not check whether a model
// exists.

import type { ModelRef } from '../protocol/model-ref.ts';
import { agentPlaceOf, resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import { valueAt } from './config-path.ts';
import { ModelNotAllowedError } from './errors.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { formatModelRef, parseModelRef, resolveModelChoice } from './model-choice.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { subagentModelsOf } from './subagent-settings.ts';

export interface ModelAllowance {
  /** The setting that limits, such as `agents.defaults.modelPolicy.allow`. */
  readonly setting: string;
  /** As they are written: `provider/model`, or `provider/*` for all that begin so. */
  readonly entries: readonly string[];
  /** Whether a person may choose it. */
  mayChoose(ref: ModelRef): boolean;
  /** Whether a run may ask for it: what may be chosen, and what the configuration gives the agent. */
  mayUse(ref: ModelRef): boolean;
}

/** Undefined when the agent may be given any model. */
export function resolveModelAllowance(
  config: Config,
  agentId: string,
  variables: EnvironmentVariables,
): ModelAllowance | undefined {
  const limit = limitOf(config, agentId);
  if (limit === undefined) return undefined;
  const exact = limit.entries
    .filter((entry) => !entry.endsWith('/*'))
    .map((entry) => comparable(formatModelRef(parseModelRef(entry, config))));
  const prefixes = limit.entries.filter((entry) => entry.endsWith('/*')).map((entry) => comparable(entry.slice(0, -1)));
  const { primary, fallbacks } = resolveModelChoice(config, agentId, variables);
  const spawned = subagentModelsOf(config, agentId).map((name) => parseModelRef(name, config));
  const own = [primary, ...fallbacks].map((ref) => comparable(formatModelRef(ref)));
  const given = new Set([...own, ...spawned.map((ref) => comparable(formatModelRef(ref)))]);
  const [first, ...others] = own;
  // As OpenClaw has it: entries by name let the fallbacks in, and the first choice where no entry is a whole provider.
  const isByName = limit.isMap && exact.length > 0;
  const withOwn = isByName ? [...others, ...(prefixes.length === 0 && first !== undefined ? [first] : [])] : [];
  const listed = new Set([...exact, ...withOwn]);
  const mayChoose = (ref: ModelRef) => {
    const name = comparable(formatModelRef(ref));
    return listed.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  };
  return {
    setting: limit.setting,
    entries: limit.entries,
    mayChoose,
    mayUse: (ref) => mayChoose(ref) || given.has(comparable(formatModelRef(ref))),
  };
}

/** Throws ModelNotAllowedError when the agent may not be given the model. */
export function checkModelAllowed(
  config: Config,
  agentId: string,
  variables: EnvironmentVariables,
  ref: ModelRef,
): void {
  const allowance = resolveModelAllowance(config, agentId, variables);
  if (allowance === undefined || allowance.mayChoose(ref)) return;
  throw new ModelNotAllowedError({
    model: formatModelRef(ref),
    setting: allowance.setting,
    allowed: allowance.entries,
  });
}

interface Limit {
  readonly setting: string;
  readonly entries: readonly string[];
  /** `agents.defaults.models` may also allow what the agent has by itself; a policy allows what it lists and no more. */
  readonly isMap: boolean;
}

function limitOf(config: Config, agentId: string): Limit | undefined {
  const own = allowIn(resolveAgentConfig(config, agentId)?.modelPolicy);
  const { modelPolicy, models } = resolveAgentDefaults(config);
  const [list, setting] =
    own !== undefined
      ? [own, `${agentPlaceOf(config, agentId)}.modelPolicy.allow`]
      : [allowIn(modelPolicy) ?? (modelPolicy === undefined ? undefined : []), 'agents.defaults.modelPolicy.allow'];
  // An empty list allows every model, and so does a policy without a list.
  if (list !== undefined) return list.length === 0 ? undefined : { setting, entries: list, isMap: false };
  const named: unknown = models;
  const entries = isPlainObject(named) && !hasPolicyOnly(config) ? Object.keys(named) : [];
  return entries.length === 0 ? undefined : { setting: 'agents.defaults.models', entries, isMap: true };
}

/** OpenClaw marks a configuration in which `agents.defaults.models` no longer limits, since August 2026. */
function hasPolicyOnly(config: Config): boolean {
  return valueAt(config, ['meta', 'migrations', 'modelPolicyAllowlist']) === true;
}

function allowIn(policy: unknown): readonly string[] | undefined {
  const allow = isPlainObject(policy) ? policy.allow : undefined;
  return Array.isArray(allow) ? allow.filter((entry) => typeof entry === 'string' && entry.trim() !== '') : undefined;
}

/** Names of models are written in any case. */
function comparable(name: string): string {
  return name.trim().toLowerCase();
}
