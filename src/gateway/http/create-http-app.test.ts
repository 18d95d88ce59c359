import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpApp, type HttpAppOptions } from './create-http-app.ts';
import { TEST_TOKEN, TestApi } from './fixtures/test-api.ts';
import { ROUTES } from './routes/all-routes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.open();
});
afterAll(() => api.close());
beforeEach(() => {
  api.received.length = 0;
});

const bearer = { authorization: `Bearer ${TEST_TOKEN}` };
const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

function app(changes: Partial<HttpAppOptions> = {}) {
  return createHttpApp(api.options(changes));
}

async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error };
}

describe('health', () => {
  it('needs no token', async () => {
    const response = await app().request('/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it('is ready only while messages are accepted', async () => {
    for (const [state, status] of [
      ['starting', 503],
      ['ready', 200],
      ['draining', 503],
    ] as const) {
      const response = await app({ state: () => state }).request('/readyz');
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ status: state });
    }
  });

  it('is not ready while the store takes nothing, and says why', async () => {
    const { services } = api.options();
    const full = app({ services: { ...services, storeProblem: async () => 'There is no space left.' } });
    const response = await full.request('/readyz');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'store-refuses', problem: 'There is no space left.' });
  });
});

describe('a gateway that starts or stops', () => {
  it('takes no messages, and can still be looked at', async () => {
    for (const state of ['starting', 'draining'] as const) {
      const busy = app({ state: () => state });
      const send = (path: string, body: object) =>
        busy.request(path, { method: 'POST', headers: bearer, body: JSON.stringify(body) });
      const refused = await send('/api/messages', { text: 'hi' });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(await errorOf(refused)).toMatchObject({ status: 503, code: 'ATRIUM_GATEWAY_NOT_READY' });
      expect((await send('/v1/chat/completions', {})).status).toBe(503);
      expect((await busy.request('/api/status', { headers: bearer })).status).toBe(200);
    }
    expect(api.received).toEqual([]);
  });
});

describe('the token', () => {
  it('is needed for everything else, on paths that do not exist too', async () => {
    for (const path of ['/api/status', '/v1/models', '/openapi.json', '/ws', '/api/nothing', '/nothing']) {
      const response = await app().request(path);
      expect(response.status, path).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await app().request('/api/status', { headers: bearer })).status).toBe(200);
    expect(await errorOf(await app().request('/api/nothing', { headers: bearer }))).toMatchObject({
      status: 404,
      code: 'ATRIUM_HTTP_PATH_UNKNOWN',
    });
  });

  it('is needed before a wrong method is named', async () => {
    expect((await app().request('/api/status', { method: 'DELETE' })).status).toBe(401);
    const answer = await app().request('/api/runs/run_1/requests/0', { method: 'DELETE', headers: bearer });
    expect(answer.headers.get('allow')).toBe('GET');
    expect(await errorOf(answer)).toMatchObject({
      status: 405,
      code: 'ATRIUM_HTTP_METHOD_WRONG',
      message: '/api/runs/run_1/requests/0 does not take DELETE. It takes GET.',
    });
  });

  it('is not taken from the address', async () => {
    expect((await app().request(`/api/status?token=${TEST_TOKEN}`)).status).toBe(401);
  });

  it.each([
    `Bearer ${TEST_TOKEN}x`,
    'Bearer',
    `Basic ${TEST_TOKEN}`,
    `Bearer ${TEST_TOKEN.slice(0, -1)}`,
    'Bearer é',
  ])('is not %j', async (authorization) => {
    expect((await app().request('/api/status', { headers: { authorization } })).status).toBe(401);
  });

  it('is asked for in the shape that the caller knows', async () => {
    expect(await (await app().request('/v1/models')).json()).toMatchObject({
      error: { type: 'authentication_error', code: 'ATRIUM_HTTP_TOKEN_MISSING', param: null },
    });
  });

  it('cannot be tried without end', async () => {
    let now = 1_000_000;
    const guarded = app({ now: () => now });
    const attempt = (token: string, address: string) =>
      guarded.request('/api/status', { headers: { authorization: `Bearer ${token}` } }, from(address));
    for (let each = 0; each < 10; each++) expect((await attempt('wrong', '10.0.0.9')).status).toBe(401);
    const refused = await attempt('wrong', '10.0.0.9');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(60);
    expect((await attempt(TEST_TOKEN, '10.0.0.9')).status).toBe(429);
    expect((await attempt(TEST_TOKEN, '10.0.0.10')).status).toBe(200);
    now += 60_000;
    expect((await attempt(TEST_TOKEN, '10.0.0.9')).status).toBe(200);
  });

  it('still opens the door on loopback when another program of the machine got it wrong', async () => {
    const guarded = app();
    const attempt = (token: string) =>
      guarded.request('/api/status', { headers: { authorization: `Bearer ${token}` } }, from('127.0.0.1'));
    for (let each = 0; each < 10; each++) await attempt('wrong');
    expect((await attempt('wrong')).status).toBe(429);
    expect((await attempt(TEST_TOKEN)).status).toBe(200);
  });
});

