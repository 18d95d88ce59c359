// Embeddings for API clients, made by a provider of the configuration that has them. They belong to no run and no prompt:
// nothing of them is captured, and what they cost is a row of usage. Under limits on spending, what they may cost is reserved
// before and settled afterwards, as for the calls of runs.

import type { RunSpender } from '../../agent/spend/read-spender.ts';
import type { SpendParts } from '../../agent/spend/reserve-call.ts';
import { reserveEmbeddings } from '../../agent/spend/reserve-embeddings.ts';
import { NOTHING_USED, type SettledCall, settlementOf } from '../../agent/spend/run-spending.ts';
import { resolveDefaultAgentId } from '../../config/agents.ts';
import type { EnvironmentVariables } from '../../config/home-dir.ts';
import { parseModelRef } from '../../config/model-choice.ts';
import { resolveModelFacts } from '../../config/model-facts.ts';
import { configuredModels, type ProviderSettings, resolveProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import type {
  EmbeddingsAnswer,
  EmbeddingsRequest,
  EmbeddingsSettings,
  MadeEmbeddings,
} from '../../models/ask-for-embeddings.ts';
import { costOf } from '../../models/cost-of.ts';
import type { ModelFailure } from '../../models/model.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { ModelPrices } from '../../protocol/model-prices.ts';
import type { ModelProtocol } from '../../protocol/model-protocol.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';
import { billionthsOf } from '../../protocol/money.ts';
import { newId } from '../../protocol/new-id.ts';
import { ownedId } from '../../protocol/owned-id.ts';
import { NO_USAGE } from '../../protocol/usage.ts';
import type { ReservationRow } from '../../store/tables.ts';
import { EmbeddingsModelError } from '../errors.ts';
import { DEFAULT_USER, peerIdOf } from '../http/receive-once.ts';

export interface EmbeddingsParts extends Omit<SpendParts, 'models'> {
  readonly config: Config;
  readonly variables: EnvironmentVariables;
  /** The member of the cluster that this node is. */
  readonly memberId?: (() => string | null) | undefined;
}

export type Embedded = { readonly failure: ModelFailure } | (MadeEmbeddings & { readonly tokens: number });

/** What embeddings cost stands under this name in place of a session. */
export const EMBEDDINGS_KEY = 'embeddings';

export class Embeddings {
  readonly #parts: EmbeddingsParts;

  constructor(parts: EmbeddingsParts) {
    this.#parts = parts;
  }

  /** Rejects with EmbeddingsModelError, SpendLimitError or UnknownPriceError before anything is sent. */
  async make(name: string, request: EmbeddingsRequest, signal: AbortSignal): Promise<Embedded> {
    const { now } = this.#parts;
    const { ref, settings, ask } = await this.#providerOf(name, request);
    const { cost } = await resolveModelFacts(settings, ref.model);
    const id = ownedId(newId('emb', now()), this.#parts.memberId?.());
    // Nothing is written by the model, so its price for output does not matter.
    const call: PricedCall = { id, ref, prices: cost && { output: 0, ...cost } };
    const most = mostTokens(request);
    const spender = this.#spenderOf(id, request);
    const reservation = await reserveEmbeddings(this.#parts, { ...call, model: ref, tokens: most, spender });
    const { baseUrl, apiKey, sendsBearer, headers, timeoutMs } = settings;
    const made = await ask({ ...ref, baseUrl, apiKey, sendsBearer, headers, timeoutMs, now }, request, signal);
    if (!('failure' in made)) {
      const tokens = made.tokens ?? estimateInput(request);
      await this.#settle(call, tokens, reservation);
      return { ...made, tokens };
    }
    // A call that failed is not charged by providers; one that the client broke off may be.
    if (reservation) await this.#giveBack(reservation, signal.aborted ? usedFor(call, most) : NOTHING_USED);
    return made;
  }

  async #providerOf(
    name: string,
    { input }: EmbeddingsRequest,
  ): Promise<{ readonly ref: ModelRef; readonly settings: ProviderSettings; readonly ask: MakeEmbeddings }> {
    const { config, variables } = this.#parts;
    const model = name.slice(0, 100);
    const ref = parseModelRef(name, config);
    const isNamed = name.includes('/') || ref.model !== name.trim();
    if (!isNamed && !configuredModels(config, ref.provider).some(({ id }) => id === ref.model))
      throw new EmbeddingsModelError({ model, problem: 'no provider of the configuration lists it' });
    const settings = readProvider(model, () => resolveProvider(config, ref.provider, variables, undefined, ref.model));
    const load = LOADERS[settings.api];
    if (!load)
      throw new EmbeddingsModelError({
        model,
        problem: `${ref.provider} is called with the protocol ${settings.api}, which has no embeddings`,
      });
    if (settings.api === 'google-generative-ai' && (typeof input === 'string' ? [input] : input).some(isNoText))
      throw new EmbeddingsModelError({
        model,
        problem: 'the input is a list of tokens, and the protocol google-generative-ai takes texts only',
      });
    return { ref, settings, ask: await load() };
  }

  /** The counters in which it is counted: as a session of its own, and as a sender by the name of the user. */
  #spenderOf(id: string, { user = DEFAULT_USER }: EmbeddingsRequest): RunSpender {
    const { config, now } = this.#parts;
    const agent = resolveDefaultAgentId(config);
    const sender = `api:${peerIdOf(user)}`;
    return { agent, session: EMBEDDINGS_KEY, sender, sessionId: id, startedAt: now() };
  }

  async #settle(call: PricedCall, input: number, reservation: ReservationRow | undefined): Promise<void> {
    const { store, config, now } = this.#parts;
    const { id, ref, prices } = call;
    const row = {
      runId: id,
      sessionKey: EMBEDDINGS_KEY,
      sessionId: EMBEDDINGS_KEY,
      agentId: resolveDefaultAgentId(config),
      at: now(),
      purpose: 'embeddings' as const,
      ...ref,
      input,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      cost: costOf({ ...NO_USAGE, input }, prices) ?? null,
    };
    const settled = reservation ? settlementOf(reservation, usedFor(call, input)) : [];
    await store.commit([{ insert: 'usage', row }, ...settled], { site: 'spend' });
  }

  async #giveBack(reservation: ReservationRow, used: SettledCall): Promise<void> {
    await this.#parts.store.commit(settlementOf(reservation, used), { site: 'spend' });
  }
}

