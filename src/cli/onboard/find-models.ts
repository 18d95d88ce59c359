// The models that this machine could use at once: one for each key that is at hand, and those of servers on loopback. Asks
// known ports of this machine and no other server, and waits for none of them longer than a moment. A provider is asked for
// its list only when a person has chosen it.

import type { Environment } from '../../config/environment.ts';
import { loadCatalog } from '../../config/model-catalog/catalog.ts';
import { DEFAULT_MODELS, formatModelRef } from '../../config/model-choice.ts';
import { findApiKey, keyVariables, resolveProvider } from '../../config/model-provider.ts';
import type { Config } from '../../config/schema.ts';
import type { ModelRef } from '../../protocol/model-ref.ts';

export interface FoundModel {
  /** `provider/model`. */
  readonly name: string;
  /** Why it can be used, in a few words. */
  readonly because: string;
  /** The entry under `models.providers` that it needs, if any. */
  readonly provider?: ProviderEntry | undefined;
}

export interface ProviderEntry {
  readonly name: string;
  readonly settings: { readonly baseUrl: string; readonly models: readonly { readonly id: string }[] };
}

interface LocalServer {
  readonly provider: string;
  readonly title: string;
  readonly port: number;
}

const LOCAL_SERVERS: readonly LocalServer[] = [
  { provider: 'ollama', title: 'Ollama', port: 11_434 },
  { provider: 'lmstudio', title: 'LM Studio', port: 1_234 },
  { provider: 'llamacpp', title: 'llama.cpp', port: 8_080 },
];

/** The model that is proposed for a key of each provider. A person may choose another one of its list. */
export const PROPOSED_MODELS: readonly ModelRef[] = [
  ...DEFAULT_MODELS,
  { provider: 'google', model: 'gemini-pro-latest' },
  { provider: 'groq', model: 'openai/gpt-oss-120b' },
  { provider: 'deepseek', model: 'deepseek-v4-pro' },
  { provider: 'mistral', model: 'mistral-large-latest' },
  { provider: 'xai', model: 'grok-4.7' },
  { provider: 'together', model: 'openai/gpt-oss-120b' },
  { provider: 'fireworks', model: 'accounts/fireworks/models/gpt-oss-120b' },
];

const PATIENCE_MS = 1_000;
/** So many models of one server stand in the first question; the others are found under its address. */
const MOST_MODELS = 8;

export async function findModels(config: Config, environment: Environment): Promise<readonly FoundModel[]> {
  const { variables, origins } = environment;
  const byKey = PROPOSED_MODELS.filter(({ provider }) => findApiKey(config, provider, variables) !== undefined).map(
    (ref): FoundModel => {
      const variable = keyVariables(ref.provider).find((name) => variables[name]?.trim());
      const from =
        variable === undefined ? 'the configuration' : `${variable}, ${origins.get(variable) ?? 'the environment'}`;
      return { name: formatModelRef(ref), because: `a key is there: ${from}` };
    },
  );
  const local = await Promise.all(
    LOCAL_SERVERS.map(async ({ provider, title, port }) => {
      const baseUrl = provider === 'ollama' ? ollamaUrl(variables.OLLAMA_HOST, port) : `http://127.0.0.1:${port}/v1`;
      const ids = baseUrl === undefined ? [] : await listModels(baseUrl);
      const settings = { baseUrl: baseUrl ?? '', models: ids.map((id) => ({ id })) };
      return ids.slice(0, MOST_MODELS).map((id) => ({
        name: `${provider}/${id}`,
        because: `${title} runs here (${new URL(baseUrl ?? '').host})`,
        provider: { name: provider, settings },
      }));
    }),
  );
  return [...byKey, ...local.flat()];
}

/** The models of a provider for which a key is at hand: as it says itself, else as the catalog has them. */
export async function listProviderModels(
  config: Config,
  provider: string,
  variables: Environment['variables'],
): Promise<readonly string[]> {
  const { fetchModels } = await import('../../gateway/models/fetch-models.ts');
  const fetched = await fetchModels(resolveProvider(config, provider, variables));
  const known = 'models' in fetched && fetched.models.length > 0 ? fetched.models : await loadCatalog(provider);
  return known.map(({ id }) => id).filter(isModelId);
}

/** OLLAMA_HOST is the address at which Ollama listens; only one on this machine is asked. */
function ollamaUrl(given: string | undefined, port: number): string | undefined {
  const text = given?.trim() || `127.0.0.1:${port}`;
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, port: asked } = new URL(address);
  if (!/^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0)$/.test(hostname)) return undefined;
  return `http://127.0.0.1:${asked || port}/v1`;
}

/** What a server of OpenAI's kind says that it has; empty when there is none, or something else listens there. */
export async function listModels(baseUrl: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
    if (!response.ok) return [];
    const { data } = (await response.json()) as { data?: unknown };
    if (!Array.isArray(data)) return [];
    const ids = data.map((each: { id?: unknown } | null) => each?.id);
    return ids.filter(isModelId);
  } catch {
    return [];
  }
}

/** A name comes from a server and is shown in a terminal. */
function isModelId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w./:@-]{1,100}$/.test(id);
}