describe('the caller', () => {
  it("must use a name that is the gateway's", async () => {
    const ask = (host: string, changes: Partial<HttpAppOptions> = {}) =>
      app(changes).request('/healthz', { headers: { host } });
    for (const host of ['localhost:18790', '127.0.0.1', '[::1]:18790', '192.168.1.5:18790']) {
      expect((await ask(host)).status, host).toBe(200);
    }
    for (const host of ['evil.example.org', 'localhost.evil.example.org:18790', 'a b', '127.0.0.1.evil.example.org']) {
      expect((await ask(host)).status, host).toBe(403);
    }
    expect((await ask('nas.local:18790', { allowedHosts: ['nas.local'] })).status).toBe(200);
    expect((await ask('nas.local', { allowedOrigins: ['https://nas.local'] })).status).toBe(200);
  });

  it('may not be a page of another site, where something would change', async () => {
    const send = (origin: string, changes: Partial<HttpAppOptions> = {}) =>
      app(changes).request('/api/route/explain', {
        method: 'POST',
        headers: { ...bearer, origin, host: 'localhost:18790' },
        body: '{"channel":"web","peer":{"kind":"direct","id":"x"}}',
      });
    expect((await send('http://localhost:18790')).status).toBe(200);
    for (const origin of ['http://localhost:3000', 'https://evil.example.org', 'null', 'http://127.0.0.1:18790']) {
      expect(await errorOf(await send(origin)), origin).toMatchObject({
        status: 403,
        code: 'ATRIUM_HTTP_ORIGIN_REFUSED',
      });
    }
    const allowed = await send('https://ok.example.org', { allowedOrigins: ['https://ok.example.org/'] });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://ok.example.org');
    const read = (path: string) => app().request(path, { headers: { ...bearer, origin: 'https://evil.example.org' } });
    expect((await read('/api/status')).status).toBe(403);
    // The page is 503 where the console was not built; a refused caller would get 403.
    expect([200, 503]).toContain((await read('/')).status);
    expect((await read('/healthz')).status).toBe(200);
    const socket = await app().request('/ws', { headers: { ...bearer, origin: 'https://evil.example.org' } });
    expect(socket.status).toBe(403);
  });

  it('may ask beforehand whether its page is allowed', async () => {
    const ask = (origin: string) =>
      app({ allowedOrigins: ['https://ok.example.org'] }).request('/api/messages', {
        method: 'OPTIONS',
        headers: { origin },
      });
    const allowed = await ask('https://ok.example.org');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization');
    expect((await ask('https://evil.example.org')).status).toBe(403);
  });
});

