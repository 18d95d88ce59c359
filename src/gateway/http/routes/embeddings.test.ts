// Embeddings through a whole gateway, with the libraries that people ask for them with, and a provider on loopback.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createOpenAI } from '@ai-sdk/openai';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embed, embedMany } from 'ai';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sumUsage } from '../../services/usage.ts';
import { TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly googleKey: string | undefined;
  readonly body: { readonly model: string; readonly input: string | string[]; readonly encoding_format?: string };
}
type Script = (asked: Asked) => {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

const KEY = 'key-of-the-provider';
let provider: Server;
let script: Script;
/** What the provider waits for before it answers. */
let holdBack: () => Promise<unknown>;
const asked: Asked[] = [];
let config: Record<string, unknown>;
let api: TestApi;
let server: Listening;
let client: OpenAI;

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    const body = (await json(request)) as Asked['body'];
    const { authorization, 'x-goog-api-key': googleKey } = request.headers;
    const each = { path: request.url ?? '', authorization, googleKey: googleKey?.toString(), body };
    asked.push(each);
    await holdBack();
    const { status = 200, headers, body: answer } = script(each);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answer);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  const models = [{ id: 'tiny', cost: { input: 2 } }, { id: 'gift' }];
  config = {
    agents: { defaults: { model: 'mirror/mirror' }, list: [{ id: 'main', default: true }, { id: 'coder' }] },
    models: {
      providers: {
        vectors: { baseUrl, apiKey: KEY, models },
        gemini: { baseUrl, apiKey: KEY, api: 'google-generative-ai', models: [{ id: 'gem', cost: { input: 2 } }] },
        claude: { baseUrl, apiKey: KEY, api: 'anthropic-messages' },
      },
    },
  };
  api = await TestApi.open({ config });
  server = await api.listen();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN, maxRetries: 0 });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});
beforeEach(() => {
  asked.length = 0;
  script = vectors;
  holdBack = async () => {};
});

/** One vector for each text, which begins with the text's length. */
function vectors({ body: { model, input, encoding_format } }: Asked) {
  const texts = typeof input === 'string' ? [input] : input;
  const data = texts.map((text, index) => {
    const vector = [text.length, 0.5];
    const embedding =
      encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
    return { object: 'embedding', index, embedding };
  });
  return { body: JSON.stringify({ object: 'list', data, model, usage: { prompt_tokens: 7, total_tokens: 7 } }) };
}

describe('embeddings', () => {
  it('are made by the provider, with its key, and are counted', async () => {
    const made = await client.embeddings.create({ model: 'vectors/tiny', input: ['sky', 'ocean'], dimensions: 2 });
    expect(made.data.map(({ embedding }) => Array.from(embedding))).toEqual([
      [3, 0.5],
      [5, 0.5],
    ]);
    expect(made).toMatchObject({ model: 'vectors/tiny', usage: { prompt_tokens: 7, total_tokens: 7 } });
    expect(asked).toMatchObject([
      {
        path: '/v1/embeddings',
        authorization: `Bearer ${KEY}`,
        body: { model: 'tiny', input: ['sky', 'ocean'], dimensions: 2 },
      },
    ]);
    const { groups } = await sumUsage(api.store, { by: 'session', timezone: 'UTC' });
    expect(groups).toMatchObject([{ key: 'embeddings', calls: 1, input: 7, output: 0, cost: 0.000014, unpriced: 0 }]);
  });

  it('may be asked for by the name of a listed model alone, as floats, or from tokens', async () => {
    const { data } = await client.embeddings.create({ model: 'tiny', input: 'sky', encoding_format: 'float' });
    expect(data[0]?.embedding).toEqual([3, 0.5]);
    script = () => ({ body: '{"data":[{"index":0,"embedding":[1]}]}' });
    const ofTokens = await api.call('POST', '/v1/embeddings', { model: 'tiny', input: [11, 12, 13] });
    expect(ofTokens.json).toMatchObject({ data: [{ embedding: [1] }], usage: { prompt_tokens: 3 } });
  });

  it('have the form that the client asked for, also when the provider gives the other one', async () => {
    // OpenAI's SDK asks for base64 by itself; many servers give numbers all the same.
    script = () => ({ body: '{"data":[{"index":0,"embedding":[3,0.5]}]}' });
    const { data } = await client.embeddings.create({ model: 'tiny', input: 'sky' });
    expect(data.map(({ embedding }) => Array.from(embedding))).toEqual([[3, 0.5]]);
    const packed = Buffer.from(Float32Array.from([3, 0.5]).buffer).toString('base64');
    script = () => ({ body: JSON.stringify({ data: [{ index: 0, embedding: packed }] }) });
    const plain = await client.embeddings.create({ model: 'tiny', input: 'sky', encoding_format: 'float' });
    expect(plain.data[0]?.embedding).toEqual([3, 0.5]);
  });

  it('are made for the AI SDK', async () => {
    const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN }).embedding('vectors/tiny');
    const { embeddings, usage } = await embedMany({ model, values: ['sky', 'ocean'] });
    expect([embeddings, usage.tokens]).toEqual([
      [
        [3, 0.5],
        [5, 0.5],
      ],
      7,
    ]);
    expect((await embed({ model, value: 'sea' })).embedding).toEqual([3, 0.5]);
  });

  it('are made for LangChain', async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'vectors/tiny',
      apiKey: TEST_TOKEN,
      configuration: { baseURL: `${server.url}/v1` },
    });
    expect(await embeddings.embedDocuments(['sky', 'ocean'])).toEqual([
      [3, 0.5],
      [5, 0.5],
    ]);
    expect(await embeddings.embedQuery('sea')).toEqual([3, 0.5]);
  });
});

