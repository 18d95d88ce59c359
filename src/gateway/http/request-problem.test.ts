import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestApi } from './fixtures/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api.close());

const refused = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await api.call(method, path, body);
  expect(status, path).toBe(400);
  return json.error as { message: string; param?: string };
};

it('a wrong field is named with everything that it must be', async () => {
  const limit = { message: 'limit must be a whole number from 1 to 500.', param: 'limit' };
  for (const wrong of ['many', '0', '501', '1.5']) {
    expect(await refused('GET', `/api/runs?limit=${wrong}`), wrong).toMatchObject(limit);
  }
  expect((await refused('GET', '/api/usage?since=-1')).message).toBe('since must be a whole number of at least 0.');
  expect((await refused('GET', '/api/usage?by=year')).message).toMatch(/^by must be one of "day", "agent", /);
  expect((await refused('DELETE', '/api/deadletters')).message).toBe('all is missing; it must be "true".');
  expect((await refused('POST', '/api/messages', { text: 5 })).message).toBe(
    'text must be a string of at most 1000000 characters.',
  );
  expect((await refused('POST', '/api/context/preview', { message: 'hi', at: 'noon' })).message).toBe(
    'at must be a time such as "2026-05-06T09:00:00Z".',
  );
});

it('a field inside another one is named with both', async () => {
  const explain = (peer: unknown) => refused('POST', '/api/route/explain', { channel: 'web', peer });
  expect((await explain({ kind: 'direct' })).message).toBe(
    'peer.id is missing; it must be a string of 1 to 512 characters.',
  );
  expect((await explain({ kind: 'direct', id: 'x', name: 'y' })).message).toBe('peer has no field "name".');
  expect((await explain('x')).message).toBe('peer must be an object.');
});

it('a request as a whole and a rule of its own are told as well', async () => {
  expect((await refused('POST', '/api/messages', [])).message).toBe('The request must be an object.');
  expect((await refused('POST', '/api/messages', { text: 'x', txt: 'y' })).message).toBe(
    'The request has no field "txt".',
  );
  expect((await refused('GET', '/api/usage?timezone=Mars')).message).toBe('timezone: There is no such time zone.');
});
