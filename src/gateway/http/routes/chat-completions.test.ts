import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { after, cutAfter, errorEvent, fail, hang, raw, reply, toolCall } from '../../../testkit/model-server.ts';
import { echo, lastSaid, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

let api: TestApi;
let server: Listening;
let client: OpenAI;
beforeAll(async () => {
  api = await TestApi.open({ files: { 'workspace/notes.md': 'It is there.' } });
  server = await api.listen();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});
beforeEach(() => {
  api.received.length = 0;
  api.model.script(echo);
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
    api.model.script([reply('hello there', { usage: { input: 10, output: 3, cacheRead: 4 } })]);
    const completion = await client.chat.completions.create(ask('hi'));
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'atrium/main',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, prompt_tokens_details: { cached_tokens: 4 } },
    });
    expect(completion.id).toMatch(/^chatcmpl-run_/);
    expect(api.received[0]?.inbound).toMatchObject({
      text: 'hi',
      agentId: 'main',
      surface: { channel: 'api', accountId: 'default', peer: { kind: 'direct' } },
    });
    expect(api.received[0]?.options).toEqual({ kind: 'api' });
    expect(api.listeners).toBe(0);
  });

  it('learns that an answer was cut because it reached its limit', async () => {
    api.model.script(() => reply('so', { stop: 'length' }));
    const { choices } = await client.chat.completions.create(ask('tell me everything'));
    expect(choices[0]?.finish_reason).toBe('length');
    const stream = await client.chat.completions.create({ ...ask('tell me everything'), stream: true });
    const reasons: unknown[] = [];
    for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason);
    expect(reasons.at(-1)).toBe('length');
  });

  it("learns that an answer was withheld, and the provider's reason", async () => {
    const filtered = { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] };
    api.model.script(() => raw(`data: ${JSON.stringify(filtered)}\n\ndata: [DONE]\n\n`));
    const { choices } = await client.chat.completions.create(ask('tell me'));
    expect(choices[0]?.finish_reason).toBe('content_filter');
    expect(choices[0]?.message.content).toMatch(/^The provider of \S+ withheld the answer \(content_filter\)\./);
    const stream = await client.chat.completions.create({ ...ask('tell me'), stream: true });
    expect(await contentOf(stream)).toBe(choices[0]?.message.content);
  });

  it('gets what it asks of an answer passed on to the model', async () => {
    const wishes = { temperature: 0.2, top_p: 0.9, max_tokens: 5, stop: 'END', seed: 7, verbosity: 'low' } as const;
    for (const stream of [false, true]) {
      const { response } = await client.chat.completions.create({ ...ask('hi'), ...wishes, stream }).withResponse();
      expect(api.model.requests.at(-1)?.json).toMatchObject({ ...wishes, stop: ['END'] });
      await response.body?.cancel().catch(() => {});
    }
    await client.chat.completions.create(ask('hi'));
    for (const field of Object.keys(wishes)) expect(api.model.requests.at(-1)?.json).not.toHaveProperty(field);
  });

  it('gets a cut answer as one, also when its limit left no words, and the model is asked once', async () => {
    for (const text of ['Once upon', '']) {
      const before = api.model.requests.length;
      api.model.script(() => reply(text, { stop: 'length' }));
      const { choices } = await client.chat.completions.create({ ...ask('a story'), max_completion_tokens: 2 });
      expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: text } });
      const stream = await client.chat.completions.create({ ...ask('a story'), max_tokens: 2, stream: true });
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(text);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
      expect(api.model.requests.length - before).toBe(2);
    }
  });

  it('gets an answer that ended at its text before the first word', async () => {
    api.model.script(() => reply(''));
    const { choices } = await client.chat.completions.create({ ...ask('hi'), stop: 'Once' });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
    await expect(client.chat.completions.create(ask('hi'), { maxRetries: 0 })).rejects.toMatchObject({ status: 502 });
  });

  it('gets the words while the model still writes', async () => {
    api.model.script([hang('one two')]);
    const stream = await client.chat.completions.create({ ...ask('count'), stream: true });
    let told = '';
    for await (const chunk of stream) {
      told += chunk.choices[0]?.delta.content ?? '';
      if (told === 'one two') break;
    }
    expect(told).toBe('one two');
    await until(() => api.listeners === 0);
  });

  it('gets the answer in pieces, then the usage', async () => {
    api.model.script([reply('one two three', { usage: { input: 10, output: 3 } })]);
    const stream = await client.chat.completions.create({
      ...ask('count'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const told = chunks.map((chunk) => chunk.choices[0]?.delta.content);
    expect(told.slice(1, -2).join('')).toBe('one two three');
    expect([told[0], ...told.slice(-2)]).toEqual(['', undefined, undefined]);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 13 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    await until(() => api.listeners === 0);
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
    expect(api.received[0]?.inbound.agentId).toBe('coder');
  });

  it.each(['atrium', 'openclaw', 'atrium/', 'openclaw/default'])('reaches the default agent as %s', async (model) => {
    await client.chat.completions.create({ ...ask('hi'), model });
    expect(api.received[0]?.inbound.agentId).toBe('main');
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
    const [one, two] = api.received;
    expect(one?.options?.seed).toEqual([
      { role: 'user', content: 'Be brief.\n\nAnd kind.\n\nfirst' },
      { role: 'assistant', content: [{ type: 'text', text: 'answer one' }] },
    ]);
    expect(one?.inbound.text).toBe('second\n\nthird');
    expect(one?.inbound.surface.peer.id).not.toBe(two?.inbound.surface.peer.id);
  });

  it('is left out where a user has a session', async () => {
    await client.chat.completions.create({ model: 'atrium', messages: history, user: 'ana@example.org' });
    expect(api.received[0]).toMatchObject({
      inbound: {
        text: 'And kind.\n\nsecond\n\nthird',
        surface: { peer: { kind: 'direct', id: 'ana@example.org' } },
        sessionKey: undefined,
      },
    });
    expect(api.received[0]?.options?.seed).toBeUndefined();
  });

  it('is left out where the session is named, and the answer says which it was', async () => {
    const headers = { 'x-openclaw-session-key': 'agent:main:main' };
    const { response } = await client.chat.completions
      .create({ model: 'atrium', messages: [user('a'), assistant('b'), user('c')] }, { headers })
      .withResponse();
    expect(api.received[0]?.inbound).toMatchObject({ text: 'c', sessionKey: 'agent:main:main' });
    expect(response.headers.get('x-openclaw-session-key')).toBe('agent:main:main');
    expect(response.headers.get('x-atrium-run-id')).toMatch(/^run_/);
  });

  it('keeps users apart whose names differ only in case or signs', async () => {
    for (const name of ['Ana', 'ana', 'an:a', 'an a', 'x'.repeat(200), 'x'.repeat(201)]) {
      await client.chat.completions.create({ ...ask('hi'), user: name });
    }
    const ids = api.received.map(({ inbound }) => inbound.surface.peer.id);
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
    expect(api.received[0]?.inbound.text).toBe('one\ntwo');
  });
});

describe('what cannot be honoured', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;

  it.each<[string, OpenAI.ChatCompletionCreateParamsNonStreaming, RegExp]>([
    [
      'a form that is not known',
      { ...ask('hi'), response_format: { type: 'xml' } as never },
      /response_format must be/,
    ],
    ['several answers', { ...ask('hi'), n: 2 }, /cannot be other than 1/],
    [
      'an image that is none',
      { model: 'atrium', messages: [{ role: 'user', content: [image] }] },
      /no image that models take/,
    ],
    [
      'a tool result',
      { model: 'atrium', messages: [user('a'), { role: 'tool', tool_call_id: 'x', content: 'y' }] },
      /result of the call "x", which no message before it makes/,
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
    expect(api.received).toEqual([]);
  });
});

describe('a run that gives no answer', () => {
  it.each([
    [429, fail(429, { retryAfter: 3600 })],
    [503, fail(503, { retryAfter: 3600 })],
    [504, fail(408, { retryAfter: 3600 })],
    [400, fail(413)],
    [502, fail(401)],
  ])('is told status %i when that is what the provider failed with', async (status, failure) => {
    api.model.script(() => failure);
    await expect(client.chat.completions.create(ask('hi'))).rejects.toMatchObject({
      status,
      code: 'ATRIUM_MODEL_CALL',
    });
  });

  it('is told with a status, and the client does not try again by itself', async () => {
    api.model.script(() => fail(400, { message: 'The provider said no.' }));
    await expect(client.chat.completions.create(ask('hi'))).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('The provider said no.'),
    });
    expect(api.received).toHaveLength(1);
  });

  it('breaks the stream with the same sentence', async () => {
    api.model.script(() => errorEvent('invalid_request_error', 'The provider said no.', 'half'));
    const stream = await client.chat.completions.create({ ...ask('hi'), stream: true });
    await expect(contentOf(stream)).rejects.toThrow(/The provider said no/);
  });

  it('but a sentence from the gate that blocked it, is told as a filtered answer', async () => {
    const guarded = await TestApi.open({
      register: (hooks) =>
        void hooks.register({
          hook: 'before_agent_run',
          id: 'gate',
          owner: 'gate',
          handler: () => ({ outcome: 'block', reason: 'not today', message: 'Not today.' }),
        }),
    });
    onTestFinished(() => guarded.close());
    const { status, json } = await guarded.call('POST', '/v1/chat/completions', ask('hi'));
    expect(status).toBe(200);
    expect(json.choices).toMatchObject([
      { message: { content: expect.stringContaining('Not today.') }, finish_reason: 'content_filter' },
    ]);
  });
});

