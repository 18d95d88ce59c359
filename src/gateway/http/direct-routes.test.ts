// Each request is sent to a gateway that answers directly and to one that has only the app. A client must not be able to
// tell them apart.

import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpApp, type HttpAppOptions } from './create-http-app.ts';
import { createDirectRoutes } from './direct-routes.ts';
import { TEST_TOKEN, TestApi } from './fixtures/test-api.ts';
import { type Listening, listen } from './listen.ts';
import { ROUTES } from './routes/all-routes.ts';
import { FIRST_ROUTES } from './routes/first-routes.ts';
import { TokenGuard } from './token-guard.ts';

let api: TestApi;
let direct: Listening;
let plain: Listening;
let answered = 0;
let state: ReturnType<HttpAppOptions['state']> = 'ready';

beforeAll(async () => {
  api = await TestApi.open();
  const options = api.options({ state: () => state });
  const guard = new TokenGuard(options.token, options.now);
  const answer = createDirectRoutes(options, guard);
  const place = { host: '127.0.0.1', port: 0, attach: () => {} };
  direct = await listen({
    ...place,
    app: () => createHttpApp(options, guard),
    direct: (incoming, outgoing) => {
      const isAnswered = answer(incoming, outgoing);
      if (isAnswered) answered++;
      return isAnswered;
    },
  });
  plain = await listen({ ...place, app: () => createHttpApp(api.options({ state: () => state })) });
});
afterAll(async () => {
  await Promise.all([direct, plain].map((each) => each.close(0)));
  await api.close();
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const said = (more: object = {}) =>
  JSON.stringify({ model: 'atrium', user: 'ann', messages: [{ role: 'user', content: 'Hello' }], ...more });
const json = { 'content-type': 'application/json' };
const token = { authorization: `Bearer ${TEST_TOKEN}` };

const PLAIN: readonly [string, Asked][] = [
  ['a message', { body: said() }],
  ['a message whose answer is streamed', { body: said({ stream: true, stream_options: { include_usage: true } }) }],
  ['a message with fields that tune the answer', { body: said({ temperature: 1, seed: 3 }) }],
  ['a field that is not known', { body: said({ temprature: 1 }) }],
  ['a value that is not allowed', { body: said({ temperature: 9 }) }],
  ['a message for an agent that is not there', { body: said({ model: 'atrium/nobody' }) }],
  ['a field of the wrong kind', { body: said({ messages: 'hi' }) }],
  ['a body that is no JSON', { body: '{"model":' }],
  ['an empty body', { body: '' }],
  ['a body that is no text', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  ['a body with a byte-order mark', { body: `\ufeff${said()}` }],
  ['a body that is too long', { headers: { 'content-length': String(33 * 1_048_576) } }],
  ['a message without a token', { headers: { authorization: '' }, body: said() }],
  ['a message with a wrong token', { headers: { authorization: 'Bearer wrong' }, body: said() }],
  ['a message to another host', { headers: { host: 'evil.example' }, body: said() }],
  ['whether it is ready', { method: 'GET', path: '/readyz' }],
  ['whether it is alive', { method: 'GET', path: '/healthz' }],
  ['whether it is ready, without a token', { method: 'GET', path: '/readyz', headers: { authorization: '' } }],
  ['whether it is alive, from another host', { method: 'GET', path: '/healthz', headers: { host: 'evil.example' } }],
  ['whether it is alive, with a body', { method: 'GET', path: '/healthz', body: 'words' }],
  ['a header that is too long', { headers: { 'x-openclaw-session-key': 'x'.repeat(600) }, body: said() }],
];

const OTHER: readonly [string, Asked][] = [
  ['a page of another origin', { headers: { origin: 'https://evil.example' }, body: said() }],
  ['the page itself', { headers: { origin: 'http://127.0.0.1' }, body: said() }],
  ['another method', { method: 'GET' }],
  ['whether it is ready, of a page', { method: 'GET', path: '/readyz', headers: { origin: 'http://127.0.0.1' } }],
  ['a query', { path: '/v1/chat/completions?x=1', body: said() }],
];

describe('a request that is answered directly', () => {
  it.each(PLAIN)('is answered as the app would: %s', async (_, asked) => {
    const before = answered;
    const [ours, theirs] = [await ask(direct, asked), await ask(plain, asked)];
    expect(answered).toBe(before + 1);
    expect(ours).toEqual(theirs);
  });

  it('is refused while the gateway is not ready', async () => {
    state = 'draining';
    const [ours, theirs] = [await ask(direct, { body: said() }), await ask(plain, { body: said() })];
    state = 'ready';
    expect(ours).toEqual(theirs);
    expect(ours.status).toBe(503);
  });

  it('says that the gateway is not ready', async () => {
    state = 'starting';
    const asked = { method: 'GET', path: '/readyz' };
    const [ours, theirs] = [await ask(direct, asked), await ask(plain, asked)];
    state = 'ready';
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject({ status: 503, text: '{"status":"starting"}' });
  });

  it('leaves everything else to the app', async () => {
    for (const [name, asked] of OTHER) {
      const before = answered;
      const [ours, theirs] = [await ask(direct, asked), await ask(plain, asked)];
      expect(answered, name).toBe(before);
      expect(ours, name).toEqual(theirs);
    }
  });

  it('counts wrong tokens together with the app', async () => {
    const options = api.options();
    const guard = new TokenGuard(options.token, options.now);
    const both = await listen({
      ...{ host: '127.0.0.1', port: 0, attach: () => {} },
      app: () => createHttpApp(options, guard),
      direct: createDirectRoutes(options, guard),
    });
    const wrong = { authorization: 'Bearer wrong' };
    for (let count = 0; count < 5; count++) {
      expect((await ask(both, { headers: wrong, body: said() })).status).toBe(401);
      expect((await ask(both, { headers: wrong, method: 'GET', path: '/api/status' })).status).toBe(401);
    }
    expect((await ask(both, { headers: wrong, body: said() })).status).toBe(429);
    await both.close(0);
  });
});

/** What differs from one request to the next is left out: ids and times, and how the length of the body is told. */
async function ask({ port }: Listening, { method = 'POST', path = '/v1/chat/completions', headers, body }: Asked) {
  const answer = await new Promise<{ status?: number; headers: object; text: string }>((resolve, reject) => {
    const asked = httpRequest(
      { host: '127.0.0.1', port, method, path, agent: false, headers: { ...json, ...token, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    if (headers?.['content-length'] === undefined) asked.end(body);
    else asked.flushHeaders();
  });
  const { date: _, 'content-length': __, 'transfer-encoding': ___, ...told } = answer.headers as Record<string, string>;
  const withoutIds = (text: string) => text.replace(/run_\w+/g, 'run_').replace(/"created":\d+/g, '"created":0');
  return {
    status: answer.status,
    headers: JSON.parse(withoutIds(JSON.stringify(told))),
    text: textOf(withoutIds(answer.text)),
  };
}

/** How a text is cut into chunks depends on when its pieces came. */
function textOf(text: string): unknown {
  return text.startsWith('data: ')
    ? [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')
    : text;
}

it('has every direct route among those that are loaded at the start', () => {
  expect(
    ROUTES.filter(({ isDirect, ...route }) => isDirect && !FIRST_ROUTES.some(({ path }) => path === route.path)),
  ).toEqual([]);
});
