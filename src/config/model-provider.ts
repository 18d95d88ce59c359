// What is known about one model provider: its address, its protocol and its key. The configuration counts first, then
// the environment, then the short table below. It accepts what OpenClaw homes contain; a provider that cannot be used
// is an error that says what to set. This file does not talk to a provider.

import type { ModelPrices, Prices, PriceTier } from '../protocol/model-prices.ts';
import { isModelProtocol, MODEL_PROTOCOLS, type ModelProtocol } from '../protocol/model-protocol.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { MissingModelKeyError, ProviderSettingsError, UnknownProviderError } from './errors.ts';
import type { EnvironmentVariables } from './home-dir.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { unresolvedSecret } from './secrets/secret-reference.ts';

export interface ProviderSettings {
  readonly name: string;
  readonly api: ModelProtocol | 'mirror';
  /** The address with the version and without a slash at the end. It is empty for the built-in provider. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Set when the key is sent as `Authorization: Bearer`, whatever the protocol has for it. */
  readonly sendsBearer?: true | undefined;
  /** How long a model may send nothing. */
  readonly timeoutMs: number;
  readonly models: readonly ProviderModel[];
}

export interface ProviderModel {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** What it reads, such as `text` and `image`; undefined when the configuration does not say. */
  readonly input?: readonly string[] | undefined;
  readonly cost?: ModelPrices | undefined;
}

/** The built-in provider, which always exists. */
export const MIRROR_PROVIDER = 'mirror';

/**
 * With an agent, a key that this agent alone has counts before those of all. With a model, what its own entry says about
 * the protocol and the address counts before what its provider's entry says.
 */
export function resolveProvider(
  config: Config,
  provider: string,
  given: EnvironmentVariables,
  agentId?: string,
  model?: string,
): ProviderSettings {
  if (provider === MIRROR_PROVIDER) return MIRROR_SETTINGS;
  const own = agentId === undefined ? undefined : filled(given[keyVariableOfAgent(provider, agentId)]);
  const [first = ''] = keyVariables(provider);
  const variables = own === undefined ? given : { ...given, [first]: own };
  const entry = providerEntry(config, provider);
  const known = knownProvider(provider);
  if (!entry && !known) throw unknownProvider(config, provider);
  const place = placeOfModel(entry, model);
  const api = resolveApi(provider, place, known);
  const baseUrl = resolveBaseUrl(provider, place, known, api, variables);
  const apiKey = resolveApiKey(provider, entry, variables);
  const reason = apiKey === undefined ? reasonWithoutKey(entry) : undefined;
  if (reason !== undefined) {
    throw new ProviderSettingsError({ provider, setting: `models.providers.${provider}.apiKey`, problem: reason });
  }
  const isLeft = isPlainObject(entry?.apiKey) && entry.apiKey.source === 'exec';
  if (apiKey === undefined && known?.needsKey && !isLeft && !isLoopback(baseUrl)) {
    throw new MissingModelKeyError({ provider, variable: missingVariable(provider, entry) });
  }
  return {
    name: provider,
    api,
    baseUrl,
    apiKey,
    headers: resolveHeaders(entry, variables),
    ...(entry?.authHeader === true && { sendsBearer: true as const }),
    timeoutMs: positive(entry?.timeoutSeconds, DEFAULT_TIMEOUT_SECONDS) * 1000,
    models: providerModels(entry),
  };
}

/** Returns the names under `models.providers`, in their order. */
export function configuredProviders(config: Config): string[] {
  const providers: unknown = isPlainObject(config.models) ? config.models.providers : undefined;
  return isPlainObject(providers) ? Object.keys(providers).filter((name) => isPlainObject(providers[name])) : [];
}

/** The protocols in the configuration that are not spoken here. A provider with one is refused when it is used. */
export function listUnspokenApis(config: Config) {
  return configuredProviders(config).flatMap((provider) => {
    const api = providerEntry(config, provider)?.api;
    if (api === undefined || isModelProtocol(api)) return [];
    const at = ['models', 'providers', provider, 'api'];
    return [{ provider, at, found: `the text ${JSON.stringify(api)}`, expected: `one of ${spokenApis()}` }];
  });
}

/** Returns the names of the providers that need no entry. */
export function knownProviders(): readonly string[] {
  return Object.keys(KNOWN_PROVIDERS);
}