describe('a bad request', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, path = '/api/messages') =>
    app().request(path, { method: 'POST', headers: bearer, body });

  it('with broken JSON is told so', async () => {
    expect(await errorOf(await post('{"text": '))).toMatchObject({ status: 400, code: 'ATRIUM_HTTP_REQUEST_INVALID' });
    expect((await errorOf(await post('{"text": '))).message).toMatch(/^The body is not JSON/);
  });

  it('with bytes that are no text is told so', async () => {
    expect((await errorOf(await post(new Uint8Array([0x22, 0xff, 0xfe, 0x22])))).message).toMatch(/not UTF-8/);
  });

  it('with a wrong, a missing or an unknown field names it', async () => {
    expect((await errorOf(await post('{"text": 5}'))).message).toMatch(/^text must be a string /);
    expect((await errorOf(await post('{}'))).message).toMatch(/^text is missing; /);
    expect((await errorOf(await post('{"text":"hi","agnt":"main"}'))).message).toMatch(/agnt/);
    expect((await errorOf(await post('[]'))).status).toBe(400);
  });

  it('that is too long is refused, also when its header gives another length', async () => {
    const long = 'x'.repeat(1_048_577);
    expect(await errorOf(await post(long))).toMatchObject({ status: 413, code: 'ATRIUM_HTTP_BODY_TOO_LARGE' });
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(65_536)));
      },
    });
    const response = await app().request('/api/messages', {
      method: 'POST',
      headers: bearer,
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  it('may have the size that the table of endpoints names, and not one byte more', async () => {
    const larger = ROUTES.filter(({ bodyLimit }) => bodyLimit !== undefined);
    expect(larger.map(({ path }) => path).sort()).toEqual([
      '/api/agents/{agent}/files/{name}',
      '/api/attachments',
      '/api/context/look',
      '/api/runs/{run}/replay',
      '/v1/chat/completions',
      '/v1/embeddings',
      '/v1/responses',
    ]);
    for (const { path, bodyLimit = 0 } of larger) {
      const statusWith = async (bytes: number) => {
        const headers = { ...bearer, 'content-length': String(bytes) };
        return (await app().request(path, { method: 'POST', headers, body: '[]' })).status;
      };
      expect(await statusWith(bodyLimit)).toBe(400);
      expect(await statusWith(bodyLimit + 1)).toBe(413);
    }
  });

  it('for an agent that does not exist gets a suggestion', async () => {
    expect(await errorOf(await post('{"text":"hi","agentId":"codr"}'))).toMatchObject({
      status: 404,
      message: expect.stringContaining('Did you mean "coder"?'),
    });
  });
});

describe('an unexpected error', () => {
  it('is told to the log and not to the caller', async () => {
    const warnings: string[] = [];
    const status = async () => {
      throw new Error('secret detail');
    };
    const { services } = api.options();
    const broken = app({ services: { ...services, status }, warn: (text) => warnings.push(text) });
    const response = await broken.request('/api/status', { headers: bearer });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('secret detail');
    expect(text).not.toContain('.ts');
    expect(warnings.join()).toContain('secret detail');
  });
});

describe('every answer', () => {
  it('carries the header Strict-Transport-Security that the operator wrote, also on a refusal', async () => {
    const strict = app({ strictTransportSecurity: 'max-age=31536000' });
    for (const path of ['/healthz', '/api/status', '/nothing'])
      expect((await strict.request(path)).headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect((await app().request('/healthz')).headers.has('strict-transport-security')).toBe(false);
  });

  it('carries headers that keep browsers careful', async () => {
    for (const [path, headers] of [
      ['/healthz', {}],
      ['/api/status', bearer],
      ['/api/nothing', bearer],
      ['/api/status', {}],
    ] as const) {
      const response = await app().request(path, { headers });
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });
});

it('has nothing at the paths of an endpoint that is switched off, nor below them', async () => {
  const closed = app({ closedPaths: ['/v1/responses', '/metrics'] });
  for (const [method, path] of [
    ['POST', '/v1/responses'],
    ['GET', '/v1/responses/resp_run_1'],
    ['POST', '/v1/responses/resp_run_1/cancel'],
    ['GET', '/metrics'],
  ] as const) {
    const refused = await errorOf(await closed.request(path, { method, headers: bearer }));
    expect(refused, path).toMatchObject({ status: 404, code: 'ATRIUM_HTTP_PATH_UNKNOWN' });
  }
  expect((await closed.request('/v1/models', { headers: bearer })).status).toBe(200);
});
