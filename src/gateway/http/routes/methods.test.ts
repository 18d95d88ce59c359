import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApi } from '../fixtures/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
});
afterAll(() => api.close());

const ask = (path: string, body?: unknown) => api.call(body === undefined ? 'GET' : 'POST', path, body);

describe('/api/methods', () => {
  it('lists what may be called', async () => {
    const { methods } = (await ask('/api/methods')).json;
    expect(methods).toContainEqual({ method: 'health', plugin: null });
  });

  it('calls a method', async () => {
    const answer = { status: 200, json: { ok: true, payload: { status: 'ok' } } };
    expect(await ask('/api/methods/health', { params: {} })).toMatchObject(answer);
    expect(await ask('/api/methods/health', {})).toMatchObject(answer);
  });

  it('says what is wrong', async () => {
    expect(await ask('/api/methods/nope', {})).toMatchObject({ status: 404 });
    expect(await ask('/api/methods/health', { params: 7 })).toMatchObject({ status: 400 });
    expect(await ask('/api/methods/health', [])).toMatchObject({ status: 400 });
    expect((await api.app.request('/api/methods/health', { method: 'POST', body: '{}' })).status).toBe(401);
  });
});
