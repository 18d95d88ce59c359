// OpenAI's own client against the built gateway as a process, with a model over HTTP behind it. The details of the
// protocol are tested beside the routes; these tests cover the whole way.

import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIUserAbortError } from 'openai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { gate } from '../testkit/gate.ts';
import { GatewayProcess } from '../testkit/gateway-process.ts';
import { after, cutAfter, fail, hang, reply, toolCall } from '../testkit/model-server.ts';

const user = (content: string) => ({ role: 'user', content }) as const;
const ask = (content: string) => ({ model: 'atrium/main', messages: [user(content)] });

let gateway: GatewayProcess;
let client: OpenAI;
beforeAll(async () => {
  gateway = await GatewayProcess.create({ files: { 'workspace/notes.md': 'The door code is 4711.\n' } });
  await gateway.start();
  client = clientOf(gateway);
});
afterAll(() => gateway.close());

function clientOf({ url, token }: GatewayProcess, options: { readonly maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: token, ...options });
}

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

describe('an answer', () => {
  test('in one piece, with its usage', async () => {
    gateway.model.script([reply('Good day.', { usage: { input: 20, output: 3 } })]);
    expect(await client.chat.completions.create(ask('hello'))).toMatchObject({
      choices: [{ message: { role: 'assistant', content: 'Good day.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 3 },
    });
  });

  test('word by word', async () => {
    const text = 'A sentence that is long enough to come in several pieces, one after the other.';
    gateway.model.script([reply(text)]);
    const stream = await client.chat.completions.create({ ...ask('talk'), stream: true });
    const pieces: string[] = [];
    for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '');
    expect(pieces.join('')).toBe(text);
    expect(pieces.filter((piece) => piece !== '').length).toBeGreaterThan(1);
  });

  test('that needed a tool', async () => {
    gateway.model.script([toolCall('read', { path: 'notes.md' }, 'Let me look.'), reply('It is 4711.')]);
    expect(await textOf(await client.chat.completions.create({ ...ask('the code?'), stream: true }))).toBe(
      'Let me look.\n\nIt is 4711.',
    );
    expect(gateway.model.requests.at(-1)?.body).toContain('The door code is 4711.');
  });

  test('in the session of a user, where only what is new counts', async () => {
    gateway.model.script([reply('Noted.'), reply('Blue.')]);
    const first = { ...ask('My colour is blue.'), user: 'ana' };
    await client.chat.completions.create(first);
    const messages = [...first.messages, { role: 'assistant', content: 'Noted.' } as const, user('Which colour?')];
    await client.chat.completions.create({ ...first, messages });
    const sent = gateway.model.requests.at(-1)?.json.messages as { role: string; content: string }[];
    const said = sent.filter(({ role }) => role !== 'system').map(({ content }) => content);
    expect(said).toHaveLength(3);
    expect(said.join('\n').match(/My colour is blue/g)).toHaveLength(1);
  });

  test('for each of many at once is its own', async () => {
    gateway.model.script(({ json }) => {
      const said = JSON.stringify((json.messages as unknown[]).at(-1));
      return reply(`Answer ${/question (\d+)/.exec(said)?.[1]}.`);
    });
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const completion = await client.chat.completions.create(ask(`question ${number}`));
        return completion.choices[0]?.message.content;
      }),
    );
    expect(answers).toEqual(numbers.map((number) => `Answer ${number}.`));
  });
});

