import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpApp } from './create-http-app.ts';
import { answers, delta, FakeGateway, TEST_TOKEN } from './fixtures/fake-gateway.ts';
import { type Listening, listen } from './listen.ts';

let gateway: FakeGateway;
let server: Listening;
let client: OpenAI;
beforeEach(async () => {
  gateway = await FakeGateway.create();
  server = await listen({ app: createHttpApp(gateway.appOptions()), host: '127.0.0.1', port: 0, attach: () => {} });
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN });
});
afterEach(async () => {
  await server.close(100);
  await gateway.remove();
});

const user = (content: string) => ({ role: 'user', content }) as const;
const assistant = (content: string) => ({ role: 'assistant', content }) as const;
const ask = (content: string) => ({ model: 'atrium/main', messages: [user(content)] });

async function until(condition: () => boolean): Promise<void> {
  for (let each = 0; !condition(); each++) {
    if (each > 500) throw new Error('It did not happen.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Resolves when the test says so. */
function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

async function contentOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let content = '';
  for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? '';
  return content;
}

describe("OpenAI's client", () => {
  it('gets an answer with its usage', async () => {
    gateway.scripts.push(answers('hello there'));
    const completion = await client.chat.completions.create(ask('hi'));
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'atrium/main',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, prompt_tokens_details: { cached_tokens: 4 } },
    });
    expect(completion.id).toMatch(/^chatcmpl-run_/);
    expect(gateway.received[0]?.inbound).toMatchObject({
      text: 'hi',
      agentId: 'main',
      surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct' } },
    });
    expect(gateway.received[0]?.options).toEqual({ kind: 'api' });
    expect(gateway.listenerCount).toBe(0);
  });

  it('learns that an answer was cut because it reached its limit', async () => {
    const cut = { steps: [delta('so')], outcome: { reply: 'so', stop: 'length' } };
    gateway.scripts.push(cut, cut);
    const { choices } = await client.chat.completions.create(ask('tell me everything'));
    expect(choices[0]?.finish_reason).toBe('length');
    const stream = await client.chat.completions.create({ ...ask('tell me everything'), stream: true });
    const reasons: unknown[] = [];
    for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason);
    expect(reasons.at(-1)).toBe('length');
  });

  it('gets the answer word by word, then the usage', async () => {
    gateway.scripts.push(answers('one two three'));
    const stream = await client.chat.completions.create({
      ...ask('count'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual([
      '',
      'one ',
      'two ',
      'three',
      undefined,
      undefined,
    ]);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 13 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    await until(() => gateway.listenerCount === 0);
  });

  it('finds the agents as models', async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['atrium', 'atrium/main', 'atrium/coder']);
    expect((await client.models.retrieve('atrium/coder')).id).toBe('atrium/coder');
    await expect(client.models.retrieve('atrium/nobody')).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    'atrium/coder',
    'openclaw/coder',
    'openclaw:coder',
    'atrium:coder',
    'Atrium/Coder',
  ])('reaches the agent as %s', async (model) => {
    await client.chat.completions.create({ ...ask('hi'), model });
    expect(gateway.received[0]?.inbound.agentId).toBe('coder');
  });

  it.each(['atrium', 'openclaw', 'atrium/', 'openclaw/default'])('reaches the default agent as %s', async (model) => {
    await client.chat.completions.create({ ...ask('hi'), model });
    expect(gateway.received[0]?.inbound.agentId).toBe('main');
  });

  it('is told the likely name of a misspelt one', async () => {
    await expect(client.chat.completions.create({ ...ask('hi'), model: 'atrium/codr' })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('Did you mean "coder"?'),
    });
    await expect(client.chat.completions.create({ ...ask('hi'), model: 'gpt-4o' })).rejects.toMatchObject({
      status: 404,
      code: 'ATRIUM_HTTP_MODEL_UNKNOWN',
      message: expect.stringContaining('atrium/main, atrium/coder'),
    });
  });

  it('with a wrong key is refused', async () => {
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    await expect(stranger.chat.completions.create(ask('hi'))).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('what was said before', () => {
  const history = [
    { role: 'system', content: 'Be brief.' } as const,
    user('first'),
    assistant('answer one'),
    { role: 'developer', content: 'And kind.' } as const,
    user('second'),
    user('third'),
  ];

  it('seeds a fresh session, system texts in front of the first words of the user', async () => {
    await client.chat.completions.create({ model: 'atrium', messages: history });
    await client.chat.completions.create({ model: 'atrium', messages: history });
    const [one, two] = gateway.received;
    expect(one?.options?.seed).toEqual([
      { role: 'user', content: 'Be brief.\n\nAnd kind.\n\nfirst' },
      { role: 'assistant', content: [{ type: 'text', text: 'answer one' }] },
    ]);
    expect(one?.inbound.text).toBe('second\n\nthird');
    expect(one?.inbound.surface.peer.id).not.toBe(two?.inbound.surface.peer.id);
  });

  it('is left out where a user has a session', async () => {
    await client.chat.completions.create({ model: 'atrium', messages: history, user: 'ana@example.org' });
    expect(gateway.received[0]).toMatchObject({
      inbound: {
        text: 'And kind.\n\nsecond\n\nthird',
        surface: { peer: { kind: 'direct', id: 'ana@example.org' } },
        sessionKey: undefined,
      },
    });
    expect(gateway.received[0]?.options?.seed).toBeUndefined();
  });

  it('is left out where the session is named, and the answer says which it was', async () => {
    const headers = { 'x-openclaw-session-key': 'agent:main:main' };
    const { response } = await client.chat.completions
      .create({ model: 'atrium', messages: [user('a'), assistant('b'), user('c')] }, { headers })
      .withResponse();
    expect(gateway.received[0]?.inbound).toMatchObject({ text: 'c', sessionKey: 'agent:main:main' });
    expect(response.headers.get('x-openclaw-session-key')).toBe('agent:main:main');
    expect(response.headers.get('x-atrium-run-id')).toMatch(/^run_/);
  });

  it('keeps users apart whose names differ only in case or signs', async () => {
    for (const name of ['Ana', 'ana', 'an:a', 'an a', 'x'.repeat(200), 'x'.repeat(201)]) {
      await client.chat.completions.create({ ...ask('hi'), user: name });
    }
    const ids = gateway.received.map(({ inbound }) => inbound.surface.peer.id);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(6);
    expect(ids.every((id) => /^[a-z0-9._@+-]{1,64}$/.test(id))).toBe(true);
  });

  it('may come in parts of text', async () => {
    await client.chat.completions.create({
      model: 'atrium',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
      ],
    });
    expect(gateway.received[0]?.inbound.text).toBe('one\ntwo');
  });
});

describe('what cannot be honoured', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;
  const tool = { type: 'function', function: { name: 'f', parameters: {} } } as const;

  it.each<[string, OpenAI.ChatCompletionCreateParamsNonStreaming, RegExp]>([
    ['tools', { ...ask('hi'), tools: [tool] }, /bring their own tools/],
    ['functions', { ...ask('hi'), functions: [{ name: 'f' }] }, /bring their own tools/],
    ['several answers', { ...ask('hi'), n: 2 }, /can only be 1/],
    ['an image', { model: 'atrium', messages: [{ role: 'user', content: [image] }] }, /Only text/],
    [
      'a tool result',
      { model: 'atrium', messages: [user('a'), { role: 'tool', tool_call_id: 'x', content: 'y' }] },
      /tool/,
    ],
    ['nothing new', { model: 'atrium', messages: [user('a'), assistant('b')] }, /last message must be a user message/],
    ['blank text', ask('  '), /some text/],
    ['only instructions', { model: 'atrium', messages: [{ role: 'system', content: 'x' }] }, /user message/],
    ['no messages', { model: 'atrium', messages: [] }, /messages/],
  ])('such as %s is refused in a sentence', async (_, body, sentence) => {
    await expect(client.chat.completions.create(body)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringMatching(sentence),
    });
    expect(gateway.received).toEqual([]);
  });
});

