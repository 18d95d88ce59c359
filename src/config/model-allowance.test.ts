import { describe, expect, it } from 'vitest';
import { checkModelAllowed, resolveModelAllowance } from './model-allowance.ts';
import { parseModelRef } from './model-choice.ts';
import type { Config } from './schema.ts';

const MODELS = { 'openai/gpt-5.4': { alias: 'GPT' }, 'anthropic/claude-opus-4-6': {} };
const may = (config: Config, name: string, agentId = 'main') =>
  resolveModelAllowance(config, agentId, {})?.mayChoose(parseModelRef(name, config)) ?? true;

describe('the models that may be chosen', () => {
  it.each([
    ['openai/gpt-5.4', true],
    ['gpt', true],
    ['OpenAI/GPT-5.4', true],
    ['openai/gpt-5.5', false],
    ['groq/gpt-5.4', false],
    ['anthropic/claude-sonnet-4-6', true],
    ['anthropic/claude-haiku-4-5', true],
    ['mirror', false],
  ])('are those of agents.defaults.models, and those of the agent itself: %s is %s', (name, allowed) => {
    const model = { primary: 'anthropic/claude-sonnet-4-6', fallbacks: ['anthropic/claude-haiku-4-5'] };
    expect(may({ agents: { defaults: { model, models: MODELS } } }, name)).toBe(allowed);
  });

  it('are all of a provider, or all below a name, where the entry ends with a star', () => {
    const config = { agents: { defaults: { models: { 'vllm/*': {}, 'openrouter/meta/*': {} } } } };
    expect(['vllm/any', 'openrouter/meta/llama', 'openrouter/x/y'].map((name) => may(config, name))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    // The entries, whether the first choice of the agent may be chosen, and whether its fallback may be.
    [['vllm/*'], false, false],
    [['anthropic/*'], true, false],
    [['vllm/*', 'openai/gpt-5.4'], false, true],
    [['anthropic/*', 'openai/gpt-5.4'], true, true],
    [['openai/gpt-5.4'], true, true],
  ])('include those of the agent itself as in OpenClaw: with %j, %s and %s', (entries, primary, fallback) => {
    const model = { primary: 'anthropic/claude-sonnet-4-6', fallbacks: ['groq/llama'] };
    const models = Object.fromEntries(entries.map((entry) => [entry, {}]));
    const config = { agents: { defaults: { model, models } } };
    expect(may(config, 'anthropic/claude-sonnet-4-6')).toBe(primary);
    expect(may(config, 'groq/llama')).toBe(fallback);
    const allowance = resolveModelAllowance(config, 'main', {});
    expect(allowance?.mayUse(parseModelRef('groq/llama', config))).toBe(true);
  });

  it('are those of modelPolicy where there is one, for all agents or for one, and then no others', () => {
    const config: Config = {
      agents: {
        defaults: {
          model: 'anthropic/claude-sonnet-4-6',
          models: MODELS,
          modelPolicy: { allow: ['GPT', 'ollama/*'] },
        },
        list: [
          { id: 'main' },
          { id: 'free', modelPolicy: { allow: [] } },
          { id: 'own', modelPolicy: { allow: ['xai/grok'] } },
        ],
      },
    };
    expect(may(config, 'openai/gpt-5.4')).toBe(true);
    expect(may(config, 'ollama/qwen3')).toBe(true);
    expect(may(config, 'anthropic/claude-opus-4-6')).toBe(false);
    expect(may(config, 'anthropic/claude-sonnet-4-6')).toBe(false);
    expect(may(config, 'anthropic/claude-opus-4-6', 'free')).toBe(true);
    expect(may(config, 'xai/grok', 'own')).toBe(true);
    expect(may(config, 'openai/gpt-5.4', 'own')).toBe(false);
    // A run of the agent still uses what the configuration gives it.
    const allowance = resolveModelAllowance(config, 'main', {});
    expect(allowance?.mayUse(parseModelRef('anthropic/claude-sonnet-4-6', config))).toBe(true);
  });

  it('are any without a list, with an empty one, and with a policy that has none', () => {
    for (const defaults of [
      {},
      { models: {} },
      { modelPolicy: { allow: [] }, models: MODELS },
      { modelPolicy: {}, models: MODELS },
    ])
      expect(may({ agents: { defaults } }, 'groq/x')).toBe(true);
  });

  it('are any in a configuration that newer versions of OpenClaw have marked, unless it has a policy', () => {
    const meta = { migrations: { modelPolicyAllowlist: true } };
    const marked = (defaults: object) => ({ meta, agents: { defaults } }) as Config;
    expect(may(marked({ models: MODELS }), 'groq/x')).toBe(true);
    expect(may(marked({ models: MODELS, modelPolicy: { allow: ['gpt'] } }), 'groq/x')).toBe(false);
  });

  it('are named when another one is asked for, with the setting that lists them', () => {
    const config = { agents: { defaults: { models: MODELS } } };
    expect(() => checkModelAllowed(config, 'main', {}, { provider: 'groq', model: 'x' })).toThrow(
      'The model groq/x is not among those that may be chosen. agents.defaults.models has openai/gpt-5.4, anthropic/claude-opus-4-6.',
    );
  });
});
