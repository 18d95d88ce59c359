// What is known of the models that people have in their files: window, output limit, input kinds and prices, as data with
// a date. The data of a provider is loaded when one of its models is looked up. It never decides which models exist: a
// name that is not listed is asked for all the same.

export interface CatalogModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  /** What it reads, such as `text` and `image`. */
  readonly input: readonly string[];
  /** In dollars for a million tokens; undefined when they are not known. */
  readonly cost?:
    | { readonly input: number; readonly output: number; cacheRead?: number; cacheWrite?: number }
    | undefined;
}

/** Id, window, limit, input kinds, then the prices of input, output, cache reads and cache writes; -1 is not known. */
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
  const [fresh, output, cacheRead = -1, cacheWrite = -1] = prices;
  const base = { id, contextWindow, maxTokens, input: input.split(' ') };
  if (fresh === undefined || output === undefined) return base;
  return {
    ...base,
    cost: {
      input: fresh,
      output,
      ...(cacheRead >= 0 && { cacheRead }),
      ...(cacheWrite >= 0 && { cacheWrite }),
    },
  };
}