describe('a run that gives no answer', () => {
  it.each([
    ['failed', undefined, 502],
    ['failed', 'rate-limit', 429],
    ['failed', 'context-length', 400],
    ['failed', 'timeout', 504],
    ['blocked', undefined, 403],
    ['stopped', undefined, 409],
  ] as const)('%s (%s) is status %i, and the client does not try again by itself', async (status, errorCode, http) => {
    gateway.scripts.push({ status, outcome: { error: 'The provider said no.', errorCode } });
    await expect(client.chat.completions.create(ask('hi'))).rejects.toMatchObject({
      status: http,
      message: expect.stringContaining('The provider said no.'),
    });
    expect(gateway.received).toHaveLength(1);
  });

  it('breaks the stream with the same sentence', async () => {
    gateway.scripts.push({ steps: [delta('half')], status: 'failed', outcome: { error: 'The provider said no.' } });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    await expect(contentOf(stream)).rejects.toThrow(/The provider said no/);
  });

  it('but a sentence from the gate that blocked it, is told as a filtered answer', async () => {
    gateway.scripts.push({ status: 'blocked', outcome: { reply: 'Not today.' } });
    const { choices } = await client.chat.completions.create(ask('hi'));
    expect(choices[0]).toMatchObject({ message: { content: 'Not today.' }, finish_reason: 'content_filter' });
  });
});

