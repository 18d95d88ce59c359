// Embeddings for API clients, made by a provider of the configuration with an API like OpenAI's. They belong to no run and
// no prompt: nothing of them is captured, and what they cost is a row of usage. The limits on spending count runs, so with
// limits they are refused, because they would pass them by.

import { resolveDefaultAgentId } from '../../config/agents.ts';
import type { EnvironmentVariables } from '../../config/home-dir.ts';
import { parseModelRef } from '../../config/model-choice.ts';
import { resolveModelFacts } from '../../config/model-facts.ts';
import { configuredModels, type ProviderSettings, resolveProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import { costOf } from '../../models/cost-of.ts';
import type { ModelFailure } from '../../models/model.ts';
import type { EmbeddingsRequest, MadeEmbeddings } from '../../models/openai-compatible/make-embeddings.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { newId } from '../../protocol/new-id.ts';
import type { SpendSettings } from '../../protocol/spend-limit.ts';
import { NO_USAGE } from '../../protocol/usage.ts';
import type { Store } from '../../store/store.ts';
import { EmbeddingsLimitedError, EmbeddingsModelError } from '../errors.ts';

export interface EmbeddingsParts {
  readonly config: Config;
  readonly variables: EnvironmentVariables;
  readonly store: Store;
  /** Undefined when there are no limits. */
  readonly spend: () => SpendSettings | undefined;
  readonly now: () => number;
}

export type Embedded = { readonly failure: ModelFailure } | (MadeEmbeddings & { readonly tokens: number });

/** What embeddings cost stands under this name in place of a session. */
export const EMBEDDINGS_KEY = 'embeddings';

export class Embeddings {
  readonly #parts: EmbeddingsParts;

  constructor(parts: EmbeddingsParts) {
    this.#parts = parts;
  }

  /** Rejects with EmbeddingsModelError or EmbeddingsLimitedError before anything is sent. */
  async make(name: string, request: EmbeddingsRequest, signal: AbortSignal): Promise<Embedded> {
    const { spend, now } = this.#parts;
    const { ref, settings } = this.#providerOf(name);
    const [limit] = spend()?.limits ?? [];
    if (limit) throw new EmbeddingsLimitedError({ setting: limit.setting });
    const { makeEmbeddings } = await import('../../models/openai-compatible/make-embeddings.ts');
    const { baseUrl, apiKey, headers, timeoutMs } = settings;
    const made = await makeEmbeddings({ ...ref, baseUrl, apiKey, headers, timeoutMs, now }, request, signal);
    if ('failure' in made) return made;
    const tokens = made.tokens ?? estimateInput(request);
    await this.#keepUsage(ref, settings, tokens);
    return { ...made, tokens };
  }

  #providerOf(name: string): { readonly ref: ModelRef; readonly settings: ProviderSettings } {
    const { config, variables } = this.#parts;
    const model = name.slice(0, 100);
    const ref = parseModelRef(name, config);
    const isNamed = name.includes('/') || ref.model !== name.trim();
    if (!isNamed && !configuredModels(config, ref.provider).some(({ id }) => id === ref.model))
      throw new EmbeddingsModelError({ model, problem: 'no provider of the configuration lists it' });
    const settings = readProvider(model, () => resolveProvider(config, ref.provider, variables));
    if (settings.api !== 'openai-completions' && settings.api !== 'openai-responses')
      throw new EmbeddingsModelError({
        model,
        problem: `${ref.provider} is called with the protocol ${settings.api}, which has no embeddings here`,
      });
    return { ref, settings };
  }

  async #keepUsage({ provider, model }: ModelRef, settings: ProviderSettings, input: number): Promise<void> {
    const { store, config, now } = this.#parts;
    const { cost: prices } = await resolveModelFacts(settings, model);
    const at = now();
    const row = {
      runId: newId('emb', at),
      sessionKey: EMBEDDINGS_KEY,
      sessionId: EMBEDDINGS_KEY,
      agentId: resolveDefaultAgentId(config),
      at,
      purpose: 'embeddings' as const,
      provider,
      model,
      input,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      // Nothing is written by the model, so its price for output does not matter.
      cost: costOf({ ...NO_USAGE, input }, prices && { output: 0, ...prices }) ?? null,
    };
    await store.commit([{ insert: 'usage', row }], { site: 'spend' });
  }
}

function readProvider(model: string, read: () => ProviderSettings): ProviderSettings {
  try {
    return read();
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    throw new EmbeddingsModelError({ model, problem: error.message.replace(/\.$/, '') }, { cause: error });
  }
}

/** Tokens are counted; texts are estimated. */
function estimateInput({ input }: EmbeddingsRequest): number {
  if (typeof input === 'string') return Math.ceil(estimateTokens(input));
  return Math.ceil(
    input.reduce<number>((sum, each) => {
      if (typeof each === 'number') return sum + 1;
      return sum + (typeof each === 'string' ? estimateTokens(each) : each.length);
    }, 0),
  );
}
