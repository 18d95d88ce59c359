import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { resolveModelFacts } from '../model-facts.ts';
import { keyVariables, knownProvider, knownProviders, resolveProvider } from '../model-provider.ts';
import type { Config } from '../schema.ts';
import { CATALOG_PROVIDERS, findInCatalog, loadCatalog } from './catalog.ts';
import { CATALOG_DATE, CATALOG_SOURCE } from './catalog-source.ts';

const facts = (provider: string, model: string, entry?: object) => {
  const config = (entry ? { models: { providers: { [provider]: entry } } } : {}) as Config;
  const variables = Object.fromEntries(keyVariables(provider).map((name) => [name, 'a-key']));
  return resolveModelFacts(resolveProvider(config, provider, variables), model);
};

describe('the catalog', () => {
  it('has models of every provider that has a list of its own, with a window, a limit and what they read', async () => {
    for (const provider of CATALOG_PROVIDERS) {
      const models = await loadCatalog(provider);
      expect(models.length, provider).toBeGreaterThan(1);
      expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
      for (const { id, contextWindow, maxTokens, input, cost } of models) {
        expect(contextWindow, id).toBeGreaterThan(0);
        expect(maxTokens, id).toBeGreaterThan(0);
        expect(input, id).toContain('text');
        const { tiers = [], ...ordinary } = cost ?? {};
        for (const prices of [ordinary, ...tiers]) {
          for (const price of Object.values(prices)) expect(price, id).toBeGreaterThanOrEqual(0);
        }
        expect(tiers, id).toEqual(tiers.toSorted((a, b) => a.from - b.from));
      }
    }
    expect(CATALOG_DATE).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(CATALOG_SOURCE).toMatch(/ \d/);
  });

  it('says nothing about a provider or a model that it does not have', async () => {
    expect(await loadCatalog('ollama')).toEqual([]);
    expect(await loadCatalog('constructor')).toEqual([]);
    expect(await findInCatalog('openai', 'gpt-nobody-knows')).toBeUndefined();
  });

  it('takes no unknown price for zero', async () => {
    for (const provider of CATALOG_PROVIDERS) {
      for (const { id, cost } of await loadCatalog(provider)) {
        if (cost?.input === 0 && cost.output === 0) expect(id).toMatch(/:free$/);
      }
    }
  });
});

describe('what is known of a model', () => {
  it('comes from the catalog, and its prices have a date', async () => {
    expect(await facts('openai', 'gpt-4.1')).toEqual({
      contextWindow: 1_047_576,
      maxTokens: 32_768,
      takesImages: true,
      cost: { input: 2, output: 8, cacheRead: 0.5 },
      priceDate: CATALOG_DATE,
    });
  });

  it('has the prices of long prompts too, where the provider has them', async () => {
    expect((await facts('google', 'gemini-2.5-pro')).cost).toEqual({
      ...{ input: 1.25, output: 10, cacheRead: 0.125 },
      tiers: [{ from: 200_001, input: 2.5, output: 15, cacheRead: 0.25 }],
    });
    const tieredPricing = [
      { range: [100], input: 2, output: 4 },
      { range: [10, 100], input: 1, output: 3, cacheRead: 0.5 },
      { range: [], input: 9 },
    ];
    const entry = { models: [{ id: 'gpt-4.1', cost: { input: 1, output: 2, tieredPricing } }] };
    expect((await facts('openai', 'gpt-4.1', entry)).cost).toEqual({
      ...{ input: 1, output: 2 },
      tiers: [
        { from: 10, input: 1, output: 3, cacheRead: 0.5 },
        { from: 100, input: 2, output: 4 },
      ],
    });
  });

  it('is what the configuration says, field by field, and its prices have no date', async () => {
    const entry = { models: [{ id: 'gpt-4.1', contextWindow: 9_000, input: ['text'], cost: { input: 1, output: 2 } }] };
    expect(await facts('openai', 'gpt-4.1', entry)).toEqual({
      contextWindow: 9_000,
      maxTokens: 32_768,
      takesImages: false,
      cost: { input: 1, output: 2 },
    });
  });

  it('is what its family has in common, without prices, when nothing else is known', async () => {
    expect(await facts('openai', 'gpt-5-nobody-knows')).toMatchObject({ contextWindow: 400_000, cost: undefined });
    expect(await facts('ollama', 'qwen3')).toMatchObject({ contextWindow: undefined, cost: undefined });
  });
});

describe('the table of providers in docs/models.md', () => {
  it('has every provider that needs no entry, with its protocol, its host and the variables of its key', async () => {
    const text = await readFile(new URL('../../../docs/models.md', import.meta.url), 'utf8');
    for (const provider of knownProviders()) {
      const known = knownProvider(provider);
      const row = text.split('\n').find((line) => line.startsWith(`| \`${provider}\` |`));
      expect(row, provider).toContain(`\`${known?.api}\``);
      expect(row, provider).toContain(new URL(known?.baseUrl ?? '').host);
      if (known?.needsKey) for (const name of keyVariables(provider)) expect(row, provider).toContain(`\`${name}\``);
    }
    expect(text).toContain(CATALOG_DATE);
    expect(text).toContain(CATALOG_SOURCE);
  });
});