describe('a stream', () => {
  const reset = { type: 'text-reset', attempt: 1, call: 1, reason: 'another model answers' } as const;

  it('sets the words before and after a tool apart', async () => {
    gateway.scripts.push({
      steps: [delta('Let me look.'), delta('Found ', 2), delta('it.', 2)],
      outcome: { reply: 'Found it.' },
    });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    expect(await contentOf(stream)).toBe('Let me look.\n\nFound it.');
  });

  it('sends what no delta told', async () => {
    gateway.scripts.push({ steps: [delta('Hello')], outcome: { reply: 'Hello, said late.' } });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    expect(await contentOf(stream)).toBe('Hello, said late.');
  });

  it('goes on when a new draft begins like the voided one', async () => {
    gateway.scripts.push({
      steps: [delta('Hel'), reset, delta('Hello'), delta(' again')],
      outcome: { reply: 'Hello again' },
    });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    expect(await contentOf(stream)).toBe('Hello again');
  });

  it('says that it cannot unsay when the new draft is another', async () => {
    gateway.scripts.push({ steps: [delta('Hel'), reset, delta('Good day')], outcome: { reply: 'Good day' } });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    await expect(contentOf(stream)).rejects.toThrow(/changed after a part of it was sent.*\/api\/runs\/run_/);
  });

  it('takes no notice of a reset before anything was sent', async () => {
    gateway.scripts.push({ steps: [reset, delta('Good day')], outcome: { reply: 'Good day' } });
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    expect(await contentOf(stream)).toBe('Good day');
  });

  it('hears only its own run', async () => {
    const hold = gate();
    gateway.scripts.push({ steps: [{ type: 'wait', until: hold.promise }, delta('mine')], outcome: { reply: 'mine' } });
    const mine = await client.chat.completions.create({ ...ask('a'), stream: true });
    await client.chat.completions.create(ask('b'));
    hold.open();
    expect(await contentOf(mine)).toBe('mine');
  });
});

describe('a client that goes away', () => {
  it.each([true, false])('takes its run with it (streaming: %s)', async (stream) => {
    const hold = gate();
    gateway.scripts.push({ steps: [delta('Hel'), { type: 'wait', until: hold.promise }], outcome: { reply: 'Hello' } });
    const leave = new AbortController();
    const asked = client.chat.completions
      .create({ ...ask('hi'), stream }, { signal: leave.signal })
      .catch(() => undefined);
    await until(() => gateway.received.length === 1);
    if (stream) await asked;
    leave.abort();
    await until(() => gateway.stopped.length === 1);
    expect(gateway.stopped).toHaveLength(1);
    await until(() => gateway.listenerCount === 0);
    await asked;
  });

  it('finds its answer when it comes back with the same idempotency key', async () => {
    const hold = gate();
    gateway.scripts.push({ steps: [delta('Hel'), { type: 'wait', until: hold.promise }], outcome: { reply: 'Hello' } });
    const leave = new AbortController();
    const headers = { 'Idempotency-Key': 'order-66' };
    const first = client.chat.completions.create(ask('hi'), { signal: leave.signal, headers }).catch(() => undefined);
    await until(() => gateway.received.length === 1);
    leave.abort();
    await first;
    const again = client.chat.completions.create(ask('hi'), { headers });
    const streamed = client.chat.completions.create({ ...ask('hi'), stream: true }, { headers });
    hold.open();
    expect((await again).choices[0]?.message.content).toBe('Hello');
    expect(await contentOf(await streamed)).toBe('Hello');
    expect((await client.chat.completions.create(ask('hi'), { headers })).choices[0]?.message.content).toBe('Hello');
    expect(gateway.received).toHaveLength(1);
    expect(gateway.stopped).toEqual([]);
  });

  it('cannot use that key for something else', async () => {
    const headers = { 'Idempotency-Key': 'order-66' };
    await client.chat.completions.create(ask('hi'), { headers });
    await expect(client.chat.completions.create(ask('other'), { headers })).rejects.toMatchObject({ status: 422 });
  });

  it('does not share that key with other users, sessions and agents', async () => {
    const key = { 'Idempotency-Key': '1' };
    const asks = [
      [{ ...ask('hi'), user: 'ana' }, key],
      [{ ...ask('hi'), user: 'bob' }, key],
      [ask('hi'), { ...key, 'x-openclaw-session-key': 'bob' }],
      [{ ...ask('hi'), user: 'ana', model: 'atrium/coder' }, key],
    ] as const;
    for (const [body, headers] of [...asks, ...asks]) await client.chat.completions.create(body, { headers });
    expect(gateway.received).toHaveLength(4);
  });

  it('is told of both when what was said under that key is no longer kept', async () => {
    const headers = { 'Idempotency-Key': 'order-66' };
    await client.chat.completions.create(ask('hi'), { headers });
    const runId = gateway.runs[0] ?? '';
    await gateway.store.commit(
      [
        { update: 'inbox', where: { runId }, set: { payload: null } },
        { update: 'runs', where: { runId }, set: { outcome: null } },
      ],
      { site: 'session' },
    );
    await expect(client.chat.completions.create(ask('hi'), { headers })).rejects.toMatchObject({
      status: 410,
      code: 'run_erased',
    });
    await expect(client.chat.completions.create(ask('other'), { headers })).rejects.toMatchObject({ status: 422 });
  });
});
