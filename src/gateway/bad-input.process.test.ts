// Sends bad input of every kind to the built gateway as a process. After each of them it must still answer, and what
// was accepted before must still be there.

import { randomBytes } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import WebSocket from 'ws';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { huge, malformed, raw, reply, toolCalls } from '../testkit/model-server.ts';
import { WebClient } from '../testkit/web-client.ts';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await GatewayProcess.create({ config: { gateway: { auth: { token: 'a-token-for-tests-only' } } } });
  await gateway.start();
});
afterAll(() => gateway.close());

/** This must still work after each bad input. */
afterEach(async () => {
  gateway.model.script([reply('Still here.')]);
  expect(await ask('Are you there?')).toMatchObject({ status: 200, text: 'Still here.' });
  expect(gateway.err).not.toMatch(/TypeError|unexpected/i);
});

interface Told {
  readonly status: number;
  readonly code?: string | undefined;
  readonly text?: string | undefined;
}

async function ask(text: string, headers: Readonly<Record<string, string>> = {}): Promise<Told> {
  const body = { model: 'atrium', messages: [{ role: 'user', content: text }] };
  return told(await gateway.fetch('/v1/chat/completions', { body, headers }));
}

async function told(response: Response): Promise<Told> {
  const { error, choices } = (await response.json()) as {
    error?: { code: string; message: string };
    choices?: { message: { content: string } }[];
  };
  return { status: response.status, code: error?.code, text: error?.message ?? choices?.[0]?.message.content };
}

function post(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers },
    body,
  });
}

describe('over HTTP', () => {
  test.each([
    '/v1/chat/completions',
    '/api/messages',
    '/api/context/preview',
    '/api/route/explain',
  ])('%s refuses what it cannot read in a sentence', async (path) => {
    const bodies = ['{"text": "half', '[]', 'null', '"text"', '\u0000', '{"text": 5}', randomBytes(2_000)];
    for (const body of bodies) {
      const answer = await told(await post(path, body));
      expect(answer).toMatchObject({ status: 400, code: 'ATRIUM_HTTP_REQUEST_INVALID' });
      expect(answer.text).toMatch(/\S/);
    }
  });

  test('bodies that are too large are refused, also when their header gives another size', async () => {
    const declared = await post('/api/messages', JSON.stringify({ text: 'x'.repeat(2_000_000) }));
    expect(declared.status).toBe(413);
    const chunk = new TextEncoder().encode('x'.repeat(100_000));
    let chunks = 0;
    const endless = new ReadableStream({
      pull: (controller) => (chunks++ < 3_000 ? controller.enqueue(chunk) : controller.close()),
    });
    // The gateway closes the connection, which a client that is still sending may see as an answer or as a broken
    // connection.
    const status = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}` },
      body: endless,
      duplex: 'half',
    } as RequestInit).then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(chunks).toBeLessThan(3_000);
  });

  test('deeply nested JSON is no trouble', async () => {
    const depth = 100_000;
    const body = `{"text":"x","sessionKey":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await told(await post('/api/messages', body))).status).toBe(400);
  });

  test.each([
    ['an unknown agent', { agentId: 'nobody' }, 404],
    ['an agent that is a path', { agentId: '../../etc' }, 404],
    ['a session key that names no session', { sessionKey: 'agent:' }, 400],
    ['a session key of an unknown agent', { sessionKey: 'agent:nobody:main' }, 404],
    ['a session key with control characters', { sessionKey: 'a\u0000b' }, 400],
    ['a session key that is too long', { sessionKey: 'x'.repeat(600) }, 400],
    ['an unknown field', { agent: 'main' }, 400],
    ['a text that is none', { text: '' }, 400],
  ])('%s is refused', async (_, fields, status) => {
    const answer = await told(await gateway.fetch('/api/messages', { body: { text: 'hello', ...fields } }));
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(/\.$/);
  });

  test.each([
    '/api/sessions/nothing',
    '/api/sessions/agent:main:nothing/transcript',
    '/api/sessions/..%2f..%2fetc%2fpasswd',
    '/api/sessions/%00',
    '/api/runs/run_nothing',
    '/api/runs/run_nothing/report',
    '/api/runs/run_nothing/wait',
    '/api/deadletters/nothing',
    '/../../etc/passwd',
    '/v1/models/nothing',
    '/nothing',
  ])('GET %s is not found', async (path) => {
    expect(await told(await gateway.fetch(path))).toMatchObject({ status: 404, text: expect.stringMatching(/\S/) });
  });

  test.each(['limit=0', 'limit=-1', 'limit=1e9', 'limit=x', 'before=', 'what=1'])('?%s is refused', async (query) => {
    expect((await told(await gateway.fetch(`/api/runs?${query}`))).status).toBe(400);
  });

  test('a path that cannot be decoded is no trouble', async () => {
    expect((await gateway.fetch('/api/sessions/%E0%A4%A')).status).toBeLessThan(500);
  });
});

