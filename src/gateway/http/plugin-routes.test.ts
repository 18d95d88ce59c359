import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpApp } from './create-http-app.ts';
import { FakeGateway, TEST_TOKEN } from './fixtures/fake-gateway.ts';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await FakeGateway.create();
});
afterEach(() => gateway.remove());

async function ask(method: string, path: string, body?: object) {
  const response = await createHttpApp(gateway.appOptions()).request(`http://127.0.0.1${path}`, {
    method,
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

it('plugins are listed and looked at, as the document says', async () => {
  const listed = await ask('GET', '/api/plugins');
  expect(listed.json).toEqual({ plugins: [gateway.plugin] });
  const looked = await ask('GET', '/api/plugins/greeter');
  expect(looked.json).toEqual({ plugin: gateway.plugin });
});

it('ids may have a slash', async () => {
  gateway.plugin = { ...gateway.plugin, id: '@nice/greeter' };
  expect((await ask('GET', '/api/plugins/%40nice%2Fgreeter')).json.plugin.id).toBe('@nice/greeter');
  expect((await ask('POST', '/api/plugins/%40nice%2Fgreeter/reload', {})).json.plugin.generation).toBe(2);
});

it('plugins are loaded again, one or all', async () => {
  expect((await ask('POST', '/api/plugins/greeter/reload', {})).json.plugin.generation).toBe(2);
  expect((await ask('POST', '/api/plugins/reload', {})).json.plugins).toMatchObject([{ id: 'greeter', generation: 3 }]);
});

it('what is wrong with a request is said', async () => {
  expect(await ask('GET', '/api/plugins/greter')).toMatchObject({
    status: 404,
    json: { error: { code: 'ATRIUM_PLUGIN_UNKNOWN', message: expect.stringContaining('Did you mean "greeter"?') } },
  });
  expect((await ask('POST', '/api/plugins/greter/reload', {})).status).toBe(404);
  expect((await ask('POST', '/api/plugins/greeter/reload', { force: true })).status).toBe(400);
});
