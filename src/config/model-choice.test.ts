import { describe, expect, it } from 'vitest';
import { formatModelRef, resolveModelChoice } from './model-choice.ts';
import type { Config } from './schema.ts';

const MODELS = [{ id: 'qwen3' }, { id: 'gemma' }];

function choose(config: unknown, variables: Record<string, string> = {}, agentId = 'main') {
  const { primary, fallbacks, source } = resolveModelChoice(config as Config, agentId, variables);
  return { primary: formatModelRef(primary), fallbacks: fallbacks.map(formatModelRef), source };
}

describe('the model of an agent', () => {
  it('is Mirror on a machine with nothing', () => {
    expect(choose({})).toEqual({
      primary: 'mirror/mirror',
      fallbacks: [],
      source: 'No model is configured and no key was found.',
    });
  });

  it('is one of the provider whose key is in the environment', () => {
    expect(choose({}, { OPENROUTER_API_KEY: 'k' }).primary).toBe('openrouter/openrouter/auto');
    expect(choose({}, { OPENAI_API_KEY: 'k', OPENROUTER_API_KEY: 'k' }).primary).toBe('openai/gpt-5.4');
    expect(choose({}, { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' })).toEqual({
      primary: 'anthropic/claude-sonnet-4-6',
      fallbacks: [],
      source: 'No model is configured, and ANTHROPIC_API_KEY is set.',
    });
    expect(choose({}, { ANTHROPIC_API_KEY: ' ' }).primary).toBe('mirror/mirror');
  });

  it('is one of the provider whose key is in the configuration', () => {
    const config = { models: { providers: { anthropic: { apiKey: 'sk-ant-1' } } } };
    expect(choose(config)).toMatchObject({
      primary: 'anthropic/claude-sonnet-4-6',
      source: 'No model is configured, and models.providers.anthropic has a key.',
    });
    const listed = { models: { providers: { openai: { apiKey: 'sk-1', models: MODELS } } } };
    expect(choose(listed).primary).toBe('openai/qwen3');
  });

  it('is the first that a configured provider lists when there is no key', () => {
    const config = { models: { providers: { empty: { baseUrl: 'http://a' }, home: { models: MODELS } } } };
    expect(choose(config)).toMatchObject({
      primary: 'home/qwen3',
      source: 'No model is chosen, and models.providers.home lists this one first.',
    });
  });

  it('is what the configuration names, independent of the keys', () => {
    const config = { agents: { defaults: { model: 'home/qwen3' } } };
    expect(choose(config, { ANTHROPIC_API_KEY: 'k' })).toEqual({
      primary: 'home/qwen3',
      fallbacks: [],
      source: 'agents.defaults.model names it.',
    });
  });

  it('has the fallbacks that stand beside it, without repeats', () => {
    const model = { primary: 'anthropic/a', fallbacks: ['openai/b', 'anthropic/a', 'openai/b', ' ', 'mirror'] };
    expect(choose({ agents: { defaults: { model } } })).toMatchObject({
      primary: 'anthropic/a',
      fallbacks: ['openai/b', 'mirror/mirror'],
    });
  });

  it("is the agent's own where it has one, and then so are the fallbacks", () => {
    const config = {
      agents: {
        defaults: { model: { primary: 'anthropic/a', fallbacks: ['openai/b'] } },
        list: [{ id: 'main' }, { id: 'ana', model: 'home/qwen3' }, { id: 'ben', model: { fallbacks: ['home/gemma'] } }],
      },
    };
    expect(choose(config)).toMatchObject({ primary: 'anthropic/a', fallbacks: ['openai/b'] });
    expect(choose(config, {}, 'ana')).toEqual({
      primary: 'home/qwen3',
      fallbacks: [],
      source: 'The entry of agent "ana" names it.',
    });
    expect(choose(config, {}, 'ben')).toMatchObject({ primary: 'anthropic/a', fallbacks: ['home/gemma'] });
  });

  it('may be named without a provider', () => {
    const named = (model: string) =>
      choose({
        agents: { defaults: { model, models: { 'home/gemma': { alias: 'Small' }, 'anthropic/x': {} } } },
        models: { providers: { Home: { models: MODELS } } },
      }).primary;
    expect(named('mirror')).toBe('mirror/mirror');
    expect(named('gemma')).toBe('Home/gemma');
    expect(named('small')).toBe('Home/gemma');
    expect(named('claude-opus-5')).toBe('anthropic/claude-opus-5');
    expect(named('OpenRouter/meta/llama')).toBe('openrouter/meta/llama');
  });

  it('is found in a configuration that was not checked', () => {
    for (const config of [{ agents: 7 }, { agents: { defaults: { model: 7 } } }, { models: { providers: [7] } }]) {
      expect(choose(config).primary).toBe('mirror/mirror');
    }
    expect(choose({ agents: { defaults: { model: { primary: ' ', fallbacks: 'x' } } } }).primary).toBe('mirror/mirror');
  });
});
