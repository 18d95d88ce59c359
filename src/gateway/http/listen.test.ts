import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { after, reply } from '../../testkit/model-server.ts';
import { answerWithError } from './answer-with-error.ts';
import { TEST_TOKEN, TestApi } from './fixtures/test-api.ts';
import { type Listening, listen, type SocketClient } from './listen.ts';
import { TOKEN_PROTOCOL } from './token-guard.ts';

let api: TestApi;
let server: Listening;
let clients: SocketClient[];
beforeAll(async () => {
  api = await TestApi.open();
});
afterAll(() => api.close());
beforeEach(async () => {
  clients = [];
  server = await listen({
    app: () => api.app,
    host: '127.0.0.1',
    port: 0,
    attach: (socket, client) => {
      clients.push(client);
      socket.on('message', (data) => socket.send(`echo ${data}`));
    },
  });
});
afterEach(() => server.close(50));

const encoded = (token: string) => `${TOKEN_PROTOCOL}${Buffer.from(token).toString('base64url')}`;

function open(path = '/ws', protocols: string[] = [], headers: Record<string, string> = {}) {
  return new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocols, { headers });
}

function outcome(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    socket.on('error', () => {});
  });
}

describe('the socket', () => {
  it('opens for a client that shows the token in a header', async () => {
    const socket = open('/ws?channel=cli', [], { authorization: `Bearer ${TEST_TOKEN}` });
    expect(await outcome(socket)).toBe('open');
    expect(clients).toEqual([{ channel: 'cli', clientId: expect.any(String) }]);
    const answer = new Promise((resolve) => socket.on('message', (data) => resolve(String(data))));
    socket.send('hi');
    expect(await answer).toBe('echo hi');
    socket.close();
  });

  it('opens for a browser that shows it as a subprotocol, and never repeats it', async () => {
    const socket = open('/ws', ['atrium', encoded(TEST_TOKEN)], { origin: server.url });
    expect(await outcome(socket)).toBe('open');
    expect(socket.protocol).toBe('atrium');
    expect(clients[0]?.channel).toBe('web');
    socket.close();
  });

  it('stays shut otherwise', async () => {
    expect(await outcome(open())).toBe('401');
    expect(await outcome(open('/ws', ['atrium', encoded('wrong')]))).toBe('401');
    expect(await outcome(open(`/ws?token=${TEST_TOKEN}`))).toBe('401');
    expect(await outcome(open('/ws', ['atrium', encoded(TEST_TOKEN)], { origin: 'https://evil.example.org' }))).toBe(
      '403',
    );
    expect(await outcome(open('/ws', ['atrium', encoded(TEST_TOKEN)], { host: 'evil.example.org' }))).toBe('403');
    expect(await outcome(open('/elsewhere', [], { authorization: `Bearer ${TEST_TOKEN}` }))).toBe('404');
    expect(await outcome(open('/healthz'))).toBe('200');
    expect(clients).toEqual([]);
  });

  it('closes with the gateway, and says why', async () => {
    const socket = open('/ws', [], { authorization: `Bearer ${TEST_TOKEN}` });
    await outcome(socket);
    const closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    await server.close(1_000);
    expect(await closed).toBe(1001);
  });
});

describe('listening', () => {
  it('names a port that is taken, and what to do', async () => {
    const again = listen({
      app: () => api.app,
      host: '127.0.0.1',
      port: server.port,
      attach: () => {},
    });
    await expect(again).rejects.toMatchObject({ code: 'ATRIUM_GATEWAY_PORT_IN_USE', port: server.port });
    await expect(again).rejects.toThrow(/choose another port with --port/);
  });

  it("names an address that is not this machine's", async () => {
    const elsewhere = listen({
      app: () => api.app,
      host: '192.0.2.1',
      port: 0,
      attach: () => {},
    });
    await expect(elsewhere).rejects.toMatchObject({ code: 'ATRIUM_GATEWAY_LISTEN_FAILED' });
  });

  it('survives rubbish and impossible hosts', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write('\x16\x03\x01 rubbish\r\n\r\n');
    expect(await answered).toMatch(/^HTTP\/1.1 400/);
    socket.destroy();
    const status = await new Promise((resolve) => {
      request({ port: server.port, path: '/healthz', headers: { host: 'a b' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('keeps a connection for longer than the proxies in front of it do', async () => {
    const { headers } = await fetch(`${server.url}/healthz`);
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  it('lets what is being answered finish before it closes', async () => {
    let finish = () => {};
    const hold = new Promise<void>((resolve) => {
      finish = resolve;
    });
    api.model.script([after(hold, reply('made it'))]);
    const asked = fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_TOKEN}` },
      body: JSON.stringify({ model: 'atrium', messages: [{ role: 'user', content: 'hi' }] }),
    });
    await api.model.waitForRequests(1);
    const closed = server.close(10_000);
    finish();
    expect(await (await asked).text()).toContain('made it');
    await closed;
  });
});

it('refuses a request when the app cannot be loaded, and loads it for the next one', async () => {
  let loads = 0;
  const warnings: string[] = [];
  const failing = { shown: { 'x-frame-options': 'DENY' }, warn: (text: string) => warnings.push(text) };
  const late = await listen({
    app: () => {
      if (++loads === 1) throw new Error('too many open files');
      return api.app;
    },
    failed: (incoming, outgoing, error) => answerWithError(incoming, outgoing, error, failing),
    host: '127.0.0.1',
    port: 0,
    attach: () => {},
  });
  try {
    const refused = await fetch(`${late.url}/healthz?token=secret`);
    expect(refused.status).toBe(500);
    expect(refused.headers.get('x-frame-options')).toBe('DENY');
    expect(await refused.json()).toMatchObject({ error: { code: 'internal_error' } });
    expect(warnings).toEqual([expect.stringMatching(/^GET \/healthz: .*too many open files/)]);
    expect((await fetch(`${late.url}/healthz`)).status).toBe(200);
    expect(loads).toBe(2);
  } finally {
    await late.close(50);
  }
});
