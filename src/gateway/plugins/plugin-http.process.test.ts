// The routes of plugins that run in the worker, over real connections: what a client sends reaches the plugin's handler as
// it comes, what the handler answers reaches the client as it comes, and each side notices when the other one leaves.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordingHost, ScratchPlugins } from '../../plugins/fixtures/scratch-plugins.ts';
import { WorkerPlugins } from '../../plugins/isolation/worker-plugins.ts';
import type { LoadedPlugin } from '../../plugins/loaded-plugin.ts';
import { registryOf } from '../../testkit/registry-of.ts';
import { TEST_TOKEN, TestApi } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { PluginHttp } from './plugin-http.ts';

const ROUTES = `
  const seen = { closed: 0, written: 0 };
  const route = (path, handler, more = {}) => api.registerHttpRoute({ path, auth: 'plugin', handler, ...more });
  const bodyOf = async (req) => { const all = []; for await (const chunk of req) all.push(chunk); return Buffer.concat(all); };
  route('/echo', async (req, res) => {
    const body = await bodyOf(req);
    res.writeHead(201, 'Made', { 'content-type': req.headers['content-type'] ?? 'text/plain', 'set-cookie': ['a=1', 'b=2'], 'x-method': req.method, 'x-url': req.url });
    res.end(body);
  }, { match: 'prefix' });
  route('/who', (req, res) => { res.end(JSON.stringify({ address: req.socket.remoteAddress, host: req.headers.host, token: req.headers.authorization })); });
  route('/lines', (req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    res.flushHeaders();
    req.on('data', (chunk) => res.write('heard ' + chunk));
    req.on('end', () => res.end('the end'));
  });
  route('/endless', async (req, res) => {
    res.on('close', () => { seen.closed += 1; });
    const piece = Buffer.alloc(64 * 1024, 'x');
    while (!res.destroyed) {
      seen.written += piece.length;
      if (!res.write(piece)) await new Promise((go) => { res.once('drain', go); res.once('close', go); });
    }
  });
  route('/seen', (req, res) => { res.end(JSON.stringify(seen)); });
  route('/waits', (req, res) => { res.on('close', () => { seen.closed += 1; }); });
  route('/throws', () => { throw new Error('boom'); });
  route('/breaks', async (req, res) => { res.write('half'); await new Promise((go) => setTimeout(go, 20)); throw new Error('boom'); });
  route('/later', (req, res) => { setTimeout(() => res.end('later'), 20); });
  route('/large', (req, res) => { res.end(Buffer.alloc(20 * 1024 * 1024, 'y')); });
  route('/hangs-up', (req) => { req.socket.destroy(); });
  route('/nothing', (req, res) => { res.statusCode = 204; res.end(); });
  route('/exits', async (req, res) => { res.write('half'); await new Promise((go) => setTimeout(go, 50)); process.exit(3); });
`;

const older = (path: string, text: string) => `
  api.registerHttpHandler(async (req, res) => {
    if (req.url !== '${path}') return ${path === '/one' ? 'false' : 'undefined'};
    let body = '';
    for await (const chunk of req) body += chunk;
    res.end('${text} ' + body);
    return true;
  });
`;

let scratch: ScratchPlugins;
let plugins: WorkerPlugins;
let api: TestApi;
let listening: Listening;
const warnings: string[] = [];
const loaded: LoadedPlugin[] = [];

beforeAll(async () => {
  scratch = await ScratchPlugins.create();
  plugins = new WorkerPlugins({
    memoryMb: 256,
    heartbeatMs: 5_000,
    now: () => 0,
    warn: (text) => void warnings.push(text),
    events: { trouble: ({ reason }) => void warnings.push(reason), reloaded: () => {} },
  });
  for (const [id, body] of [
    ['routes', ROUTES],
    ['one', older('/one', 'first')],
    ['two', older('/two', 'second')],
  ] as const) {
    const text = `export default { id: '${id}', register(api) { ${body} } };`;
    const result = await plugins.load(await scratch.write(id, { 'index.js': text }), recordingHost());
    if (!result.ok) throw new Error(JSON.stringify(result));
    loaded.push(result.plugin);
  }
  api = await TestApi.open();
  const registry = registryOf(...loaded);
  const pluginHttp = new PluginHttp({ registry, warn: (text) => void warnings.push(text), timeoutMs: 5_000 });
  listening = await api.listen(0, { pluginHttp });
});

afterAll(async () => {
  await listening.close(0);
  await api.close();
  await plugins.close();
  await scratch.remove();
});

afterEach(() => void warnings.splice(0));

const get = (path: string, init: RequestInit = {}) => fetch(`${listening.url}${path}`, init);
const seen = async () => (await (await get('/seen')).json()) as { closed: number; written: number };