describe('a client that goes away', () => {
  test('ends its run and the request to the model', async () => {
    gateway.model.script([hang('I was about to')]);
    const leftBefore = gateway.model.closedEarly;
    const stream = await client.chat.completions.create({ ...ask('wait'), stream: true, user: 'gone' });
    for await (const chunk of stream) {
      if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
    }
    stream.controller.abort();
    await gateway.model.waitForClosedEarly(leftBefore + 1);
    await expect.poll(() => statusOfLast('agent:main:api:direct:gone')).toBe('stopped');
  });

  test('also while nothing was said yet', async () => {
    gateway.model.script([hang()]);
    const leftBefore = gateway.model.closedEarly;
    const requests = gateway.model.requests.length;
    const leave = new AbortController();
    const asked = client.chat.completions.create({ ...ask('wait') }, { signal: leave.signal });
    await gateway.model.waitForRequests(requests + 1);
    leave.abort();
    await expect(asked).rejects.toBeInstanceOf(APIUserAbortError);
    await gateway.model.waitForClosedEarly(leftBefore + 1);
  });

  test('with an idempotency key finds its answer when it asks again, and the model was asked once', async () => {
    const { opened: finished, open: finish } = gate();
    gateway.model.script([after(finished, reply('Only once.'))]);
    const requests = gateway.model.requests.length;
    const leave = new AbortController();
    const again = { headers: { 'idempotency-key': 'key-1' } };
    const asked = client.chat.completions.create(ask('once'), { ...again, signal: leave.signal });
    await gateway.model.waitForRequests(requests + 1);
    leave.abort();
    await expect(asked).rejects.toBeInstanceOf(APIUserAbortError);
    finish();
    const first = await client.chat.completions.create(ask('once'), again);
    const streamed = await textOf(await client.chat.completions.create({ ...ask('once'), stream: true }, again));
    expect([first.choices[0]?.message.content, streamed]).toEqual(['Only once.', 'Only once.']);
    expect(gateway.model.requests).toHaveLength(requests + 1);
    await expect(client.chat.completions.create(ask('something else'), again)).rejects.toMatchObject({ status: 422 });
  });

  async function statusOfLast(sessionKey: string): Promise<string | undefined> {
    const { runs } = await gateway.json<{ runs: { status: string }[] }>(
      `/api/runs?session=${encodeURIComponent(sessionKey)}&limit=1`,
    );
    return runs[0]?.status;
  }
});

describe('an error', () => {
  test.each([
    ['a wrong key', 401, 'ATRIUM_HTTP_TOKEN_WRONG', { apiKey: 'no' }, {}],
    ['an unknown agent', 404, 'ATRIUM_AGENT_UNKNOWN', {}, { model: 'atrium/nobody' }],
    ['a model that is none of ours', 404, undefined, {}, { model: 'gpt-5' }],
    [
      'a tool that is no function',
      400,
      'ATRIUM_HTTP_REQUEST_INVALID',
      {},
      { tools: [{ type: 'custom', custom: { name: 'x' } }] },
    ],
    [
      'a tool with the name of one of the agent’s own',
      400,
      'ATRIUM_CLIENT_TOOL_NAME',
      {},
      { tools: [{ type: 'function', function: { name: 'read' } }] },
    ],
    ['no messages', 400, 'ATRIUM_HTTP_REQUEST_INVALID', {}, { messages: [] }],
  ])('%s', async (_, status, code, options, body) => {
    const other = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0, ...options });
    const asked = other.chat.completions.create({ ...ask('hello'), ...body } as OpenAI.ChatCompletionCreateParams);
    await expect(asked).rejects.toMatchObject({ status, ...(code === undefined ? {} : { code }) });
    await expect(asked).rejects.toThrow(/[.)]$/);
  });

  test('of the provider is told once, and the client does not try again by itself', async () => {
    gateway.model.script([fail(401)]);
    const requests = gateway.model.requests.length;
    await expect(client.chat.completions.create(ask('hello'))).rejects.toMatchObject({ status: 502 });
    await sleep(50);
    expect(gateway.model.requests).toHaveLength(requests + 1);
  });

  test('in the middle of a stream is mended by another try when nothing was said', async () => {
    gateway.model.script([cutAfter(0), reply('Here I am.')]);
    expect(await textOf(await client.chat.completions.create({ ...ask('hello'), stream: true }))).toBe('Here I am.');
  });
});

test.each([
  '/statsu',
  '//status',
  '/status@my_bot',
])('%j is what the client means, and reaches the model', async (text) => {
  gateway.model.script([reply('As you say.')]);
  const answer = await client.chat.completions.create(ask(text));
  expect(answer.choices[0]?.message.content).toBe('As you say.');
  expect((gateway.model.requests.at(-1)?.json.messages as { content: unknown }[]).at(-1)?.content).toBe(text);
});

test('an answer survives the death of the gateway, for a client that asks again with its key', async () => {
  const mortal = await GatewayProcess.create();
  onTestFinished(() => mortal.close());
  await mortal.start();
  mortal.model.script([hang('Half')]);
  const asked = clientOf(mortal, { maxRetries: 0 }).chat.completions.create(ask('hello'), {
    headers: { 'idempotency-key': 'k' },
  });
  const failed = expect(asked).rejects.toThrow(/[Cc]onnection|terminated/);
  await mortal.model.waitForRequests(1);
  await mortal.kill();
  await failed;
  mortal.model.script([reply('Whole.')]);
  await mortal.start();
  const answer = await clientOf(mortal).chat.completions.create(ask('hello'), { headers: { 'idempotency-key': 'k' } });
  expect(answer.choices[0]?.message.content).toBe('Whole.');
  expect(mortal.model.requests).toHaveLength(2);
});