/** Returns the models that a provider's entry lists. */
export function configuredModels(config: Config, provider: string): readonly ProviderModel[] {
  return providerModels(providerEntry(config, provider));
}

/** Returns the key for a provider, from the configuration or the environment. */
export function findApiKey(config: Config, provider: string, variables: EnvironmentVariables): string | undefined {
  return resolveApiKey(provider, providerEntry(config, provider), variables);
}

/** What is known of a provider that needs no entry: for lists and documents. */
export function knownProvider(provider: string): KnownProvider | undefined {
  return Object.hasOwn(KNOWN_PROVIDERS, provider) ? KNOWN_PROVIDERS[provider] : undefined;
}

/** The variables in which the key of a provider is looked for, in this order. */
export function keyVariables(provider: string): readonly string[] {
  return [...(knownProvider(provider)?.keyVariables ?? []), keyVariable(provider)];
}

/** Returns for example `OPENROUTER_API_KEY` for `openrouter`. */
export function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
}

/**
 * Where the key stands that one agent alone has. No shell can set such a name, and no setting names it; its end says that
 * it is a secret.
 */
export function keyVariableOfAgent(provider: string, agentId: string): string {
  return `${agentId}@${keyVariable(provider)}`;
}

/** Returns the window in tokens: the configured one, else the one known for the family, else undefined. */
export function contextWindowOf(settings: Pick<ProviderSettings, 'models'>, model: string): number | undefined {
  const configured = settings.models.find(({ id }) => id === model)?.contextWindow;
  if (configured !== undefined) return configured;
  const name = model.slice(model.lastIndexOf('/') + 1);
  return CONTEXT_WINDOWS.find(([family]) => family.test(name))?.[1];
}

/** Whether a model reads images: as the configuration says, else as is known for the family, else not. */
export function takesImages(settings: Pick<ProviderSettings, 'models'>, model: string): boolean {
  const configured = settings.models.find(({ id }) => id === model)?.input;
  if (configured) return configured.includes('image');
  const name = model.slice(model.lastIndexOf('/') + 1);
  return SEEING_FAMILIES.some((family) => family.test(name));
}

/** Families in which every model reads images. */
const SEEING_FAMILIES: readonly RegExp[] = [
  /^claude-(?!2|instant)/,
  /^gpt-(?:4o|4\.1|4-turbo|5)/,
  /^chatgpt-4o/,
  /^o[134](?:-(?!mini)|$)/,
  /^gemini-/,
];

export interface KnownProvider {
  readonly api: ModelProtocol;
  readonly baseUrl: string;
  readonly baseUrlVariable?: string | undefined;
  /** Where the key is looked for beside `<NAME>_API_KEY`, which comes last. */
  readonly keyVariables?: readonly string[] | undefined;
  readonly needsKey: boolean;
}

const openAiLike = (baseUrl: string): KnownProvider => ({ api: 'openai-completions', baseUrl, needsKey: true });
const onThisMachine = (baseUrl: string): KnownProvider => ({ ...openAiLike(baseUrl), needsKey: false });

const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    api: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    needsKey: true,
  },
  openai: { ...openAiLike('https://api.openai.com/v1'), baseUrlVariable: 'OPENAI_BASE_URL' },
  google: {
    api: 'google-generative-ai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GEMINI_API_KEY'],
    needsKey: true,
  },
  openrouter: openAiLike('https://openrouter.ai/api/v1'),
  groq: openAiLike('https://api.groq.com/openai/v1'),
  deepseek: openAiLike('https://api.deepseek.com/v1'),
  mistral: openAiLike('https://api.mistral.ai/v1'),
  xai: openAiLike('https://api.x.ai/v1'),
  together: openAiLike('https://api.together.ai/v1'),
  fireworks: openAiLike('https://api.fireworks.ai/inference/v1'),
  ollama: onThisMachine('http://127.0.0.1:11434/v1'),
  lmstudio: onThisMachine('http://127.0.0.1:1234/v1'),
};

const MIRROR_SETTINGS: ProviderSettings = {
  name: MIRROR_PROVIDER,
  api: 'mirror',
  baseUrl: '',
  headers: {},
  timeoutMs: 0,
  models: [{ id: 'mirror' }],
};

