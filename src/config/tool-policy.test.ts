import { describe, expect, it } from 'vitest';
import type { Config } from './schema.ts';
import { listPluginIds, listToolPlaces, toolPolicyOf } from './tool-policy.ts';

const config: Config = {
  tools: {
    deny: ['exec'],
    byProvider: { OpenAI: { deny: ['write'] }, 'openai/gpt-5': { profile: 'minimal' } },
    subagents: { tools: { deny: ['edit'] } },
  },
  agents: { list: [{ id: 'Coder', tools: { profile: 'coding', byProvider: { openrouter: { allow: ['read'] } } } }] },
};

describe('what a configuration says about tools', () => {
  it('is read for one agent, with the place of each list', () => {
    expect(toolPolicyOf(config, { agentId: 'coder' })).toMatchObject({
      global: { place: 'tools', deny: ['exec'] },
      agent: { place: 'agents.list[coder].tools', profile: 'coding' },
      globalProvider: undefined,
      agentProvider: undefined,
      subagent: undefined,
    });
    expect(toolPolicyOf(config, { agentId: 'other' }).agent).toBeUndefined();
    expect(toolPolicyOf({}, { agentId: 'main' })).toEqual({});
  });

  it.each([
    ['openai', 'gpt-5', 'tools.byProvider["openai/gpt-5"]'],
    ['openai', 'GPT-5', 'tools.byProvider["openai/gpt-5"]'],
    ['openai', 'gpt-4', 'tools.byProvider["OpenAI"]'],
    ['openrouter', 'openai/gpt-5', 'tools.byProvider["openai/gpt-5"]'],
    ['anthropic', 'gpt-5', undefined],
    ['__proto__', 'constructor', undefined],
  ])('counts the most exact provider entry for %s and %s', (provider, model, place) => {
    expect(toolPolicyOf(config, { provider, model }).globalProvider?.place).toBe(place);
  });

  it('has an entry for the provider of an agent', () => {
    const scope = { agentId: 'coder', provider: 'openrouter', model: 'x' };
    expect(toolPolicyOf(config, scope).agentProvider).toMatchObject({
      place: 'agents.list[coder].tools.byProvider["openrouter"]',
      allow: ['read'],
    });
  });

  it('knows how deep a subagent is by its key', () => {
    const subagent = (sessionKey: string, from: Config = config) => toolPolicyOf(from, { sessionKey }).subagent;
    expect(subagent('agent:main:main')).toBeUndefined();
    expect(subagent('agent:main:subagent:a')).toMatchObject({
      depth: 1,
      maxSpawnDepth: 1,
      written: { deny: ['edit'] },
    });
    const deeper = { agents: { defaults: { subagents: { maxSpawnDepth: 3 } } } };
    expect(subagent('agent:main:subagent:a:subagent:b', deeper)).toMatchObject({ depth: 2, maxSpawnDepth: 3 });
    const odd = { agents: { defaults: { subagents: { maxSpawnDepth: 'many' } } } };
    expect(subagent('agent:main:subagent:a', odd)).toMatchObject({ maxSpawnDepth: 1 });
  });

  it('is found in every place, for checks that look for mistakes', () => {
    expect(listToolPlaces(config).map(({ place }) => place)).toEqual([
      'tools',
      'tools.byProvider["OpenAI"]',
      'tools.byProvider["openai/gpt-5"]',
      'tools.subagents.tools',
      'agents.list[coder].tools',
      'agents.list[coder].tools.byProvider["openrouter"]',
    ]);
    expect(listToolPlaces({})).toEqual([]);
    expect(listPluginIds({ plugins: { entries: { weather: {} } } })).toEqual(['weather']);
    expect(listPluginIds({})).toEqual([]);
  });
});
