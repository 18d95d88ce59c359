// Tests all HTTP providers against a real server, in everything that they have in common: the suite, and failures.

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  cutAfter,
  errorEvent,
  fail,
  hang,
  huge,
  type ModelReply,
  ModelServer,
  malformed,
  raw,
  reply,
  thought,
  toolCall,
  toolCalls,
} from '../testkit/model-server.ts';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import { createGoogleModel } from './google/google-model.ts';
import { MOST_TOOL_CALLS, type Model } from './model.ts';
import { describeModel, read, requestOf } from './model-suite.ts';
import { createOpenAiCompatibleModel } from './openai-compatible/openai-compatible-model.ts';
import { createOpenAiResponsesModel } from './openai-responses/openai-responses-model.ts';
import type { WireModelSettings } from './wire-model.ts';

const NOW = Date.parse('2026-05-06T10:00:00Z');
const KEY = 'sk-test-0123456789abcdef';

const providers = [
  { name: 'anthropic', create: createAnthropicModel, model: 'claude-sonnet-4-6', cutCall: '{"path":"AG' },
  { name: 'openai-compatible', create: createOpenAiCompatibleModel, model: 'gpt-5.4', cutCall: '{"path":"AG' },
  { name: 'openai-responses', create: createOpenAiResponsesModel, model: 'gpt-5.4', cutCall: '{"path":"AG' },
  { name: 'google', create: createGoogleModel, model: 'gemini-2.5-flash', cutCall: '{"path":"AG' },
];

