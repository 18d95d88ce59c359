import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { PluginRegistration } from '../../plugins/registration.ts';
import { type RegistryPlugin, registryOf } from '../../testkit/registry-of.ts';
import { TEST_TOKEN, TestApi } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { PluginHttp } from './plugin-http.ts';

type Answers = (request: IncomingMessage, response: ServerResponse) => unknown;

let api: TestApi;
let listening: Listening | undefined;
let warnings: string[];
beforeAll(async () => {
  api = await TestApi.open();
});
afterAll(() => api.close());
beforeEach(() => {
  warnings = [];
});
afterEach(async () => {
  await listening?.close(0);
  listening = undefined;
});

function route(
  path: string,
  handler: Answers,
  { match = 'exact', auth = 'plugin' }: { match?: 'exact' | 'prefix'; auth?: 'gateway' | 'plugin' } = {},
): PluginRegistration {
  return { kind: 'route', path, match, auth, handler: handler as never };
}

function says(text: string): Answers {
  return (_, response) => void response.end(text);
}

async function serve(...plugins: readonly RegistryPlugin[]) {
  const http = new PluginHttp({ registry: registryOf(...plugins), warn: (text) => warnings.push(text), timeoutMs: 60 });
  listening = await api.listen(0, { pluginHttp: http });
  const { url } = listening;
  return {
    url,
    http,
    get: async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, text: await response.text() };
    },
  };
}

const withToken = { headers: { authorization: `Bearer ${TEST_TOKEN}` } };

describe('a path of a plugin', () => {
  it('is answered by the plugin, which reads the request itself', async () => {
    const { get } = await serve({
      id: 'hooks',
      registrations: [
        route('/hooks/sentinel', async (request, response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk as Buffer);
          response.writeHead(201, { 'x-from': 'plugin' });
          response.end(`${request.method} ${Buffer.concat(chunks)}`);
        }),
      ],
    });
    expect(await get('/hooks/sentinel', { method: 'POST', body: 'ping' })).toEqual({ status: 201, text: 'POST ping' });
  });

  it('may be answered later than its handler returns, and piece by piece', async () => {
    const { get } = await serve({
      id: 'slow',
      registrations: [
        route('/slow', (_, response) => {
          response.write('one ');
          // Longer than a plugin may take to begin.
          setTimeout(() => response.end('two'), 120);
        }),
        route('/later', (_, response) => {
          setTimeout(() => response.end('here'), 20);
        }),
      ],
    });
    expect(await get('/slow')).toEqual({ status: 200, text: 'one two' });
    expect(await get('/later')).toEqual({ status: 200, text: 'here' });
    expect(warnings).toEqual([]);
  });

  it('is behind the token unless the plugin checks for itself', async () => {
    const { get } = await serve({
      id: 'p',
      registrations: [route('/private', says('secret'), { auth: 'gateway' }), route('/public', says('hello'))],
    });
    expect((await get('/private')).status).toBe(401);
    expect(await get('/private', withToken)).toEqual({ status: 200, text: 'secret' });
    expect(await get('/public')).toEqual({ status: 200, text: 'hello' });
    expect((await get('/public', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  it('as a prefix takes what is below it, and the longest one wins', async () => {
    const { get } = await serve({
      id: 'p',
      registrations: [
        route('/app', says('app'), { match: 'prefix' }),
        route('/app/deep', says('deep'), { match: 'prefix' }),
        route('/app/deep/one', says('one')),
      ],
    });
    const answers = await Promise.all(['/app', '/app/x?y=1', '/app/deep/z', '/app/deep/one'].map((path) => get(path)));
    expect(answers.map(({ text }) => text)).toEqual(['app', 'app', 'deep', 'one']);
    expect((await get('/apple', withToken)).status).toBe(404);
  });

  it('is never one of the product, nor one that another plugin has', async () => {
    const taken = [
      '/',
      '/api',
      '/api/status',
      '/v1/models',
      '/ws',
      '/healthz',
      '/openapi.json',
      '/../x',
      'plain',
      '/API/x',
    ];
    const { get, http } = await serve(
      {
        id: 'greedy',
        registrations: taken.flatMap((path) => [route(path, says('stolen')), route('/mine', says('first'))]),
      },
      {
        id: 'late',
        registrations: [route('/mine', says('second')), route('/api', says('stolen'), { match: 'prefix' })],
      },
    );
    expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' });
    expect((await get('/api/status', withToken)).text).toContain('version');
    // The product answers, with the page or, where the console was not built, with the sentence about that.
    expect((await get('/')).text).toMatch(/<!doctype html>|^The page is not built/);
    expect((await get('/mine')).text).toBe('first');
    const refused = http.refused();
    expect(new Set(refused.map(({ name }) => name.replace('/*', '')))).toEqual(new Set([...taken, '/mine']));
    expect(refused.find(({ pluginId, name }) => pluginId === 'late' && name === '/mine')?.because).toContain(
      '"greedy"',
    );
  });

  it('costs nobody else anything when the plugin throws or never answers', async () => {
    const { get } = await serve({
      id: 'bad',
      registrations: [
        route('/throws', () => {
          throw new Error('boom');
        }),
        route('/rejects', async () => {
          await sleep(1);
          throw new Error('later boom');
        }),
        route('/silent', () => new Promise(() => {})),
      ],
    });
    expect((await get('/throws')).status).toBe(500);
    expect((await get('/rejects')).status).toBe(500);
    expect((await get('/silent')).status).toBe(504);
    expect((await get('/healthz')).status).toBe(200);
    expect(warnings).toEqual([
      'The plugin "bad" failed at a request to /throws: boom',
      'The plugin "bad" failed at a request to /rejects: later boom',
      'The plugin "bad" did not answer a request to /silent within 60 ms.',
    ]);
  });

  it('takes no WebSocket, and says so', async () => {
    const { url } = await serve({ id: 'p', registrations: [route('/p/ws', says('x'))] });
    const refused = await new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/p/ws`);
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
    expect(refused).toBe(426);
  });
});

describe('a handler of the older kind', () => {
  it('looks at what nobody has, behind the token, and may leave it to the next', async () => {
    const only =
      (path: string, text: string): Answers =>
      (request, response) => {
        if (request.url !== path) return false;
        response.end(text);
        return true;
      };
    const old = { match: 'prefix', auth: 'gateway' } as const;
    const { get } = await serve(
      { id: 'a', registrations: [route('', only('/a', 'from a'), old)] },
      { id: 'b', registrations: [route('/', only('/b', 'from b'), old)] },
    );
    expect(await get('/a', withToken)).toEqual({ status: 200, text: 'from a' });
    expect(await get('/b', withToken)).toEqual({ status: 200, text: 'from b' });
    expect((await get('/c', withToken)).status).toBe(404);
    expect((await get('/a')).status).toBe(401);
    expect((await get('/api/status', withToken)).status).toBe(200);
  });
});