describe('a stream', () => {
  const streamed = async (text = 'hi') =>
    contentOf(await client.chat.completions.create({ ...ask(text), stream: true }));

  it('sets the words before and after a tool apart', async () => {
    api.model.script([toolCall('read', { path: 'notes.md' }, 'Let me look.'), reply('Found it.')]);
    expect(await streamed()).toBe('Let me look.\n\nFound it.');
  });

  it('goes on when a new draft begins like the voided one', async () => {
    api.model.script([cutAfter(3, 'Hello'), reply('Hello again')]);
    expect(await streamed()).toBe('Hello again');
  });

  it('says that it cannot unsay when the new draft is another', async () => {
    api.model.script([cutAfter(3, 'Hello'), reply('Good day')]);
    await expect(streamed()).rejects.toThrow(/changed after a part of it was sent.*\/api\/runs\/run_/);
  });

  it('takes no notice of a call that failed before anything was sent', async () => {
    api.model.script([fail(500), reply('Good day')]);
    expect(await streamed()).toBe('Good day');
  });

  it('hears only its own run', async () => {
    const hold = gate();
    api.model.script((request) => (lastSaid(request) === 'a' ? after(hold.promise, reply('mine')) : echo(request)));
    const mine = await client.chat.completions.create({ ...ask('a'), stream: true });
    await client.chat.completions.create(ask('b'));
    hold.open();
    expect(await contentOf(mine)).toBe('mine');
  });
});

