import { afterEach, beforeEach, expect, it } from 'vitest';
import { pluginFiles } from '../../../testkit/plugin-files.ts';
import { TestApi } from '../fixtures/test-api.ts';

const GREETS = `api.registerCommand({ name: 'hello', description: 'Greets.', handler: () => ({ text: 'Hello.' }) });`;
const inline = { isolation: 'inline' };

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open({
    config: { plugins: { entries: { greeter: inline, '@nice/greeter': inline } } },
    files: {
      ...pluginFiles('greeter', GREETS),
      ...pluginFiles('nice', '', { manifest: { id: '@nice/greeter' } }),
    },
  });
});
afterEach(() => api.close());

// biome-ignore lint/suspicious/noExplicitAny: the answers are held to their schemas already.
const ask = async (method: string, path: string, body?: object): Promise<{ status: number; json: any }> =>
  api.call(method, path, body);

it('plugins are listed and looked at, as the document says', async () => {
  const { plugins } = (await ask('GET', '/api/plugins')).json;
  const { plugin } = (await ask('GET', '/api/plugins/greeter')).json;
  expect(plugin).toMatchObject({ id: 'greeter', state: 'loaded', commands: ['hello'], generation: 1 });
  expect(plugins).toContainEqual(plugin);
});

it('ids may have a slash', async () => {
  expect((await ask('GET', '/api/plugins/%40nice%2Fgreeter')).json.plugin.id).toBe('@nice/greeter');
  expect((await ask('POST', '/api/plugins/%40nice%2Fgreeter/reload', {})).json.plugin.generation).toBe(2);
});

it('plugins are loaded again, one or all', async () => {
  expect((await ask('POST', '/api/plugins/greeter/reload', {})).json.plugin.generation).toBe(2);
  expect((await ask('POST', '/api/plugins/reload', {})).json.plugins).toContainEqual(
    expect.objectContaining({ id: 'greeter', generation: 3 }),
  );
});

it('what is wrong with a request is said', async () => {
  expect(await ask('GET', '/api/plugins/greter')).toMatchObject({
    status: 404,
    json: { error: { code: 'ATRIUM_PLUGIN_UNKNOWN', message: expect.stringContaining('Did you mean "greeter"?') } },
  });
  expect((await ask('POST', '/api/plugins/greter/reload', {})).status).toBe(404);
  expect((await ask('POST', '/api/plugins/greeter/reload', { force: true })).status).toBe(400);
});
