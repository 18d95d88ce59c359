import { describe, expect, it } from 'vitest';
import { contextWindowOf, resolveProvider } from './model-provider.ts';
import type { Config } from './schema.ts';

function resolve(provider: string, entry?: unknown, variables: Record<string, string> = {}) {
  const config = (entry === undefined ? {} : { models: { providers: { [provider]: entry } } }) as Config;
  return resolveProvider(config, provider, variables);
}

describe('a provider', () => {
  it('that is well known needs a key and nothing else', () => {
    expect(resolve('anthropic', undefined, { ANTHROPIC_API_KEY: ' sk-ant-1 ' })).toEqual({
      name: 'anthropic',
      api: 'anthropic-messages',
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: 'sk-ant-1',
      headers: {},
      timeoutMs: 120_000,
      models: [],
    });
    expect(resolve('openai', undefined, { OPENAI_API_KEY: 'k' }).baseUrl).toBe('https://api.openai.com/v1');
    expect(resolve('openrouter', undefined, { OPENROUTER_API_KEY: 'k' }).baseUrl).toBe('https://openrouter.ai/api/v1');
  });

  it('at home needs no key', () => {
    expect(resolve('ollama')).toMatchObject({ baseUrl: 'http://127.0.0.1:11434/v1', apiKey: undefined });
    expect(resolve('llama.cpp', { baseUrl: 'http://127.0.0.1:8080' })).toMatchObject({
      api: 'openai-completions',
      baseUrl: 'http://127.0.0.1:8080/v1',
    });
    expect(resolve('anthropic', { baseUrl: 'http://127.0.0.1:4000' }).apiKey).toBeUndefined();
  });

  it('without the key that it wants says which variable to set', () => {
    const refused = (entry?: unknown) => () => resolve('anthropic', entry);
    expect(refused()).toThrow(
      'There is no API key for anthropic. Set ANTHROPIC_API_KEY in the environment, or models.providers.anthropic.apiKey in the configuration.',
    );
    expect(refused({ apiKey: `\${TEAM_KEY}` })).toThrow('Set TEAM_KEY in the environment');
    expect(refused({ apiKey: 'TEAM_KEY' })).toThrow('Set TEAM_KEY in the environment');
    expect(refused({ apiKey: { source: 'env', id: 'TEAM_KEY' } })).toThrow('Set TEAM_KEY in the environment');
    expect(refused({ apiKey: { source: 'file', id: '/key' } })).toThrow('Set ANTHROPIC_API_KEY in the environment');
  });

  it('takes its key from the configuration, which may name a variable, before the usual one', () => {
    const variables = { TEAM_KEY: 'team', HOME_API_KEY: 'usual' };
    const keyOf = (apiKey: unknown) => resolve('home', { baseUrl: 'http://h/v1', apiKey }, variables).apiKey;
    expect(keyOf('sk-1')).toBe('sk-1');
    expect(keyOf('TEAM_KEY')).toBe('team');
    expect(keyOf({ source: 'env', provider: 'default', id: 'TEAM_KEY' })).toBe('team');
    expect(keyOf(`\${TEAM_KEY}`)).toBe('usual');
    expect(keyOf('EMPTY')).toBe('EMPTY');
    expect(keyOf(undefined)).toBe('usual');
    expect(resolve('my-proxy 2', { baseUrl: 'http://h/v1' }, { MY_PROXY_2_API_KEY: 'k' }).apiKey).toBe('k');
  });

  it('is where the configuration says, else where the environment says', () => {
    const variables = {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9000/',
      OPENAI_BASE_URL: 'http://o/api',
    };
    const at = (provider: string, baseUrl?: string) =>
      resolve(provider, { apiKey: 'k-1', ...(baseUrl ? { baseUrl } : {}) }, variables).baseUrl;
    expect(at('anthropic')).toBe('http://127.0.0.1:9000/v1');
    expect(at('anthropic', 'https://proxy.example/anthropic')).toBe('https://proxy.example/anthropic/v1');
    expect(at('anthropic', 'https://proxy.example/v1/')).toBe('https://proxy.example/v1');
    expect(at('openai')).toBe('http://o/api');
    expect(at('openai', 'http://127.0.0.1:8000/')).toBe('http://127.0.0.1:8000/v1');
  });

  it('that is unknown is an error with the likely name', () => {
    expect(() => resolve('antropic')).toThrow('There is no model provider "antropic". Did you mean "anthropic"?');
    expect(() => resolve('x')).toThrow(
      'Known: anthropic, openai, google, openrouter, groq, deepseek, mistral, xai, together, fireworks, ollama, lmstudio, mirror.',
    );
    expect(() => resolve('constructor')).toThrow('There is no model provider "constructor".');
    const config = { models: { providers: { home: { baseUrl: 'http://h/v1' } } } } as unknown as Config;
    expect(() => resolveProvider(config, 'hom', {})).toThrow('Did you mean "home"?');
  });

  it('with settings that cannot work says which', () => {
    expect(() => resolve('home', {})).toThrow(
      'The model provider "home" cannot be used: models.providers.home.baseUrl is missing.',
    );
    expect(() => resolve('home', { baseUrl: 'file:///etc/passwd' })).toThrow('is not an address such as');
    expect(() => resolve('openai', undefined, { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'nonsense' })).toThrow(
      'OPENAI_BASE_URL is not an address such as',
    );
    expect(() => resolve('home', { baseUrl: 'http://h/v1?key=hunter2' })).toThrow(
      /baseUrl has a query or a fragment, which cannot be sent and would be shown\. (?!.*hunter2)/,
    );
    expect(() => resolve('home', { baseUrl: 'http://h', api: 'bedrock-converse' })).toThrow(
      'models.providers.home.api is "bedrock-converse"',
    );
  });

  it('carries its headers, its patience and its models', () => {
    const entry = {
      baseUrl: 'http://h/v1',
      api: 'anthropic-messages',
      headers: { 'x-team': 'blue', 'x-pass': { source: 'env', id: 'PASS' }, 'x-none': 7 },
      timeoutSeconds: 5,
      models: [{ id: 'a', contextWindow: 32_000, maxTokens: 900 }, { id: '' }, 'b', { id: 'c', contextWindow: -1 }],
    };
    expect(resolve('home', entry, { PASS: 'p' })).toMatchObject({
      api: 'anthropic-messages',
      headers: { 'x-team': 'blue', 'x-pass': 'p' },
      timeoutMs: 5_000,
      models: [
        { id: 'a', contextWindow: 32_000, maxTokens: 900 },
        { id: 'c', contextWindow: undefined, maxTokens: undefined },
      ],
    });
    expect(resolve('home', { baseUrl: 'http://h/v1', api: 'openai-responses' }).api).toBe('openai-responses');
  });

  it('that is Mirror is always there', () => {
    expect(resolve('mirror')).toMatchObject({ api: 'mirror' });
  });
});

describe('the context window of a model', () => {
  it('is what is configured, else what its family has, else not known', () => {
    const home = resolve('home', { baseUrl: 'http://h/v1', models: [{ id: 'claude-x', contextWindow: 1_000 }] });
    expect(contextWindowOf(home, 'claude-x')).toBe(1_000);
    expect(contextWindowOf(home, 'anthropic/claude-sonnet-4-6')).toBe(200_000);
    expect(contextWindowOf(home, 'gpt-4o-mini')).toBe(128_000);
    expect(contextWindowOf(home, 'qwen3')).toBeUndefined();
  });
});
