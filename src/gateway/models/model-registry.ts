// The models of a gateway: which one an agent uses, and the Model object for it. Models are created on first use and
// kept; the code of a protocol is loaded then, or by `warm` once the gateway is ready.

import type { ModelPort } from '../../agent/run-parts.ts';
import { listAgentIds } from '../../config/agents.ts';
import type { EnvironmentVariables } from '../../config/home-dir.ts';
import { readLearnedModels } from '../../config/learned-models.ts';
import { checkModelAllowed, resolveModelAllowance } from '../../config/model-allowance.ts';
import { formatModelRef, type ModelChoice, parseModelRef, resolveModelChoice } from '../../config/model-choice.ts';
import { resolveModelFacts } from '../../config/model-facts.ts';
import { hasOwnParams, resolveModelParams } from '../../config/model-params.ts';
import { keyVariableOfAgent, type ProviderSettings, resolveProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import type { Model } from '../../models/model.ts';
import type { AttachmentSource } from '../../protocol/attachment.ts';
import { forgetOldest } from '../../protocol/forget-oldest.ts';
import type { RunWishes } from '../../protocol/inbound.ts';
import { isModelProtocol } from '../../protocol/model-protocol.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { loadProtocol } from './load-protocol.ts';

/** So many refusals are remembered; an older one may be said again. */
const MOST_SAID = 1_000;

export class ModelRegistry implements ModelPort {
  readonly #config: Config;
  readonly #variables: EnvironmentVariables;
  readonly #stateDir: string | undefined;
  readonly #attachments: AttachmentSource | undefined;
  readonly #now: () => number;
  readonly #models = new Map<string, Promise<Model>>();
  /** Agents with names of models that they may not be given and that somebody was told about. Webhooks name any model. */
  readonly #saidRefusals = new Map<string, true>();

  constructor(
    config: Config,
    environment: { readonly variables: EnvironmentVariables; readonly stateDir?: string },
    attachments?: AttachmentSource,
    now: () => number = Date.now,
  ) {
    this.#attachments = attachments;
    this.#config = config;
    this.#variables = environment.variables;
    this.#stateDir = environment.stateDir;
    this.#now = now;
  }

  choice(agentId: string): ModelChoice {
    return resolveModelChoice(this.#config, agentId, this.#variables);
  }

  /** The models of an agent, first choice first; those that were asked for by name stand before its own. */
  candidates(agentId: string, asked: readonly string[] = []): readonly ModelRef[] {
    const { primary, fallbacks } = this.choice(agentId);
    const refused = asked.length === 0 ? [] : this.#refused(agentId, asked);
    const wanted = asked.filter((name) => !refused.includes(name)).map((name) => parseModelRef(name, this.#config));
    const all = [...wanted, primary, ...fallbacks];
    return [...new Map(all.map((ref) => [formatModelRef(ref), ref])).values()];
  }

  wished(agentId: string, { model, fallbacks }: Pick<RunWishes, 'model' | 'fallbacks'>): readonly ModelRef[] {
    const own = this.choice(agentId);
    const refused = fallbacks === undefined ? [] : this.#refused(agentId, fallbacks);
    const all = [
      model === undefined ? own.primary : parseModelRef(model, this.#config),
      ...(fallbacks?.filter((name) => !refused.includes(name)).map((name) => parseModelRef(name, this.#config)) ??
        own.fallbacks),
    ];
    return [...new Map(all.map((ref) => [formatModelRef(ref), ref])).values()];
  }

  checkWished(agentId: string, name: string): void {
    if (this.#refused(agentId, [name]).length === 0) return;
    checkModelAllowed(this.#config, agentId, this.#variables, parseModelRef(name, this.#config));
  }

  refusedAnew(agentId: string, asked: readonly string[]): readonly string[] {
    const anew = this.#refused(agentId, asked).filter((name) => !this.#saidRefusals.has(`${agentId} ${name}`));
    for (const name of anew) this.#saidRefusals.set(`${agentId} ${name}`, true);
    forgetOldest(this.#saidRefusals, MOST_SAID);
    return anew;
  }

  /** Those of the names that the lists of the configuration do not allow the agent. */
  #refused(agentId: string, asked: readonly string[]): readonly string[] {
    const allowance = resolveModelAllowance(this.#config, agentId, this.#variables);
    if (allowance === undefined) return [];
    return asked.filter((name) => !allowance.mayUse(parseModelRef(name, this.#config)));
  }

  /** The entries of the list that limits which models may be chosen; undefined when any may be. */
  allowedEntries(agentId: string): readonly string[] | undefined {
    return resolveModelAllowance(this.#config, agentId, this.#variables)?.entries;
  }

  /** Rejects as `model` does when a model that a person or an agent names cannot be used, or may not be chosen. */
  async check(name: string, agentId: string): Promise<void> {
    const ref = parseModelRef(name, this.#config);
    checkModelAllowed(this.#config, agentId, this.#variables, ref);
    await this.model(ref, agentId);
  }

  /** The same for a name that a person types: it must be known too, unless the configuration already uses it. */
  async checkNamed(name: string, agentId: string): Promise<void> {
    const ref = parseModelRef(name, this.#config);
    checkModelAllowed(this.#config, agentId, this.#variables, ref);
    const used = listAgentIds(this.#config).flatMap((agentId) => this.candidates(agentId).map(formatModelRef));
    if (!used.includes(formatModelRef(ref))) {
      const { checkModelName } = await import('./check-model-name.ts');
      await checkModelName(name, this.#config, this.#stateDir);
    }
    await this.model(ref, agentId);
  }

  /** Rejects with an AtriumError when there is no such provider, no key for it, or its settings are not valid. */
  model(ref: ModelRef, agentId?: string): Promise<Model> {
    const isOwn =
      agentId !== undefined &&
      (keyVariableOfAgent(ref.provider, agentId) in this.#variables || hasOwnParams(this.#config, agentId));
    const name = `${formatModelRef(ref)}${isOwn ? ` ${agentId}` : ''}`;
    let model = this.#models.get(name);
    if (!model) {
      model = this.#make(ref, agentId);
      this.#models.set(name, model);
      // A variable or a setting may repair a provider that cannot be used now, so the failure is not cached.
      model.catch(() => this.#models.get(name) === model && this.#models.delete(name));
    }
    return model;
  }

  /** Makes every model anew when it is asked for next: its provider may have other settings now. */
  forget(): void {
    this.#models.clear();
    this.#saidRefusals.clear();
  }

  /**
   * Why an agent cannot use its first choice, one sentence each: no such provider, no key, settings that are not valid.
   */
  problems(): readonly string[] {
    const problems = listAgentIds(this.#config).flatMap((agentId) => {
      try {
        const { provider, model } = this.choice(agentId).primary;
        resolveProvider(this.#config, provider, this.#variables, agentId, model);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
    return [...new Set(problems)];
  }

  /** Loads what the agents' models need, so that the first message does not wait for it. Never rejects. */
  async warm(): Promise<void> {
    const apis = new Set(
      listAgentIds(this.#config)
        .flatMap((agentId) => this.candidates(agentId))
        .map((ref) => this.#apiOf(ref)),
    );
    await Promise.allSettled([...apis].map((api) => (isModelProtocol(api) ? loadProtocol(api) : undefined)));
  }

  async #make(ref: ModelRef, agentId: string | undefined): Promise<Model> {
    const settings = resolveProvider(this.#config, ref.provider, this.#variables, agentId, ref.model);
    const configured = settings.models.find(({ id }) => id === ref.model);
    const learned = this.#stateDir === undefined ? {} : await readLearnedModels(this.#stateDir);
    const params = resolveModelParams(this.#config, ref, agentId);
    const known = await resolveModelFacts(settings, ref.model, learned);
    const wire = {
      provider: ref.provider,
      model: ref.model,
      baseUrl: settings.baseUrl,
      apiKey: settings.apiKey,
      headers: settings.headers,
      sendsBearer: settings.sendsBearer,
      timeoutMs: settings.timeoutMs,
      contextWindow: known.contextWindow,
      contextWindowSource: configured?.contextWindow === undefined ? ('model' as const) : ('modelsConfig' as const),
      takesImages: known.takesImages,
      attachments: this.#attachments,
      maxTokens: params.maxTokens ?? configured?.maxTokens,
      temperature: params.temperature,
      topP: params.topP,
      prices: known.cost,
      now: this.#now,
    };
    if (settings.api === 'mirror') return (await import('../../models/mirror/mirror-model.ts')).createMirrorModel();
    return (await loadProtocol(settings.api))(wire);
  }

  /** A provider that cannot be used is reported to the caller that asks for its model. */
  #apiOf({ provider, model }: ModelRef): ProviderSettings['api'] | undefined {
    try {
      return resolveProvider(this.#config, provider, this.#variables, undefined, model).api;
    } catch {
      return undefined;
    }
  }
}