const DEFAULT_TIMEOUT_SECONDS = 120;

/**
 * Families in which all models have the same window. Local servers decide theirs themselves, so they are not listed.
 */
const CONTEXT_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^claude-/, 200_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(?:gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000],
  [/^o[134](?:-|$)/, 200_000],
];

function providerEntry(config: Config, provider: string): PlainObject | undefined {
  const providers: unknown = isPlainObject(config.models) ? config.models.providers : undefined;
  const entry = isPlainObject(providers) && Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return isPlainObject(entry) ? entry : undefined;
}

function providerModels(entry: PlainObject | undefined): readonly ProviderModel[] {
  const models = entry?.models;
  if (!Array.isArray(models)) return [];
  return models.flatMap((model: unknown): ProviderModel[] => {
    if (!isPlainObject(model) || typeof model.id !== 'string' || model.id.trim() === '') return [];
    const contextWindow = positive(model.contextWindow, undefined);
    const maxTokens = positive(model.maxTokens, undefined);
    const input = Array.isArray(model.input) ? model.input.map(String) : undefined;
    const cost = isPlainObject(model.cost) ? pricesOf(model.cost) : undefined;
    return [{ id: model.id, contextWindow, maxTokens, ...(input && { input }), ...(cost && { cost }) }];
  });
}

const PRICES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

function pricesOf(cost: PlainObject): ModelPrices {
  const tiers = Array.isArray(cost.tieredPricing) ? cost.tieredPricing.flatMap(tierOf) : [];
  return { ...plainPricesOf(cost), ...(tiers.length > 0 && { tiers: tiers.toSorted((a, b) => a.from - b.from) }) };
}

/** A range is half open, and the next one begins where it ends, so its beginning says all. */
function tierOf(tier: unknown): readonly PriceTier[] {
  const [from]: readonly unknown[] = isPlainObject(tier) && Array.isArray(tier.range) ? tier.range : [];
  return isPlainObject(tier) && typeof from === 'number' && from >= 0 ? [{ ...plainPricesOf(tier), from }] : [];
}

function plainPricesOf(cost: PlainObject): Prices {
  const known = PRICES.filter((name) => typeof cost[name] === 'number' && cost[name] >= 0);
  return Object.fromEntries(known.map((name) => [name, cost[name]]));
}

export function unknownProvider(config: Config, provider: string): UnknownProviderError {
  const known = [...new Set([...configuredProviders(config), ...Object.keys(KNOWN_PROVIDERS), MIRROR_PROVIDER])];
  return new UnknownProviderError({ provider, known, suggestion: nearMatch(provider, known) });
}

/** Where a model is asked and how: what its own entry says, else what that of its provider says. */
interface ModelPlace {
  readonly api: unknown;
  readonly baseUrl: unknown;
  /** The setting below which the protocol stands. */
  readonly apiAt: string;
  readonly baseUrlAt: string;
}

function placeOfModel(entry: PlainObject | undefined, model: string | undefined): ModelPlace {
  const models: readonly unknown[] = Array.isArray(entry?.models) ? entry.models : [];
  const index = models.findIndex((each) => isPlainObject(each) && each.id === model);
  const own = model === undefined ? undefined : models[index];
  const { api, baseUrl } = isPlainObject(own) ? own : ({} as PlainObject);
  const at = `.models[${index}]`;
  return {
    api: api ?? entry?.api,
    baseUrl: filled(baseUrl) ?? entry?.baseUrl,
    apiAt: api === undefined ? '' : at,
    baseUrlAt: filled(baseUrl) === undefined ? '' : at,
  };
}

function resolveApi(
  provider: string,
  { api: given, apiAt }: ModelPlace,
  known: KnownProvider | undefined,
): ProviderSettings['api'] {
  if (given === undefined) return known?.api ?? 'openai-completions';
  if (isModelProtocol(given)) return given;
  throw new ProviderSettingsError({
    provider,
    setting: `models.providers.${provider}${apiAt}.api`,
    problem: `is ${JSON.stringify(given)}, and ${spokenApis()} are what can be spoken here`,
  });
}

function spokenApis(): string {
  return MODEL_PROTOCOLS.map((name) => `"${name}"`).join(', ');
}

