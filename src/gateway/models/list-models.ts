// The models that matter here: those that agents use, those that the configuration lists and, when asked for, all that the
// catalog or the provider itself has. For each: what it holds and costs, where its key comes from, who uses it. A look-up;
// no provider is asked.

import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import { type LearnedModels, readLearnedModels } from '../../config/learned-models.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { resolveModelAllowance } from '../../config/model-allowance.ts';
import { CATALOG_PROVIDERS, loadCatalog } from '../../config/model-catalog/catalog.ts';
import { formatModelRef, parseModelRef, resolveModelChoice } from '../../config/model-choice.ts';
import { resolveModelFacts } from '../../config/model-facts.ts';
import {
  configuredModels,
  configuredProviders,
  keyVariable,
  keyVariables,
  knownProvider,
  knownProviders,
  MIRROR_PROVIDER,
  type ProviderModel,
  type ProviderSettings,
  resolveProvider,
  unknownProvider,
} from '../../config/model-provider.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';

export interface ListedModel extends ModelRef {
  /** Null when the provider cannot be used. */
  readonly api: string | null;
  readonly contextWindow: number | null;
  readonly maxTokens: number | null;
  readonly takesImages: boolean;
  /** The prices in dollars for a million tokens; null when they are not known. */
  readonly cost: ProviderModel['cost'] | null;
  /** The day of the catalog that the prices come from; null for prices of the configuration. */
  readonly priceDate: string | null;
  /** Where the key comes from, or that none is needed, that one is missing, or that none is set and perhaps none is needed. */
  readonly key: string;
  /** Why it cannot be used, with the next step; null when it can. */
  readonly problem: string | null;
  readonly agents: readonly string[];
}

export interface ModelQuestion {
  /** Also what the catalog and the provider's own list have. */
  readonly all?: boolean | undefined;
  readonly provider?: string | undefined;
  /** Only the models that may be chosen for this agent, and its own. */
  readonly allowedFor?: string | undefined;
}

/** `environment` has the variables that loading the configuration found. */
export async function listModels(
  loaded: LoadedConfig,
  environment: Environment,
  { all = false, provider, allowedFor }: ModelQuestion = {},
): Promise<readonly ListedModel[]> {
  const { config } = loaded;
  const learned = await readLearnedModels(environment.stateDir);
  if (provider !== undefined && !listableProviders(loaded).includes(provider)) throw unknownProvider(config, provider);
  const users = usersOf(loaded, environment);
  const refs = new Map<string, ModelRef>();
  const add = (ref: ModelRef) => refs.set(formatModelRef(ref), ref);
  for (const { ref } of users) add(ref);
  for (const name of configuredProviders(config))
    for (const { id } of configuredModels(config, name)) add({ provider: name, model: id });
  if (all || provider !== undefined) {
    for (const name of provider === undefined ? listableProviders(loaded) : [provider])
      for (const model of await namesOf(name, learned)) add({ provider: name, model });
  }
  const allowance =
    allowedFor === undefined ? undefined : resolveModelAllowance(config, allowedFor, environment.variables);
  // What a list names exactly may be chosen although no catalog has it.
  for (const entry of allowance?.entries ?? []) if (!entry.endsWith('/*')) add(parseModelRef(entry, config));
  const isWanted = (ref: ModelRef) =>
    (provider === undefined || ref.provider === provider) && (allowance === undefined || allowance.mayUse(ref));
  const wanted = [...refs.values()].filter(isWanted);
  return Promise.all(wanted.map((ref) => describe(ref, loaded, environment, users, learned)));
}

/** The names of a provider's models that are known from the configuration, the catalog and its own list. */
export async function knownModelNames(
  { config }: Pick<LoadedConfig, 'config'>,
  { stateDir }: { readonly stateDir: string | undefined },
  provider: string,
): Promise<readonly string[]> {
  const learned = stateDir === undefined ? {} : await readLearnedModels(stateDir);
  const configured = configuredModels(config, provider).map(({ id }) => id);
  return [...new Set([...configured, ...(await namesOf(provider, learned))])];
}

async function namesOf(provider: string, learned: LearnedModels): Promise<readonly string[]> {
  const listed = (await loadCatalog(provider)).map(({ id }) => id);
  return [...new Set([...listed, ...(learned[provider]?.models ?? []).map(({ id }) => id)])];
}

/** Every provider that can be named. */
export function listableProviders({ config }: Pick<LoadedConfig, 'config'>): readonly string[] {
  return [...new Set([...configuredProviders(config), ...knownProviders(), ...CATALOG_PROVIDERS, MIRROR_PROVIDER])];
}

interface ModelUser {
  readonly agentId: string;
  readonly ref: ModelRef;
  readonly isFallback: boolean;
}

function usersOf({ config }: LoadedConfig, { variables }: Environment): readonly ModelUser[] {
  return listAgentIds(config).flatMap((agentId) => {
    const { primary, fallbacks } = resolveModelChoice(config, agentId, variables);
    return [
      { agentId, ref: primary, isFallback: false },
      ...fallbacks.map((ref) => ({ agentId, ref, isFallback: true })),
    ];
  });
}

async function describe(
  ref: ModelRef,
  loaded: LoadedConfig,
  environment: Environment,
  users: readonly ModelUser[],
  learned: LearnedModels,
): Promise<ListedModel> {
  const own = users.filter((user) => formatModelRef(user.ref) === formatModelRef(ref));
  const found = settingsOf(loaded, ref, environment, own[0]?.agentId);
  const facts = await resolveModelFacts(
    found.settings ?? { name: ref.provider, models: configuredModels(loaded.config, ref.provider) },
    ref.model,
    learned,
  );
  return {
    ...ref,
    api: found.settings?.api ?? null,
    contextWindow: facts.contextWindow ?? null,
    maxTokens: facts.maxTokens ?? null,
    takesImages: facts.takesImages,
    cost: facts.cost ?? null,
    priceDate: facts.priceDate ?? null,
    key: keyOf(ref.provider, loaded, found.settings, own[0]?.agentId),
    problem: found.problem ?? null,
    agents: own.map(({ agentId, isFallback }) => (isFallback ? `${agentId} (fallback)` : agentId)),
  };
}

function settingsOf(
  { config }: LoadedConfig,
  { provider, model }: ModelRef,
  { variables }: Environment,
  agentId: string | undefined,
): { readonly settings?: ProviderSettings; readonly problem?: string } {
  try {
    return { settings: resolveProvider(config, provider, variables, agentId, model) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** As the first agent asks that uses the model. */
function keyOf(
  provider: string,
  { keys }: LoadedConfig,
  settings: ProviderSettings | undefined,
  agentId: string | undefined,
): string {
  if (provider === MIRROR_PROVIDER) return 'none needed';
  const setting = `models.providers.${provider}.apiKey`;
  const found =
    keys.find(({ key }) => key === setting) ??
    [`${keyVariable(provider)} of the agent ${agentId}`, ...keyVariables(provider)]
      .map((name) => keys.find(({ key }) => key === name))
      .find((each) => each !== undefined);
  if (found && found.problem === undefined) return found.key === setting ? found.from : `${found.key}, ${found.from}`;
  if (settings?.apiKey !== undefined) return 'the configuration';
  if (found || !settings) return 'missing';
  const known = knownProvider(provider);
  return known && !known.needsKey ? 'none needed' : 'not set';
}