type MakeEmbeddings = (
  settings: EmbeddingsSettings,
  request: EmbeddingsRequest,
  signal: AbortSignal,
) => Promise<EmbeddingsAnswer>;

const ofOpenAi = async () => (await import('../../models/openai-compatible/make-embeddings.ts')).makeEmbeddings;

const LOADERS: Readonly<Partial<Record<ModelProtocol | 'mirror', () => Promise<MakeEmbeddings>>>> = {
  'openai-completions': ofOpenAi,
  'openai-responses': ofOpenAi,
  'google-generative-ai': async () => (await import('../../models/google/make-embeddings.ts')).makeEmbeddings,
};

interface PricedCall {
  readonly id: string;
  readonly ref: ModelRef;
  readonly prices: ModelPrices | undefined;
}

function usedFor({ prices }: PricedCall, tokens: number): SettledCall {
  const cost = costOf({ ...NO_USAGE, input: tokens }, prices);
  return { money: cost === undefined ? 0 : billionthsOf(cost), tokens, unpriced: cost === undefined ? 1 : 0 };
}

function isNoText(input: unknown): boolean {
  return typeof input !== 'string';
}

function readProvider(model: string, read: () => ProviderSettings): ProviderSettings {
  try {
    return read();
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    throw new EmbeddingsModelError({ model, problem: error.message.replace(/\.$/, '') }, { cause: error });
  }
}

/** The marks around the texts count too, so that the estimate is rather too high than too low. */
function mostTokens(request: EmbeddingsRequest): number {
  return Math.max(estimateInput(request), Math.ceil(estimateTokens(JSON.stringify(request.input))));
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
