// What the configuration says about how a model is asked: `params` of all agents, of the model's entry and of the agent,
// where each later one wins key by key, as in OpenClaw. Only the keys that are used are read; the table of OpenClaw's keys
// names the others. Pure.

import type { ModelRef } from '../protocol/model-ref.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

export interface ModelParams {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** The most tokens of one answer. */
  readonly maxTokens?: number | undefined;
}

export function resolveModelParams(config: Config, { provider, model }: ModelRef, agentId?: string): ModelParams {
  const { params, models } = resolveAgentDefaults(config);
  const own = agentId === undefined ? undefined : resolveAgentConfig(config, agentId)?.params;
  const given = [own, models?.[`${provider}/${model}`]?.params, params];
  const first = <Value>(read: (one: GivenParams) => Value | undefined) =>
    given.map((one) => one && read(one)).find((value) => value !== undefined);
  return {
    temperature: first(({ temperature }) => temperature),
    topP: first(({ topP }) => topP),
    maxTokens: first((one) => one.maxTokens ?? one.max_completion_tokens ?? one.max_tokens),
  };
}

/** Whether models are asked in another way for this agent than for others. */
export function hasOwnParams(config: Config, agentId: string): boolean {
  return resolveAgentConfig(config, agentId)?.params !== undefined;
}

type GivenParams = NonNullable<ReturnType<typeof resolveAgentDefaults>['params']>;