describe('what cannot be fulfilled is refused by name, and nothing is sent', () => {
  it.each<[string, object, RegExp]>([
    ['an agent', { model: 'atrium/main' }, /"atrium\/main" cannot make embeddings.*atrium/],
    ['a name that no provider lists', { model: 'text-embedding-3-small' }, /no provider of the configuration lists it/],
    ['a provider without embeddings', { model: 'claude/x' }, /anthropic-messages/],
    ['a provider without a key', { model: 'openai/x' }, /OPENAI_API_KEY/],
    ['the built-in provider', { model: 'mirror/mirror' }, /mirror/],
    ['no input', { input: [] }, /input/],
    ['too many inputs', { input: Array(2_049).fill('x') }, /input/],
    ['an unknown field', { truncate: 'END' }, /truncate/],
    ['an unknown form', { encoding_format: 'int8' }, /encoding_format/],
  ])('%s', async (_, more, sentence) => {
    const request = { model: 'tiny', input: 'sky', ...more } as OpenAI.EmbeddingCreateParams;
    await expect(client.embeddings.create(request)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringMatching(sentence),
    });
    expect(asked).toEqual([]);
  });
});

describe('under a limit on spending', () => {
  let limited: TestApi;
  afterEach(() => limited.close());

  const open = async (...spend: object[]) => {
    limited = await TestApi.open({ config: { ...config, limits: { spend } } });
  };
  const make = (body: object = {}) =>
    limited.call('POST', '/v1/embeddings', { model: 'vectors/tiny', input: 'sky', ...body });
  const counted = () => limited.store.select('spending', {});

  it('are counted with what the provider said, in place of what was reserved', async () => {
    await open({ per: 'day', tokens: 1_000, money: 1 }, { sender: '*', per: 'month', tokens: 1_000 });
    const reserved: unknown[] = [];
    holdBack = async () => reserved.push(...(await counted()));
    expect((await make({ user: 'ada' })).status).toBe(200);
    expect(reserved).toMatchObject([{ tokens: 0, reservedTokens: expect.toSatisfy((count) => count > 0) }, {}]);
    expect(await counted()).toEqual([
      expect.objectContaining({ per: 'day', tokens: 7, money: 14_000, reservedTokens: 0, reservedMoney: 0 }),
      expect.objectContaining({ per: 'month', subject: expect.stringContaining('api:ada'), tokens: 7 }),
    ]);
    expect(await limited.store.count('reservations')).toBe(0);
    expect(await limited.store.count('usage')).toBe(1);
  });

  it('are refused without room, and nothing is sent', async () => {
    await open({ per: 'day', tokens: 10 });
    const refused = await make({ input: 'word '.repeat(50) });
    expect(refused).toMatchObject({
      status: 429,
      json: { error: { code: 'ATRIUM_SPEND_LIMIT', message: expect.stringContaining('limits.spend[0]') } },
    });
    expect(asked).toEqual([]);
    expect((await make()).status).toBe(200);
  });

  it('are refused without a price where money is limited, unless the limit allows it', async () => {
    await open({ per: 'day', money: 1 });
    expect(await make({ model: 'vectors/gift' })).toMatchObject({
      status: 429,
      json: { error: { code: 'ATRIUM_SPEND_PRICE_UNKNOWN' } },
    });
    expect(asked).toEqual([]);
    await limited.close();
    await open({ per: 'day', money: 1, unknownPrice: 'allow' });
    expect((await make({ model: 'vectors/gift' })).status).toBe(200);
    expect(await counted()).toMatchObject([{ tokens: 7, money: 0, unpriced: 1 }]);
  });

  it('cannot pass it together', async () => {
    await open({ per: 'day', tokens: 40 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => make()));
    const made = answers.filter(({ status }) => status === 200);
    expect(made.length).toBeGreaterThan(0);
    expect(made).toHaveLength(asked.length);
    const [row] = await counted();
    expect(row).toMatchObject({ tokens: 7 * made.length, reservedTokens: 0 });
  });

  it('cost nothing when the provider fails', async () => {
    script = () => ({ status: 500, body: '{}' });
    await open({ per: 'day', tokens: 1_000 });
    expect((await make()).status).toBe(502);
    expect(await counted()).toMatchObject([{ tokens: 0, reservedTokens: 0 }]);
    expect(await limited.store.count('reservations')).toBe(0);
  });

  it('that a crash has cut count with all that was reserved, from the next start on', async () => {
    await open({ per: 'day', tokens: 1_000 });
    await make();
    const [row] = await counted();
    if (!row) throw new Error('nothing was counted');
    const { subject, per, period } = row;
    await limited.store.commit(
      [
        { add: 'spending', where: { subject, per, period }, by: { reservedTokens: 30 } },
        {
          insert: 'reservations',
          row: {
            runId: 'emb_cut',
            at: Date.now(),
            provider: 'vectors',
            model: 'tiny',
            money: 0,
            tokens: 30,
            isUnpriced: false,
            counters: [{ subject, per, period }],
          },
        },
      ],
      { site: 'spend' },
    );
    await limited.scratch.stop();
    await limited.scratch.start();
    expect(await counted()).toMatchObject([{ tokens: 37, reservedTokens: 0 }]);
    expect(await limited.store.count('reservations')).toBe(0);
  });
});

