import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pluginFiles } from '../../../testkit/plugin-files.ts';
import { TestApi } from '../fixtures/test-api.ts';

const GREETS = `api.on('message_received', () => {}, { id: 'hears' });
api.registerCommand({ name: 'hello', description: 'Greets.', handler: () => ({ text: 'Hello.' }) });`;
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

it('a plugin whose files are gone could not be loaded again', async () => {
  await rm(api.scratch.home.path('extensions/greeter'), { recursive: true });
  expect((await ask('POST', '/api/plugins/greeter/reload', {})).json.plugin).toMatchObject({
    state: 'failed',
    reason: 'Its files are gone.',
  });
});

it('a configuration that cannot be used is refused, and the plugins stay as they are', async () => {
  for (const [text, code] of [
    ['{ plugins: ', 'ATRIUM_CONFIG_SYNTAX'],
    ['{ gateway: { port: "many" } }', 'ATRIUM_CONFIG_INVALID'],
    ['{ $include: "./missing.json5" }', 'ATRIUM_CONFIG_INCLUDE'],
  ] as const) {
    await api.scratch.home.write('openclaw.json', text);
    for (const path of ['/api/plugins/reload', '/api/plugins/greeter/reload']) {
      expect(await ask('POST', path, {}), path).toMatchObject({ status: 422, json: { error: { code } } });
    }
  }
  expect((await ask('GET', '/api/plugins/greeter')).json.plugin).toMatchObject({ state: 'loaded', generation: 1 });
});

it('its hook handlers are listed and let be called again, as the document says', async () => {
  expect((await ask('GET', '/api/hooks')).json.handlers).toContainEqual(
    expect.objectContaining({ hook: 'message_received', owner: 'greeter', state: 'armed' }),
  );
  expect((await ask('POST', '/api/hooks/rearm', { name: 'greeter' })).json).toEqual({ rearmed: expect.any(Array) });
});

it('rearming a name that no handler has is refused', async () => {
  expect(await ask('POST', '/api/hooks/rearm', { name: 'no-such-handler' })).toMatchObject({
    status: 404,
    json: { error: { code: 'ATRIUM_HOOK_HANDLER_UNKNOWN' } },
  });
});

it('what is wrong with a request is said', async () => {
  expect(await ask('GET', '/api/plugins/greter')).toMatchObject({
    status: 404,
    json: { error: { code: 'ATRIUM_PLUGIN_UNKNOWN', message: expect.stringContaining('Did you mean "greeter"?') } },
  });
  expect((await ask('POST', '/api/plugins/greter/reload', {})).status).toBe(404);
  expect((await ask('POST', '/api/plugins/greeter/reload', { force: true })).status).toBe(400);
});