describe('tokens', () => {
  test('wrong ones are counted, and the right one still works on this machine', async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      const wrong = { authorization: `Bearer wrong-${tries}` };
      statuses.push((await told(await gateway.fetch('/api/status', { headers: wrong }))).status);
    }
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect((await gateway.fetch('/api/status')).status).toBe(200);
  });

  test('none, or one in the address, opens nothing', async () => {
    for (const path of ['/api/status', `/api/status?token=${gateway.token}`, '/openapi.json', '/v1/models']) {
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(401);
    }
  });

  test('a page of another site can neither read nor write', async () => {
    const headers = { origin: 'https://evil.example' };
    expect((await gateway.fetch('/api/messages', { body: { text: 'x' }, headers })).status).toBe(403);
    const socket = new WebSocket(`${gateway.url?.replace('http', 'ws')}/ws`, {
      headers: { ...headers, authorization: `Bearer ${gateway.token}` },
    });
    const refused = await new Promise((resolve) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.on('open', () => resolve('open'));
      socket.on('error', () => {});
    });
    expect(refused).toBe(403);
  });
});

describe('on the WebSocket', () => {
  interface Visitor {
    readonly socket: WebSocket;
    readonly frames: { type: string; message?: string }[];
    readonly closed: Promise<number>;
  }

  async function visit(): Promise<Visitor> {
    const socket = new WebSocket(`${gateway.url?.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    onTestFinished(() => socket.terminate());
    const frames: Visitor['frames'] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.on('error', () => {});
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    return { socket, frames, closed };
  }

  test('binary rubbish is answered, and too much of it ends the connection', async () => {
    const { socket, frames, closed } = await visit();
    for (let each = 0; each < 20; each++) socket.send(randomBytes(500));
    expect(await closed).toBe(1003);
    expect(frames[0]).toEqual({ type: 'error', message: 'Frames are JSON texts; this one was binary.' });
  });

  test('frames that make no sense are answered in a sentence each', async () => {
    const { socket, frames } = await visit();
    const rubbish = ['{', '[]', '"hello"', '{"type":"nothing"}', '{"type":"message","text":"no id"}', '{"type":"ack"}'];
    for (const text of rubbish) socket.send(text);
    await expect.poll(() => frames.length).toBe(rubbish.length);
    expect(frames.every(({ type, message }) => type === 'error' && message !== '')).toBe(true);
  });

  test('a message before the greeting is refused', async () => {
    const { socket, frames } = await visit();
    socket.send(JSON.stringify({ type: 'message', id: '1', text: 'hi' }));
    await expect.poll(() => frames[0]).toMatchObject({ type: 'error', id: '1' });
  });

  test('a frame that is too large is answered in a sentence, and one that is far too large ends the connection', async () => {
    const { socket, frames, closed } = await visit();
    socket.send('x'.repeat(2_000_000));
    const message = 'A frame may have at most 1,048,576 bytes.';
    await expect.poll(() => frames[0]).toMatchObject({ type: 'error', message });
    socket.send('x'.repeat(20_000_000));
    expect(await closed).toBe(1009);
  });

  test('bytes that are no WebSocket frame end the connection', async () => {
    const { socket, closed } = await visit();
    (socket as unknown as { _socket: Socket })._socket.write(randomBytes(4_000));
    expect([1002, 1006, 1009]).toContain(await closed);
  });

  test('a mistyped command is answered without a model, and two slashes send one', async () => {
    gateway.model.script([reply('A fine word.')]);
    const before = gateway.model.requests.length;
    const client = new WebClient(gateway, 'slips');
    onTestFinished(() => client.close());
    client.say('m1', '/statsu');
    await client.until(({ parts }) => parts.length === 1, 'to be told');
    expect(client.texts[0]).toMatch(/^There is no command \/statsu\. Did you mean \/status\?/);
    client.say('m2', '//statsu');
    await client.until(({ parts }) => parts.length === 2, 'for the answer');
    expect(gateway.model.requests).toHaveLength(before + 1);
    const messages = gateway.model.requests.at(-1)?.json.messages as { readonly content: unknown }[];
    expect(messages.at(-1)?.content).toBe('/statsu');
  });

  test('hundreds of messages at once are either answered or sent away, and none is lost or answered twice', async () => {
    gateway.model.script(({ json }) => reply(`to ${JSON.stringify((json.messages as unknown[]).at(-1)).length}`));
    const client = new WebClient(gateway, 'flood');
    onTestFinished(() => client.close());
    await client.until(({ isReady }) => isReady, 'for the greeting');
    const count = 100;
    for (let each = 0; each < count; each++) client.say(`m${each}`, `message ${each}`);
    await client.until(({ accepted }) => accepted.size === count, 'for all to be accepted', 120_000);
    const runs = new Set([...client.accepted.values()].map(({ runId }) => runId));
    expect(runs.size).toBe(count);
    await client.until(
      ({ parts }) => new Set(parts.map(({ runId }) => runId)).size === count,
      'for all answers',
      120_000,
    );
    expect(client.repeated).toEqual([]);
  }, 300_000);
});

describe('clients that take their time', () => {
  test('half a request does not keep other clients waiting', async () => {
    const { hostname, port } = new URL(gateway.url ?? '');
    const sockets = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const [index, socket] of sockets.entries()) {
      socket.on('error', () => {});
      const isBody = index % 2 === 0;
      const head = `POST /api/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\n`;
      socket.write(isBody ? `${head}Content-Length: 1000\r\n\r\n{"text":` : head);
    }
    gateway.model.script([reply('Quick.')]);
    expect(await ask('hello')).toMatchObject({ status: 200, text: 'Quick.' });
  });

  test('rubbish instead of HTTP is hung up on', async () => {
    const { hostname, port } = new URL(gateway.url ?? '');
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.write(randomBytes(2_000));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer).toMatch(/^(HTTP\/1\.1 400 |$)/);
  });
});

describe('what a model says', () => {
  test('10 MB of answer arrive whole, streamed and not', async () => {
    const size = 10 * 1024 * 1024;
    gateway.model.script([huge(size), huge(size)]);
    expect((await ask('talk')).text).toHaveLength(size);
    const response = await gateway.fetch('/v1/chat/completions', {
      body: { model: 'atrium', stream: true, messages: [{ role: 'user', content: 'talk' }] },
    });
    let length = 0;
    for (const line of (await response.text()).split('\n')) {
      if (!line.startsWith('data: {')) continue;
      const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
      length += choices[0]?.delta.content?.length ?? 0;
    }
    expect(length).toBe(size);
  });

  test('10 MB of answer arrive whole on a page', async () => {
    const size = 10 * 1024 * 1024;
    gateway.model.script([huge(size)]);
    const client = new WebClient(gateway, 'huge');
    onTestFinished(() => client.close());
    client.say('1', 'talk');
    const shown = () => client.texts.reduce((sum, text) => sum + text.length, 0);
    await client.until(() => shown() >= size, 'for the whole answer');
    expect(shown()).toBe(size);
    expect(client.repeated).toEqual([]);
  });

  test('a stream that makes no sense is asked for again', async () => {
    gateway.model.script([malformed(), reply('Now it makes sense.')]);
    expect(await ask('hello')).toMatchObject({ status: 200, text: 'Now it makes sense.' });
    gateway.model.script([raw('\u0000\u0001 rubbish\n\n'), reply('So does this.')]);
    expect(await ask('hello')).toMatchObject({ status: 200, text: 'So does this.' });
  });

  test('paths that lead out of the workspace are refused, and the model is told', async () => {
    const outside = join(gateway.home.home, 'outside');
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'secret.txt'), 'the secret of the house');
    await mkdir(gateway.home.path('workspace'), { recursive: true });
    await symlink(outside, gateway.home.path('workspace/door')).catch(() => {});
    const secret = join(outside, 'secret.txt');
    const paths = [
      '../../outside/secret.txt',
      secret,
      'door/secret.txt',
      `./././../../outside/secret.txt`,
      '~/outside/secret.txt',
      'a\u0000b',
      '',
      '/etc/passwd',
      '../openclaw.json',
    ];
    gateway.model.script([
      toolCalls([
        ...paths.map((path) => ({ name: 'read', params: { path } })),
        { name: 'write', params: { path: '../../outside/secret.txt', content: 'gone' } },
        { name: 'write', params: { path: 'door/new.txt', content: 'x' } },
        { name: 'edit', params: { path: secret, oldText: 'secret', newText: 'gone' } },
        { name: 'read', params: '{"path": "half' },
        { name: 'read', params: { path: { nested: true } } },
        { name: 'nothing', params: {} },
        { name: '__proto__', params: {} },
      ]),
      reply('I cannot.'),
    ]);
    expect(await ask('fetch the secret')).toMatchObject({ status: 200, text: 'I cannot.' });
    const sent = gateway.model.requests.at(-1)?.json.messages as { role: string; content: string }[];
    const results = sent.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toHaveLength(paths.length + 7);
    expect(results.join('\n')).not.toMatch(/secret of the house|test-key|root:/);
    expect(await gateway.home.read('../outside/secret.txt')).toBe('the secret of the house');
    await expect(gateway.home.read('../outside/new.txt')).rejects.toThrow();
  });
});

test('what was accepted before all of this is still there', async () => {
  const { runs } = await gateway.json<{ runs: { status: string }[] }>('/api/runs?limit=500');
  expect(runs.length).toBeGreaterThan(100);
  expect(runs.filter(({ status }) => status !== 'done')).toEqual([]);
  expect((await gateway.fetch('/readyz')).status).toBe(200);
});