describe("a provider that speaks Google's protocol", () => {
  const embeddings = (count: number) => Array.from({ length: count }, (_, index) => ({ values: [index, 0.5] }));

  it('makes embeddings, in the form that the client asks for', async () => {
    script = ({ body }) => ({
      body: JSON.stringify({ embeddings: embeddings((body as unknown as { requests: [] }).requests.length) }),
    });
    // The library asks for base64 by itself and reads it.
    const made = await client.embeddings.create({ model: 'gemini/gem', input: ['sky', 'ocean'], dimensions: 2 });
    expect(made.data.map(({ embedding }) => Array.from(embedding))).toEqual([
      [0, 0.5],
      [1, 0.5],
    ]);
    expect(asked).toMatchObject([
      {
        path: '/v1/models/gem:batchEmbedContents',
        googleKey: KEY,
        authorization: undefined,
        body: {
          requests: [
            { model: 'models/gem', content: { parts: [{ text: 'sky' }] }, outputDimensionality: 2 },
            { model: 'models/gem', content: { parts: [{ text: 'ocean' }] }, outputDimensionality: 2 },
          ],
        },
      },
    ]);
    expect(made.usage.prompt_tokens).toBeGreaterThan(0);
    const plain = await api.call('POST', '/v1/embeddings', { model: 'gemini/gem', input: 'sky' });
    expect(plain.json).toMatchObject({ data: [{ object: 'embedding', index: 0, embedding: [0, 0.5] }] });
  });

  it.each<[string, ReturnType<Script>, RegExp]>([
    ['sends too few', { body: '{"embeddings":[]}' }, /0 embeddings for 1 inputs/],
    ['sends something else', { body: '{"embeddings":[{"values":["a"]}]}' }, /0 embeddings for 1 inputs/],
    ['sends a page', { body: '<html></html>' }, /baseUrl/],
    ['refuses the key', { status: 403, body: `{"error":{"message":"bad ${KEY}"}}` }, /answered 403/],
  ])('%s, and it is told', async (_, answer, sentence) => {
    script = () => answer;
    const failed = await client.embeddings.create({ model: 'gemini/gem', input: 'sky' }).catch((each: unknown) => each);
    expect(failed).toMatchObject({ status: 502, message: expect.stringMatching(sentence) });
    expect(String(failed)).not.toContain(KEY);
  });

  it('takes no tokens', async () => {
    const refused = await api.call('POST', '/v1/embeddings', { model: 'gemini/gem', input: [1, 2] });
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([400, expect.stringContaining('takes texts only')]);
    expect(asked).toEqual([]);
  });
});

describe('a provider that fails', () => {
  it.each<[string, ReturnType<Script>, number, RegExp]>([
    [
      'refuses the key, and repeats it',
      { status: 401, body: `{"error":{"message":"bad ${KEY}"}}` },
      502,
      /answered 401/,
    ],
    ['is asked too often', { status: 429, body: '{}', headers: { 'retry-after': '9' } }, 429, /answered 429/],
    [
      'does not understand the request',
      { status: 400, body: '{"error":{"message":"no such size"}}' },
      400,
      /no such size/,
    ],
    ['sends a page', { body: '<html></html>' }, 502, /baseUrl/],
    ['sends too few', { body: '{"data":[]}' }, 502, /0 embeddings for 1 inputs/],
    ['sends something else', { body: '{"data":[{"embedding":{"a":1}}]}' }, 502, /0 embeddings for 1 inputs/],
    [
      'sends the key elsewhere',
      { status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      502,
      /redirects/,
    ],
  ])('%s', async (_, answer, status, sentence) => {
    script = () => answer;
    const before = await api.store.count('usage');
    const failed = await client.embeddings.create({ model: 'tiny', input: 'sky' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ status, message: expect.stringMatching(sentence) });
    expect(String(failed)).not.toContain(KEY);
    expect(asked).toHaveLength(1);
    expect(await api.store.count('usage')).toBe(before);
  });
});
