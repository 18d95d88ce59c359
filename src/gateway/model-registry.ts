// The models of a gateway: which one an agent uses, and the Model object for it. Models are created on first use and
// kept; a provider's package is loaded then, or by `warm` once the gateway is ready.

import type { ModelPort } from '../agent/run-parts.ts';
import { listAgentIds } from '../config/agents.ts';
import type { EnvironmentVariables } from '../config/home-dir.ts';
import { formatModelRef, type ModelChoice, resolveModelChoice } from '../config/model-choice.ts';
import { contextWindowOf, type ProviderSettings, resolveProvider } from '../config/model-provider.ts';
import type { Config } from '../config/schema.ts';
import type { Model } from '../models/model.ts';
import type { ModelRef } from '../protocol/model-ref.ts';

export class ModelRegistry implements ModelPort {
  readonly #config: Config;
  readonly #variables: EnvironmentVariables;
  readonly #now: () => number;
  readonly #models = new Map<string, Promise<Model>>();

  constructor(config: Config, environment: { readonly variables: EnvironmentVariables }, now: () => number = Date.now) {
    this.#config = config;
    this.#variables = environment.variables;
    this.#now = now;
  }

  choice(agentId: string): ModelChoice {
    return resolveModelChoice(this.#config, agentId, this.#variables);
  }

  /** The models of an agent, first choice first. */
  candidates(agentId: string): readonly ModelRef[] {
    const { primary, fallbacks } = this.choice(agentId);
    return [primary, ...fallbacks];
  }

  /** Rejects with an AtriumError when there is no such provider, no key for it, or its settings are not valid. */
  model(ref: ModelRef): Promise<Model> {
    const name = formatModelRef(ref);
    let model = this.#models.get(name);
    if (!model) {
      model = this.#make(ref);
      this.#models.set(name, model);
      // A variable or a setting may repair a provider that cannot be used now, so the failure is not cached.
      model.catch(() => this.#models.delete(name));
    }
    return model;
  }

  /**
   * Why an agent cannot use its first choice, one sentence each: no such provider, no key, settings that are not valid.
   */
  problems(): readonly string[] {
    const firsts = listAgentIds(this.#config).map((agentId) => this.choice(agentId).primary);
    const providers = [...new Set(firsts.map(({ provider }) => provider))];
    return providers.flatMap((provider) => {
      try {
        resolveProvider(this.#config, provider, this.#variables);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
  }

  /** Loads what the agents' models need, so that the first message does not wait for it. Never rejects. */
  async warm(): Promise<void> {
    const apis = new Set(
      listAgentIds(this.#config)
        .flatMap((agentId) => this.candidates(agentId))
        .map((ref) => this.#apiOf(ref)),
    );
    await Promise.allSettled([
      apis.has('anthropic-messages') ? loadAnthropic() : undefined,
      apis.has('openai-completions') ? loadOpenAiCompatible() : undefined,
    ]);
  }

  async #make(ref: ModelRef): Promise<Model> {
    const settings = resolveProvider(this.#config, ref.provider, this.#variables);
    const configured = settings.models.find(({ id }) => id === ref.model);
    const wire = {
      provider: ref.provider,
      model: ref.model,
      baseUrl: settings.baseUrl,
      apiKey: settings.apiKey,
      headers: settings.headers,
      timeoutMs: settings.timeoutMs,
      contextWindow: contextWindowOf(settings, ref.model),
      contextWindowSource: configured?.contextWindow === undefined ? ('model' as const) : ('modelsConfig' as const),
      maxTokens: configured?.maxTokens,
      prices: configured?.cost,
      now: this.#now,
    };
    switch (settings.api) {
      case 'anthropic-messages':
        return (await import('../models/anthropic/anthropic-model.ts')).createAnthropicModel(wire);
      case 'openai-completions':
        return (await import('../models/openai-compatible/openai-compatible-model.ts')).createOpenAiCompatibleModel(
          wire,
        );
      case 'mirror':
        return (await import('../models/mirror/mirror-model.ts')).createMirrorModel();
    }
  }

  /** A provider that cannot be used is reported to the caller that asks for its model. */
  #apiOf({ provider }: ModelRef): ProviderSettings['api'] | undefined {
    try {
      return resolveProvider(this.#config, provider, this.#variables).api;
    } catch {
      return undefined;
    }
  }
}

async function loadAnthropic(): Promise<void> {
  await (await import('../models/anthropic/anthropic-model.ts')).loadAnthropic();
}

async function loadOpenAiCompatible(): Promise<void> {
  await (await import('../models/openai-compatible/openai-compatible-model.ts')).loadOpenAiCompatible();
}
