import { expect, it } from 'vitest';
import { listUnusedSettings } from './list-unused-settings.ts';
import { hasOwnParams, resolveModelParams } from './model-params.ts';
import { type Config, configSchema } from './schema.ts';

const CONFIG: Config = configSchema.parse({
  agents: {
    defaults: {
      params: { temperature: 0.1, topP: 0.2, max_tokens: 300, cacheRetention: 'long' },
      models: { 'fake/small': { params: { temperature: 0.4, max_completion_tokens: 500 } }, 'fake/large': {} },
    },
    list: [{ id: 'main' }, { id: 'ops', params: { temperature: 0 } }],
  },
});
const of = (model: string, agentId?: string) => resolveModelParams(CONFIG, { provider: 'fake', model }, agentId);

it('the agent wins over the model, and the model over all, key by key', () => {
  expect(of('large')).toEqual({ temperature: 0.1, topP: 0.2, maxTokens: 300 });
  expect(of('small', 'main')).toEqual({ temperature: 0.4, topP: 0.2, maxTokens: 500 });
  expect(of('small', 'ops')).toEqual({ temperature: 0, topP: 0.2, maxTokens: 500 });
  expect(['main', 'ops'].map((agentId) => hasOwnParams(CONFIG, agentId))).toEqual([false, true]);
});

it('says nothing where nothing is set', () => {
  expect(resolveModelParams({}, { provider: 'fake', model: 'small' }, 'main')).toEqual({});
});

it('a value that is none is refused', () => {
  const isTaken = (params: object) => configSchema.safeParse({ agents: { defaults: { params } } }).success;
  expect([{ temperature: 3 }, { topP: '1' }, { maxTokens: 0 }].map(isTaken)).toEqual([false, false, false]);
});

it('a parameter that is not used is named, and those that are used are not', () => {
  const named = listUnusedSettings({
    agents: { defaults: { params: { temperature: 0.1, cacheRetention: 'long' } }, list: [{ params: { topP: 0.5 } }] },
  });
  expect(named).toMatchObject([
    {
      path: 'agents.defaults.params.cacheRetention',
      sentence: expect.stringContaining('the temperature, topP and maxTokens only'),
    },
  ]);
});
