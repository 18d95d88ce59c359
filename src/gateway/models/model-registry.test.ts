import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../config/schema.ts';
import { read, requestOf } from '../../models/model-suite.ts';
import { ModelServer, reply } from '../../testkit/model-server.ts';
import { ModelRegistry } from './model-registry.ts';

function registry(config: unknown = {}, variables: Record<string, string> = {}) {
  return new ModelRegistry(config as Config, { variables });
}

describe('the models of a gateway', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await ModelServer.start();
    server.script(({ protocol }) => reply(`over ${protocol}`));
  });
  afterAll(() => server.close());

  const answerOf = async (models: ModelRegistry, agentId = 'main') => {
    const model = await models.model(models.choice(agentId).primary);
    return (await read(model, await model.prepare(requestOf('Hello')))).text;
  };

  it('answer on a machine with nothing', async () => {
    expect(await answerOf(registry())).toContain('I am not a language model');
  });

  it('that an agent may not be given are told once for each agent, and again after a change of the settings', () => {
    const models = registry({ agents: { defaults: { model: 'home/a', models: { 'home/a': {} } } } });
    const said = () => models.refusedAnew('main', ['home/a', 'home/b']);
    expect([said(), said(), models.refusedAnew('ana', ['home/b'])]).toEqual([['home/b'], [], ['home/b']]);
    models.forget();
    expect(said()).toEqual(['home/b']);
    expect(models.candidates('main', ['home/b'])).toEqual([{ provider: 'home', model: 'a' }]);
  });

  it('say what keeps an agent from its model', () => {
    expect(registry().problems()).toEqual([]);
    expect(registry({ agents: { defaults: { model: 'nowhere/small' } } }).problems()).toEqual([
      expect.stringContaining('nowhere'),
    ]);
    const keyless = registry({ agents: { defaults: { model: 'anthropic/large' } } });
    expect(keyless.problems()).toEqual([expect.stringContaining('ANTHROPIC_API_KEY')]);
  });

  it('answer with a key and a base URL in the environment', async () => {
    const address = `http://127.0.0.1:${server.port}`;
    expect(await answerOf(registry({}, { ANTHROPIC_API_KEY: 'k-1', ANTHROPIC_BASE_URL: address }))).toBe(
      'over anthropic',
    );
    expect(server.requests.at(-1)).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'k-1' } });
    expect(await answerOf(registry({}, { OPENAI_API_KEY: 'k-2', OPENAI_BASE_URL: address }))).toBe('over openai');
    expect(server.requests.at(-1)).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k-2' },
    });
  });

  it('may speak another protocol than their provider, elsewhere, with the key as a bearer', async () => {
    const entry = {
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: 'k-own',
      authHeader: true,
      models: [
        { id: 'claude', api: 'anthropic-messages', baseUrl: `http://127.0.0.1:${server.port}` },
        { id: 'odd', api: 'smoke-signals' },
      ],
    };
    const models = registry({ models: { providers: { proxy: entry } } });
    const model = await models.model({ provider: 'proxy', model: 'claude' });
    expect((await read(model, await model.prepare(requestOf('Hello')))).text).toBe('over anthropic');
    const { path, headers } = server.requests.at(-1) ?? {};
    expect([path, headers?.authorization, headers?.['x-api-key']]).toEqual(['/v1/messages', 'Bearer k-own', undefined]);
    await expect(models.model({ provider: 'proxy', model: 'odd' })).rejects.toThrow(
      'models.providers.proxy.models[1].api',
    );
  });

  it('are asked with the key that an agent alone has', async () => {
    const address = `http://127.0.0.1:${server.port}`;
    const variables = { OPENAI_API_KEY: 'k-all', 'ana@OPENAI_API_KEY': 'k-ana', OPENAI_BASE_URL: address };
    const models = registry({ agents: { list: [{ id: 'main' }, { id: 'ana' }] } }, variables);
    const keyFor = async (agentId: string) => {
      const model = await models.model({ provider: 'openai', model: 'small' }, agentId);
      await read(model, await model.prepare(requestOf('Hello')));
      return server.requests.at(-1)?.headers.authorization;
    };
    expect([await keyFor('main'), await keyFor('ana'), await keyFor('main')]).toEqual([
      'Bearer k-all',
      'Bearer k-ana',
      'Bearer k-all',
    ]);
  });

  it('are those that the configuration names, one for each agent', async () => {
    const models = registry({
      agents: { defaults: { model: 'home/qwen3' }, list: [{ id: 'main' }, { id: 'ana', model: 'mirror' }] },
      models: { providers: { home: { baseUrl: server.baseUrl, models: [{ id: 'qwen3', contextWindow: 8_192 }] } } },
    });
    expect(await answerOf(models)).toBe('over openai');
    expect(await answerOf(models, 'ana')).toContain('I am Mirror');
    expect(await models.model({ provider: 'home', model: 'qwen3' })).toMatchObject({
      provider: 'home',
      model: 'qwen3',
      api: 'openai-completions',
      contextWindow: 8_192,
    });
    expect(models.candidates('ana')).toEqual([{ provider: 'mirror', model: 'mirror' }]);
  });

  it('are made once', async () => {
    const models = registry();
    const ref = { provider: 'ollama', model: 'qwen3' };
    expect(await models.model(ref)).toBe(await models.model({ ...ref }));
  });

  it('that cannot be used say why, each time', async () => {
    const models = registry();
    for (let time = 0; time < 2; time++) {
      await expect(models.model({ provider: 'anthropic', model: 'x' })).rejects.toMatchObject({
        code: 'ATRIUM_MODEL_KEY_MISSING',
        variable: 'ANTHROPIC_API_KEY',
      });
    }
    await expect(models.model({ provider: 'nobody', model: 'x' })).rejects.toMatchObject({
      code: 'ATRIUM_MODEL_PROVIDER_UNKNOWN',
    });
  });

  it('are warmed without complaint, also when one cannot be used', async () => {
    await registry({ agents: { defaults: { model: { primary: 'nobody/x', fallbacks: ['ollama/y'] } } } }).warm();
    await registry({}, { ANTHROPIC_API_KEY: 'k' }).warm();
    await registry().warm();
  });
});
