import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpApp } from './create-http-app.ts';
import { FakeGateway, TEST_TOKEN } from './fixtures/fake-gateway.ts';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await FakeGateway.create();
});
afterEach(() => gateway.remove());

async function ask(
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${TEST_TOKEN}` },
) {
  const method = body === undefined ? 'GET' : 'POST';
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await createHttpApp(gateway.appOptions()).request(path, init);
  return { status: response.status, body: (await response.json()) as unknown };
}

describe('/api/methods', () => {
  it('lists what may be called', async () => {
    expect(await ask('/api/methods')).toEqual({ status: 200, body: { methods: [{ method: 'health', plugin: null }] } });
  });

  it('calls a method', async () => {
    const answer = { status: 200, body: { ok: true, payload: { status: 'ok' } } };
    expect(await ask('/api/methods/health', { params: {} })).toEqual(answer);
    expect(await ask('/api/methods/health', {})).toEqual(answer);
  });

  it('says what is wrong', async () => {
    expect(await ask('/api/methods/nope', {})).toMatchObject({ status: 404 });
    expect(await ask('/api/methods/health', { params: 7 })).toMatchObject({ status: 400 });
    expect(await ask('/api/methods/health', [])).toMatchObject({ status: 400 });
    expect(await ask('/api/methods/health', {}, {})).toMatchObject({ status: 401 });
  });
});
