// What is known of the models that people have in their files: window, output limit, input kinds and prices, as data with
// a date. The data of a provider is loaded when one of its models is looked up. It never decides which models exist: a
// name that is not listed is asked for all the same.

import type { ModelPrices, Prices, PriceTier } from '../../protocol/model-prices.ts';

export interface CatalogModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  /** What it reads, such as `text` and `image`. */
  readonly input: readonly string[];
  /** The prices in dollars for a million tokens; undefined when they are not known. */
  readonly cost?: ModelPrices | undefined;
}

/**
 * Id, window, limit, input kinds, then the prices of input, output, cache reads and cache writes; -1 is not known. Where
 * long prompts cost more, the tokens from which on they do follow, and the four prices then, once or more.
 */
export type CatalogRow = readonly [
  id: string,
  contextWindow: number,
  maxTokens: number,
  input: string,
  ...prices: number[],
];

/** The models of a provider, in the order of their names. A provider that is not in the catalog has none. */
export async function loadCatalog(provider: string): Promise<readonly CatalogModel[]> {
  const load = Object.hasOwn(LOADERS, provider) ? LOADERS[provider] : undefined;
  return load ? (await load()).MODELS.map(modelOf) : [];
}

export async function findInCatalog(provider: string, model: string): Promise<CatalogModel | undefined> {
  return (await loadCatalog(provider)).find(({ id }) => id === model);
}

export const CATALOG_PROVIDERS: readonly string[] = [
  ...['anthropic', 'deepseek', 'fireworks', 'google', 'groq', 'mistral', 'openai', 'openrouter', 'together', 'xai'],
];

const LOADERS: Readonly<Record<string, () => Promise<{ readonly MODELS: readonly CatalogRow[] }>>> = {
  anthropic: () => import('./anthropic.ts'),
  deepseek: () => import('./deepseek.ts'),
  fireworks: () => import('./fireworks.ts'),
  google: () => import('./google.ts'),
  groq: () => import('./groq.ts'),
  mistral: () => import('./mistral.ts'),
  openai: () => import('./openai.ts'),
  openrouter: () => import('./openrouter.ts'),
  together: () => import('./together.ts'),
  xai: () => import('./xai.ts'),
};

function modelOf([id, contextWindow, maxTokens, input, ...prices]: CatalogRow): CatalogModel {
  const base = { id, contextWindow, maxTokens, input: input.split(' ') };
  const cost = pricesAt(prices, 0);
  if (!cost) return base;
  const tiers: PriceTier[] = [];
  for (let at = BASE_PRICES; at < prices.length; at += 1 + BASE_PRICES) {
    tiers.push({ from: prices[at] ?? 0, ...pricesAt(prices, at + 1) });
  }
  return { ...base, cost: { ...cost, ...(tiers.length > 0 && { tiers }) } };
}

const BASE_PRICES = 4;

function pricesAt(prices: readonly number[], at: number): Prices | undefined {
  const [input, output, cacheRead = -1, cacheWrite = -1] = prices.slice(at, at + BASE_PRICES);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cacheRead >= 0 && { cacheRead }), ...(cacheWrite >= 0 && { cacheWrite }) };
}