describe('a client that goes away', () => {
  it.each([true, false])('takes its run with it (streaming: %s)', async (stream) => {
    api.model.script([hang('Hel')]);
    const leave = new AbortController();
    const asked = client.chat.completions
      .create({ ...ask('hi'), stream }, { signal: leave.signal })
      .catch(() => undefined);
    await until(() => api.received.length === 1);
    if (stream) await asked;
    leave.abort();
    await expect.poll(async () => (await latestRun()).status, { timeout: 5_000 }).toBe('stopped');
    await until(() => api.listeners === 0);
    await asked;
  });

  it('finds its answer when it comes back with the same idempotency key', async () => {
    const hold = gate();
    api.model.script([after(hold.promise, reply('Hello'))]);
    const leave = new AbortController();
    const headers = { 'Idempotency-Key': 'order-66' };
    const first = client.chat.completions.create(ask('hi'), { signal: leave.signal, headers }).catch(() => undefined);
    await until(() => api.received.length === 1);
    leave.abort();
    await first;
    const again = client.chat.completions.create(ask('hi'), { headers });
    const streamed = client.chat.completions.create({ ...ask('hi'), stream: true }, { headers });
    hold.open();
    expect((await again).choices[0]?.message.content).toBe('Hello');
    expect(await contentOf(await streamed)).toBe('Hello');
    expect((await client.chat.completions.create(ask('hi'), { headers })).choices[0]?.message.content).toBe('Hello');
    const { runId, status } = await latestRun();
    expect(status).toBe('done');
    expect(await api.store.count('runs', { runId: { lte: runId } })).toBe(await api.store.count('runs'));
  });

  it('gets the same answer from the store as it got when the run ended', async () => {
    const headers = { 'Idempotency-Key': 'order-65' };
    const first = await client.chat.completions.create(ask('hi'), { headers });
    expect(await client.chat.completions.create(ask('hi'), { headers })).toEqual(first);
  });

  it('cannot use that key for something else', async () => {
    const headers = { 'Idempotency-Key': 'order-67' };
    await client.chat.completions.create(ask('hi'), { headers });
    await expect(client.chat.completions.create(ask('other'), { headers })).rejects.toMatchObject({ status: 422 });
    const wishes: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>[] = [
      { temperature: 0.5 },
      { tools: [{ type: 'function', function: { name: 'f' } }] },
      { response_format: { type: 'json_object' } },
    ];
    for (const more of wishes)
      await expect(client.chat.completions.create({ ...ask('hi'), ...more }, { headers })).rejects.toMatchObject({
        status: 422,
      });
  });

  it('finds its answer with the same wishes only', async () => {
    const headers = { 'Idempotency-Key': 'order-69' };
    const first = await client.chat.completions.create({ ...ask('hi'), temperature: 0 }, { headers });
    expect(await client.chat.completions.create({ ...ask('hi'), temperature: 0 }, { headers })).toEqual(first);
    await expect(client.chat.completions.create({ ...ask('hi'), temperature: 1.5 }, { headers })).rejects.toMatchObject(
      { status: 422 },
    );
  });

  it('does not share that key with other users, sessions and agents', async () => {
    const key = { 'Idempotency-Key': '1' };
    const asks = [
      [{ ...ask('hi'), user: 'ana' }, key],
      [{ ...ask('hi'), user: 'bob' }, key],
      [ask('hi'), { ...key, 'x-openclaw-session-key': 'bob' }],
      [{ ...ask('hi'), user: 'ana', model: 'atrium/coder' }, key],
    ] as const;
    const before = await api.store.count('runs');
    for (const [body, headers] of [...asks, ...asks]) await client.chat.completions.create(body, { headers });
    expect(await newRuns(before)).toBe(4);
  });

  it('is told of both when what was said under that key is no longer kept', async () => {
    const headers = { 'Idempotency-Key': 'order-68' };
    await client.chat.completions.create(ask('hi'), { headers });
    const { runId } = await latestRun();
    await api.store.commit(
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

async function latestRun() {
  const [run] = await api.store.select('runs', { orderBy: [['runId', 'desc']], limit: 1 });
  if (!run) throw new Error('There is no run.');
  return run;
}

async function newRuns(before: number): Promise<number> {
  return (await api.store.count('runs')) - before;
}