describe('the route of a plugin in the worker', () => {
  it('gets the request and gives the response as they are', async () => {
    const sent = { method: 'PUT', body: 'hello', headers: { 'content-type': 'text/x' } };
    const answer = await get('/echo/a?b=c%20d', sent);
    expect([answer.status, answer.statusText, await answer.text()]).toEqual([201, 'Made', 'hello']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('content-type')).toBe('text/x');
    expect([answer.headers.get('x-method'), answer.headers.get('x-url')]).toEqual(['PUT', '/echo/a?b=c%20d']);
    expect(await (await get('/who', { headers: { authorization: 'Bearer mine' } })).json()).toEqual({
      address: expect.stringContaining('127.0.0.1'),
      host: new URL(listening.url).host,
      token: 'Bearer mine',
    });
    expect((await get('/nothing')).status).toBe(204);
    expect(await (await get('/later')).text()).toBe('later');
    const head = await get('/echo', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([201, '']);
    expect(warnings).toEqual([]);
  });

  it('takes and gives large bodies', async () => {
    const body = Buffer.alloc(9 * 1024 * 1024, 'abcdefg');
    const echoed = Buffer.from(await (await get('/echo', { method: 'POST', body })).arrayBuffer());
    expect(echoed.equals(body)).toBe(true);
    expect((await (await get('/large')).arrayBuffer()).byteLength).toBe(20 * 1024 * 1024);
    // With this the plugin's side closes the connection as soon as it has written everything.
    const headers = { connection: 'close' };
    const request = httpRequest(`${listening.url}/large`, { headers }).end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(20 * 1024 * 1024);
  });

  it('talks with its client in both directions at once', async () => {
    const request = httpRequest(`${listening.url}/lines`, { method: 'POST' });
    request.flushHeaders();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.setEncoding('utf8');
    for (const word of ['one', 'two']) {
      request.write(word);
      expect((await once(answer, 'data'))[0]).toBe(`heard ${word}`);
    }
    request.end();
    expect((await once(answer, 'data'))[0]).toBe('the end');
  });

  it('writes no faster than its client reads, and notices that the client has left', async () => {
    const { closed } = await seen();
    const { host, hostname, port } = new URL(listening.url);
    const client = connect(Number(port), hostname);
    client.pause();
    client.write(`GET /endless HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await once(client, 'connect');
    let written = -1;
    for (let now = (await seen()).written; now === 0 || now !== written; now = (await seen()).written) {
      written = now;
      await new Promise((go) => setTimeout(go, 150));
    }
    // The buffers of the system and of the streams between them.
    expect(written).toBeLessThan(30 * 1024 * 1024);
    client.destroy();
    await until(async () => (await seen()).closed === closed + 1);
  });

  it('notices that a client has left that it has not answered yet', async () => {
    const { closed } = await seen();
    const leaving = new AbortController();
    const asked = get('/waits', { signal: leaving.signal }).catch(() => 'left');
    await new Promise((go) => setTimeout(go, 100));
    leaving.abort();
    expect(await asked).toBe('left');
    await until(async () => (await seen()).closed === closed + 1);
    expect(warnings).toEqual([]);
  });

  it('that throws is named, and the client is told or cut off', async () => {
    expect((await get('/throws')).status).toBe(500);
    await expect(get('/breaks').then((answer) => answer.text())).rejects.toThrow();
    await expect(get('/hangs-up')).rejects.toThrow();
    expect(warnings).toEqual([
      'The plugin "routes" failed at a request to /throws: boom',
      'The plugin "routes" failed at a request to /breaks: boom',
    ]);
  });

  it('of the older kind leaves a request to the next one, with its body', async () => {
    const headers = { authorization: `Bearer ${TEST_TOKEN}` };
    const post = (path: string) => get(path, { method: 'POST', body: 'the body', headers });
    expect(await (await post('/one')).text()).toBe('first the body');
    expect(await (await post('/two')).text()).toBe('second the body');
    expect((await post('/three')).status).toBe(404);
  });

  it('that ends the worker cuts off its own client, is named, and leaves the others theirs', async () => {
    await expect(get('/exits').then((answer) => answer.text())).rejects.toThrow();
    await until(async () => warnings.some((text) => text.includes('The plugin "routes" ended the plugin worker')));
    expect(warnings.join()).toContain('in its route /exits');
    expect((await get('/seen')).status).toBe(500);
    const headers = { authorization: `Bearer ${TEST_TOKEN}` };
    expect(await (await get('/two', { method: 'POST', body: 'x', headers })).text()).toBe('second x');
  });
});

async function until(isSo: () => Promise<boolean>, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; !(await isSo()); ) {
    if (performance.now() > end) throw new Error('it did not come to that');
    await new Promise((go) => setTimeout(go, 20));
  }
}