describe.each(providers)('$name over HTTP', ({ name, create, model: id, cutCall }) => {
  describeModel(name, async () => {
    const server = await ModelServer.start();
    const answers = (answer: ModelReply) => {
      server.script(() => answer);
      return requestOf('Hello');
    };
    return {
      model: create({ provider: name, model: id, baseUrl: server.baseUrl, apiKey: KEY, now: () => NOW }),
      says: (text) => answers(reply(text)),
      calls: (...calls) => answers(toolCalls(calls.map((call) => ({ name: call.name, params: call.input })))),
      isRateLimited: (seconds) => answers(fail(429, { retryAfter: seconds })),
      dawdles: () => answers(hang('Hold on')),
      sent: () => server.requests.map(({ body }) => body),
      sawHangUp: () => server.waitForClosedEarly(1),
      close: () => server.close(),
    };
  });

  let server: ModelServer;
  let model: Model;
  const settings = (changes: Partial<WireModelSettings> = {}): WireModelSettings => ({
    provider: name,
    model: id,
    baseUrl: server.baseUrl,
    apiKey: KEY,
    now: () => NOW,
    ...changes,
  });
  const answerTo = async (answer: ModelReply, asked: Model = model) => {
    server.script([answer]);
    return read(asked, await asked.prepare(requestOf('Hello')));
  };

  beforeAll(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => {
    model = create(settings());
  });
  afterAll(() => server.close());

  describe('secrets', () => {
    it('travel with the request and are not part of what is written down', async () => {
      const asked = create(settings({ headers: { 'X-Team': 'blue-team-pass' } }));
      const wire = await asked.prepare(requestOf('Hello'));
      expect(JSON.stringify(wire)).not.toContain(KEY);
      expect(JSON.stringify(wire)).not.toContain('blue-team-pass');
      server.script([reply('hi')]);
      await read(asked, wire);
      const headers = server.requests.at(-1)?.headers ?? {};
      expect(JSON.stringify(headers)).toContain(KEY);
      expect(headers['x-team']).toBe('blue-team-pass');
    });

    it('are not repeated when a provider echoes them', async () => {
      const { end } = await answerTo(
        fail(401, { message: `Bad key ${KEY}\u001b[31m\nand another: sk-other-123456789` }),
      );
      expect(end.error).toMatchObject({ kind: 'auth', status: 401, retryable: false });
      expect(end.error?.message).toBe(`${name} answered 401: Bad key [redacted] and another: [redacted]`);
    });

    it('of an address are sent as a login', async () => {
      const url = server.baseUrl.replace('//', '//ana:s%20cret@');
      const asked = create({ provider: name, model: id, baseUrl: url, now: () => NOW });
      expect((await asked.prepare(requestOf('Hello'))).url).not.toContain('ana');
      await answerTo(reply('hi'), asked);
      expect(server.requests.at(-1)?.headers.authorization).toBe(
        `Basic ${Buffer.from('ana:s cret').toString('base64')}`,
      );
    });

    it('go to the host that they were meant for, and to no other', async () => {
      const wire = await model.prepare(requestOf('Hello'));
      const before = server.requests.length;
      const moved = create(settings({ baseUrl: 'http://127.0.0.1:9/v1' }));
      const { end } = await read(moved, wire);
      expect(end.error).toMatchObject({ kind: 'bad-request', retryable: false });
      expect(end.error?.message).toContain(new URL(server.baseUrl).origin);
      expect(server.requests).toHaveLength(before);
    });

    it('are left out when there are none, and nothing takes their place', async () => {
      const asked = create({ provider: name, model: id, baseUrl: server.baseUrl, now: () => NOW });
      await answerTo(reply('hi'), asked);
      const headers = server.requests.at(-1)?.headers ?? {};
      expect(headers.authorization).toBeUndefined();
      expect(headers['x-api-key']).toBeUndefined();
      expect(headers['user-agent']).toMatch(/^atrium\/[\d.]+$/);
    });
  });

  describe('a refusal', () => {
    it.each([
      [400, 'bad-request', false],
      [401, 'auth', false],
      [402, 'auth', false],
      [403, 'auth', false],
      [404, 'bad-request', false],
      [408, 'timeout', true],
      [413, 'context-length', false],
      [429, 'rate-limit', true],
      [500, 'server', true],
      [502, 'server', true],
      [503, 'overloaded', true],
      [529, 'overloaded', true],
    ])('with status %i is %s', async (status, kind, retryable) => {
      const { end } = await answerTo(fail(status));
      expect(end.error).toEqual({
        kind,
        status,
        retryable,
        message: `${name} answered ${status}: Scripted failure ${status}`,
      });
      expect(end.requestId).toMatch(/^req_\d+$/);
    });

    it('whose body never ends is told by its status and what has come of it', async () => {
      const left = server.closedEarly;
      const { end } = await answerTo(fail(401, { hangs: true }), create(settings({ timeoutMs: 300 })));
      expect(end.error).toMatchObject({ kind: 'auth', message: `${name} answered 401: Scripted failure 401` });
      await server.waitForClosedEarly(left + 1);
    });

    it('says what is wrong with a field when its reason is a list', async () => {
      const body = JSON.stringify({ detail: [{ loc: ['body', 'messages', 0], msg: 'Field required' }] });
      const { end } = await answerTo(fail(422, { body }));
      expect(end.error?.message).toBe(`${name} answered 422: body.messages.0: Field required`);
    });

    it('for want of credit is not tried again, whatever its status', async () => {
      const body = JSON.stringify({ error: { message: 'No credit.', code: 'insufficient_quota' } });
      for (const status of [200, 429]) {
        const { end } = await answerTo(fail(status, { body }));
        expect(end.error).toMatchObject({ kind: 'rate-limit', retryable: false });
      }
    });

    it.each([
      'prompt is too long: 210000 tokens > 200000 maximum',
      "This model's maximum context length is 128000 tokens.",
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
      'the request exceeds the available context size',
    ])('for a conversation that is too long is told apart: %s', async (message) => {
      expect((await answerTo(fail(400, { message }))).end.error?.kind).toBe('context-length');
    });

    it.each([
      ['seconds', { 'retry-after': '12' }, 12_000],
      ['parts of a second', { 'retry-after': '0.5' }, 500],
      ['a date', { 'retry-after': new Date(NOW + 30_000).toUTCString() }, 30_000],
      ['a date that has passed', { 'retry-after': new Date(NOW - 30_000).toUTCString() }, 0],
      ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
      ['rubbish', { 'retry-after': 'soon' }, undefined],
    ])('says when to try again in %s', async (_, headers, retryAfterMs) => {
      expect((await answerTo(fail(429, { headers }))).end.error?.retryAfterMs).toBe(retryAfterMs);
    });

    it('because nothing is left on the account is not tried again', async () => {
      const body = JSON.stringify({ error: { message: 'You have no credit', code: 'insufficient_quota' } });
      expect((await answerTo(fail(429, { body }))).end.error).toMatchObject({ kind: 'rate-limit', retryable: false });
    });

    it('with a huge body is read only as far as it matters', async () => {
      const body = `{"error":{"message":"Too much ${'x'.repeat(5_000_000)}"}}`;
      const { end } = await answerTo(fail(500, { body }));
      expect(end.error?.message).toMatch(new RegExp(`^${name} answered 500: Too much x+…$`));
      expect(end.error?.message.length).toBeLessThanOrEqual(300);
      expect(end.responseBytes).toBeLessThan(500_000);
    });

    it('with a web page is told without the page', async () => {
      const page = { headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><title>Oops</title>' };
      expect((await answerTo(fail(502, page))).end.error?.message).toBe(`${name} answered 502`);
      expect((await answerTo(fail(200, page))).end.error).toMatchObject({
        kind: 'malformed',
        message: `${name} answered with a web page. Check its baseUrl.`,
      });
    });

    it('by a redirect is not followed', async () => {
      const { end } = await answerTo(fail(307, { headers: { location: 'http://127.0.0.1:9/elsewhere' } }));
      expect(end.error).toMatchObject({ kind: 'bad-request', retryable: false });
      expect(end.error?.message).toContain('redirects to http://127.0.0.1:9/elsewhere');
    });

    it('by a redirect shows neither the query nor the login of the address', async () => {
      for (const [location, shown] of [
        ['https://ana:pass@other.example/v1/chat?token=hunter2#frag', 'https://other.example/v1/chat?…'],
        ['/login?next=hunter2', '/login?…'],
        ['//ana:hunter2@[broken?token=hunter2', undefined],
      ] as const) {
        const { end } = await answerTo(fail(302, { headers: { location } }));
        expect(end.error?.message).toBe(
          `${name} redirects${shown ? ` to ${shown}` : ''}. Put the final address into its baseUrl.`,
        );
      }
    });

    it('that calls itself a success is still one', async () => {
      const body = JSON.stringify({ error: { message: 'Busy', code: 429 } });
      expect((await answerTo(fail(200, { body }))).end.error).toMatchObject({ kind: 'rate-limit', retryable: true });
    });
  });

  describe('a stream', () => {
    it('that is cut in the middle keeps its text and is a network failure', async () => {
      const { text, end } = await answerTo(cutAfter(20));
      expect(text).toBe('This answer will nev');
      expect(end.error).toMatchObject({ kind: 'network', retryable: true });
    });

    it('that is cut in a tool call tells no tool call', async () => {
      const answer = { ...toolCall('read', cutCall), ending: 'cut' } as const;
      const { events, end } = await answerTo(answer);
      expect(events.map(({ type }) => type)).toEqual(['end']);
      expect(end.error?.kind).toBe('network');
    });

    it('that is malformed says so', async () => {
      const { text, end } = await answerTo(malformed());
      expect(text).toBe('So far');
      expect(end.error).toMatchObject({ kind: 'malformed', retryable: true });
    });

    it.each([
      ['nothing at all', ''],
      ['no events', 'hello\n\nworld\n\n'],
      ['rubbish at once', 'data: {{{\n\n'],
      ['an event of another kind', 'data: {"type":"surprise"}\n\n'],
      ['bytes', '\u0000\u0001\ufffd\n\n'],
    ])('of %s is malformed', async (_, bytes) => {
      const { events, end } = await answerTo(raw(bytes));
      expect(events).toHaveLength(1);
      expect(end.error?.kind).toBe('malformed');
    });

    it.each([
      ['overloaded_error', 'overloaded', true],
      ['rate_limit_error', 'rate-limit', true],
      ['api_error', 'server', true],
      ['authentication_error', 'auth', false],
      ['invalid_request_error', 'bad-request', false],
    ])('that reports %s ends with it, at the start and in the middle', async (type, kind, retryable) => {
      for (const text of ['', 'So far so good']) {
        const answered = await answerTo(errorEvent(type, 'Sorry', text));
        expect(answered.text).toBe(text);
        expect(answered.end.error).toMatchObject({ kind, retryable, message: `${name} reported an error: Sorry` });
      }
    });

    it.each([
      ['from the start', ''],
      ['in the middle', 'So far'],
    ])('that stays silent %s is given up', async (_, text) => {
      const impatient = create(settings({ timeoutMs: 300 }));
      const left = server.closedEarly;
      const answered = await answerTo(hang(text), impatient);
      expect(answered.text).toBe(text);
      expect(answered.end.error).toMatchObject({
        kind: 'timeout',
        retryable: true,
        message: `${name} was silent for 0.3 seconds`,
      });
      await server.waitForClosedEarly(left + 1);
    });

    it('that says more than sixteen megabytes is given up', async () => {
      const { end } = await answerTo(huge(17 * 1024 * 1024));
      expect(end.error).toMatchObject({ kind: 'malformed', message: `${name} said more than 16 MiB in one answer` });
    });

    it('may ask for many tool calls, but not for a flood of them', async () => {
      const calls = (count: number) => toolCalls(Array.from({ length: count }, () => ({ name: 'read' })));
      const many = await answerTo(calls(MOST_TOOL_CALLS));
      expect(many.events.filter(({ type }) => type === 'tool-call')).toHaveLength(MOST_TOOL_CALLS);
      expect(many.end.stop).toBe('tool-calls');
      const flood = await answerTo(calls(MOST_TOOL_CALLS + 1));
      expect(flood.events.filter(({ type }) => type === 'tool-call')).toEqual([]);
      expect(flood.end.error).toMatchObject({
        kind: 'malformed',
        message: `${name} asked for more than ${MOST_TOOL_CALLS} tool calls in one answer`,
      });
    });

    it('tells thoughts apart from the answer', async () => {
      const { events, text } = await answerTo(thought('Hm, kettle or pot?', 'Kettle.'));
      expect(text).toBe('Kettle.');
      expect(events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join('')).toBe(
        'Hm, kettle or pot?',
      );
    });

    it('says why it ended', async () => {
      expect((await answerTo(reply('All of it'))).end.stop).toBe('stop');
      expect((await answerTo(reply('Not all of', { stop: 'length' }))).end.stop).toBe('length');
      expect((await answerTo(reply('No.', { stop: 'refusal' }))).end.stop).toBe('refusal');
      expect((await answerTo(toolCall('read', { path: 'A' }, 'Let me look.'))).end.stop).toBe('tool-calls');
    });

    it('that ran out of tokens in the middle of a tool call does not tell that call', async () => {
      const { events, end } = await answerTo({ ...toolCall('read', cutCall, 'Let me'), stop: 'length' });
      expect(events.map(({ type }) => type)).toEqual(['text-delta', 'end']);
      expect(end.stop).toBe('length');
    });

    it('passes broken parameters on as the model wrote them', async () => {
      const { events } = await answerTo(toolCall('read', cutCall));
      expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call', name: 'read', input: cutCall }));
    });

    it('reports what was used, cached tokens within the input', async () => {
      const { end } = await answerTo(reply('hi', { usage: { input: 1200, output: 7, cacheRead: 1000 } }));
      expect(end.usage).toEqual({ input: 1200, output: 7, cacheRead: 1000, cacheWrite: 0 });
      expect(end.responseBytes).toBeGreaterThan(100);
    });
  });

  describe('a connection', () => {
    it('that no server accepts is a network failure', async () => {
      const asked = create(settings({ baseUrl: 'http://127.0.0.1:1/v1' }));
      const { end } = await read(asked, await asked.prepare(requestOf('Hello')));
      expect(end.error).toEqual({
        kind: 'network',
        retryable: true,
        message: `${name} cannot be reached: nothing listens there (ECONNREFUSED)`,
      });
    });

    it('that is reset before the answer is a network failure', async () => {
      const rude = createServer((socket) => socket.on('data', () => socket.resetAndDestroy()).on('error', () => {}));
      await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
      const { port } = rude.address() as { port: number };
      const asked = create(settings({ baseUrl: `http://127.0.0.1:${port}/v1` }));
      const { end } = await read(asked, await asked.prepare(requestOf('Hello')));
      expect(end.error).toMatchObject({ kind: 'network', retryable: true });
      await new Promise((resolve) => rude.close(resolve));
    });

    it('to something that speaks no HTTP is a network failure', async () => {
      const other = createServer((socket) =>
        socket.on('data', () => socket.end('220 ready\r\n')).on('error', () => {}),
      );
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as { port: number };
      const asked = create(settings({ baseUrl: `http://127.0.0.1:${port}/v1` }));
      const { end } = await read(asked, await asked.prepare(requestOf('Hello')));
      expect(end.error?.kind).toBe('network');
      await new Promise((resolve) => other.close(resolve));
    });

    it('that the other side closed while it was idle is replaced without a word', async () => {
      const connections: number[] = [];
      const forgetful = createHttpServer((request, response) => {
        request.resume();
        const port = request.socket.remotePort ?? 0;
        if (connections.includes(port)) return request.socket.resetAndDestroy();
        connections.push(port);
        response.writeHead(529, { 'content-type': 'application/json' }).end('{}');
      });
      await new Promise<void>((resolve) => forgetful.listen(0, '127.0.0.1', resolve));
      const { port } = forgetful.address() as { port: number };
      const asked = create(settings({ baseUrl: `http://127.0.0.1:${port}/v1` }));
      const wire = await asked.prepare(requestOf('Hello'));
      for (let turn = 0; turn < 2; turn++) {
        expect((await read(asked, wire)).end.error?.status).toBe(529);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(connections).toHaveLength(2);
      forgetful.closeAllConnections();
      await new Promise((resolve) => forgetful.close(resolve));
    });

    it('serves the next request too', async () => {
      // On a busy machine a connection may not be free again when the next request is made, so a few may be opened.
      const ports: (number | undefined)[] = [];
      while (new Set(ports).size === ports.length && ports.length < 20) {
        await answerTo(reply('hi', { pauseMs: 5 }));
        ports.push(server.requests.at(-1)?.clientPort);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(new Set(ports).size).toBeLessThan(ports.length);
    });
  });

  it('cannot write down a conversation without messages', async () => {
    await expect(model.prepare(requestOf('', { messages: [] }))).rejects.toMatchObject({
      code: 'ATRIUM_MODEL_REQUEST',
      message: `The request cannot be put into the form that ${name} needs: it has no messages.`,
    });
  });
});