function resolveBaseUrl(
  provider: string,
  place: ModelPlace,
  known: KnownProvider | undefined,
  api: ProviderSettings['api'],
  variables: EnvironmentVariables,
): string {
  const configured = filled(place.baseUrl);
  const fromEnvironment = known?.baseUrlVariable === undefined ? undefined : filled(variables[known.baseUrlVariable]);
  const given = configured ?? fromEnvironment ?? known?.baseUrl;
  const setting =
    configured === undefined && fromEnvironment !== undefined
      ? (known?.baseUrlVariable ?? '')
      : `models.providers.${provider}${place.baseUrlAt}.baseUrl`;
  if (given === undefined) throw new ProviderSettingsError({ provider, setting, problem: 'is missing' });
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new ProviderSettingsError({
      provider,
      setting,
      problem: 'is not an address such as "http://127.0.0.1:11434/v1"',
    });
  }
  if (/[?#]/.test(given)) {
    throw new ProviderSettingsError({
      provider,
      setting,
      problem: 'has a query or a fragment, which cannot be sent and would be shown. Write a key into apiKey or headers',
    });
  }
  return withVersion(given, api);
}

/**
 * Anthropic's own programs take the address without the version, and OpenAI's with it. Here both forms work for both,
 * unless an address for OpenAI's API has a path of its own, which may need no version.
 */
function withVersion(baseUrl: string, api: ProviderSettings['api']): string {
  const url = baseUrl.trim().replace(/\/+$/, '');
  if (api === 'anthropic-messages') return `${url.replace(/\/v1$/, '')}/v1`;
  if (api === 'google-generative-ai') return new URL(url).pathname === '/' ? `${url}/v1beta` : url;
  return new URL(url).pathname === '/' ? `${url}/v1` : url;
}

function resolveApiKey(
  provider: string,
  entry: PlainObject | undefined,
  variables: EnvironmentVariables,
): string | undefined {
  const usual = keyVariables(provider).map((name) => filled(variables[name]));
  return secretOf(entry?.apiKey, variables) ?? usual.find((key) => key !== undefined);
}

/**
 * Reads a key as a configuration may write it: the key itself, the name of a variable, or an object that names one.
 * Text that still looks like a variable that was not replaced is not a key.
 */
function secretOf(value: unknown, variables: EnvironmentVariables): string | undefined {
  if (isPlainObject(value)) {
    return value.source === 'env' && typeof value.id === 'string' ? filled(variables[value.id]) : undefined;
  }
  const given = filled(value);
  if (given === undefined || /^\$\{[^}]*\}$/.test(given)) return undefined;
  if (!/^[A-Z][A-Z0-9_]*$/.test(given)) return given;
  return filled(variables[given]) ?? (given.includes('_') ? undefined : given);
}

/** Why a reference to a secret gave no key; undefined where there is none, or where a gateway looks it up. */
function reasonWithoutKey(entry: PlainObject | undefined): string | undefined {
  const given = entry?.apiKey;
  if (!isPlainObject(given) || given.source === 'env' || typeof given.problem !== 'string') return undefined;
  return `gives no key. ${given.problem.replace(/\.$/, '')}`;
}

/** Returns the variable that the configuration names, else the usual one. */
function missingVariable(provider: string, entry: PlainObject | undefined): string {
  const given = entry?.apiKey;
  const wanted = isPlainObject(given) ? given.id : filled(given)?.replace(/^\$\{(.*)\}$/, '$1');
  return typeof wanted === 'string' && /^[A-Z][A-Z0-9_]*$/.test(wanted) ? wanted : (keyVariables(provider)[0] ?? '');
}

function resolveHeaders(entry: PlainObject | undefined, variables: EnvironmentVariables): Record<string, string> {
  if (!isPlainObject(entry?.headers)) return {};
  return Object.fromEntries(
    Object.entries(entry.headers).flatMap(([name, value]) => {
      const text = isPlainObject(value) ? secretOf(value, variables) : filled(value);
      // A variable that is not set is told when the configuration is loaded, and its name is never sent.
      return text === undefined || unresolvedSecret(text, name) !== undefined ? [] : [[name, text]];
    }),
  );
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

function filled(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}

function positive<Else>(value: unknown, otherwise: Else): number | Else {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise;
}
