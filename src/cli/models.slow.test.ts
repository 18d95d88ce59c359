// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

// The commands about models, against providers that are real servers on loopback, also ones that fail.

import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_DATE } from '../config/model-catalog/catalog-source.ts';
import { keyVariable, knownProvider, knownProviders } from '../config/model-provider.ts';
import { fail, ModelServer, reply } from '../testkit/model-server.ts';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
let model: ModelServer;
let lists: Server;
let listUrl: string;
/** What the server of lists answers next: by path and query. */
let answers: Record<string, { readonly status?: number; readonly body: string; readonly location?: string }>;
let asked: IncomingMessage[];

beforeAll(async () => {
  model = await ModelServer.start();
  lists = createServer((request, response) => {
    asked.push(request);
    const { status = 200, body = '{}', location } = answers[request.url ?? ''] ?? { status: 404, body: 'nothing here' };
    response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
    response.end(body);
  });
  await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
  listUrl = `http://127.0.0.1:${(lists.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await model.close();
  lists.closeAllConnections();
  await new Promise((resolve) => lists.close(resolve));
});
beforeEach(async () => {
  home = await CliHome.create();
  answers = {};
  asked = [];
});
afterEach(() => home.remove());

const CONFIG = `{
  // The common choice.
  agents: { defaults: { model: { primary: "fake/small", fallbacks: ["openai/gpt-4.1"] } }, list: [{ id: "main" }, { id: "helper", model: "fake/small" }] },
  models: { providers: { fake: { baseUrl: "URL", apiKey: "fake-key-123456", models: [{ id: "small", contextWindow: 32000 }, { id: "large" }] } } },
}
`;
const configure = (text = CONFIG) => home.write('openclaw.json', text.replace('URL', model.baseUrl));
/** A port at which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
const configured = () => readFile(home.path('openclaw.json'), 'utf8');

describe('models list', () => {
  it('says of each model what it holds and costs, where its key comes from and who uses it', async () => {
    await configure();
    const { out } = await home.run(['models', 'list'], { env: { OPENAI_API_KEY: 'secret-key-9' } });
    expect(out).toMatch(/fake\/small +32,000 +unknown +the configuration +main, helper/);
    expect(out).toMatch(
      new RegExp(
        `openai/gpt-4\\.1 +1,047,576 +2 / 8 +${CATALOG_DATE} +OPENAI_API_KEY, from the environment.* main \\(fallback\\)`,
      ),
    );
    expect(out).not.toContain('secret-key-9');
  });

  it('names what cannot be used, and does not count an unknown price as zero', async () => {
    await configure();
    const { models } = (await home.runJson(['models', 'list'])) as { models: Record<string, unknown>[] };
    expect(models).toContainEqual(
      expect.objectContaining({
        ...{ provider: 'openai', model: 'gpt-4.1', key: 'missing' },
        problem: expect.stringContaining('Set OPENAI_API_KEY'),
      }),
    );
    expect(models).toContainEqual(expect.objectContaining({ model: 'large', cost: null, priceDate: null }));
  });

  it('names the prices of long prompts', async () => {
    const { out } = await home.run(['models', 'list', '--provider', 'google']);
    expect(out).toMatch(/google\/gemini-2\.5-pro +1,048,576 +1\.25 \/ 10 \(from 200,001 tokens 2\.5 \/ 15\)/);
  });

  it('shows all that is known of a provider', async () => {
    const { out } = await home.run(['models', 'list', '--provider', 'Groq']);
    expect(out).toContain('groq/llama-3.3-70b-versatile');
  });

  it('names a provider that there is not, and the one that was meant', async () => {
    const { code, err } = await home.run(['models', 'list', '--provider', 'grok']);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/There is no model provider "grok"\. Did you mean "groq"\?/),
    ]);
  });

  it('tells a key that is missing from one that is not needed', async () => {
    await configure(
      '{ agents: { defaults: { model: "far/a" } }, models: { providers: { far: { baseUrl: "http://far.invalid/v1", apiKey: "${FAR_KEY}", models: [{ id: "a" }] }, near: { baseUrl: "http://near.invalid/v1", models: [{ id: "b" }] }, ollama: { models: [{ id: "c" }] } } } }',
    );
    const { models } = (await home.runJson(['models', 'list'])) as { models: { model: string; key: string }[] };
    expect(models.map(({ model, key }) => [model, key])).toEqual([
      ['a', 'missing'],
      ['b', 'not set'],
      ['c', 'none needed'],
    ]);
  });
});

describe('models set', () => {
  it('writes the common choice, keeps comments and fallbacks, and says how to try it', async () => {
    await configure();
    const { code, out } = await home.run(['models', 'set', 'fake/large']);
    expect([code, out]).toEqual([0, expect.stringContaining('agents.defaults.model.primary = fake/large')]);
    expect(await configured()).toContain('// The common choice.');
    expect(await configured()).toContain('primary: "fake/large", fallbacks: ["openai/gpt-4.1"]');
  });

  it('writes the choice of one agent', async () => {
    await configure();
    expect((await home.run(['models', 'set', '--agent', 'helper', 'fake/large'])).code).toBe(0);
    expect(await configured()).toContain('{ id: "helper", model: "fake/large" }');
  });

  it('warns when there is no key yet', async () => {
    await configure();
    const { code, err } = await home.run(['models', 'set', 'groq/llama-3.3-70b-versatile']);
    expect([code, err]).toEqual([0, expect.stringContaining('Set GROQ_API_KEY')]);
  });

  it.each([
    ['groqq/llama', 'groq'],
    ['openai/gpt-4.11', 'Did you mean openai/gpt-4.1?'],
    ['fake/smal', 'Did you mean fake/small?'],
    ['gpt-5.4', 'Did you mean openai/gpt-5.4?'],
  ])('writes nothing for %s, and suggests what was meant', async (name, suggestion) => {
    await configure();
    const before = await configured();
    const { code, err } = await home.run(['models', 'set', name]);
    expect([code, err]).toEqual([2, expect.stringContaining(suggestion)]);
    expect(await configured()).toBe(before);
  });

  it('writes a name that no list has when it is told to, and any name of a provider without a list', async () => {
    await configure();
    expect((await home.run(['models', 'set', 'openai/gpt-99', '--force'])).code).toBe(0);
    expect((await home.run(['models', 'set', 'ollama/qwen3'])).code).toBe(0);
    expect(await configured()).toContain('ollama/qwen3');
  });
});

describe('models test', () => {
  it('asks one short question, and says how long it took and what it used', async () => {
    await configure();
    model.script([reply('Ready.', { usage: { input: 12, output: 3 } })]);
    const { code, out } = await home.run(['models', 'test']);
    expect(out).toMatch(/^fake\/small answered after \d+ ms \(12 tokens in, 3 out\): Ready\.\n$/);
    expect(code).toBe(0);
  });

  it.each([
    [401, 'Look at the key'],
    [404, 'Look at the name "large"'],
    [500, 'fake answered 500'],
  ])('says clearly why a model did not answer with %s, and does not show the key', async (status, words) => {
    await configure();
    model.script([fail(status, { message: 'no fake-key-123456' })]);
    const { code, out } = await home.run(['models', 'test', 'fake/large']);
    expect([code, out]).toEqual([1, expect.stringContaining(words)]);
    expect(out).not.toContain('fake-key');
  });

  it('says what is missing when it cannot even ask', async () => {
    const { code, out } = await home.run(['models', 'test', 'groq/llama']);
    expect([code, out]).toEqual([1, expect.stringContaining('Set GROQ_API_KEY')]);
  });
});

describe('models refresh', () => {
  const refresh = async (provider: string, entry: object) => {
    await home.write('openclaw.json', JSON.stringify({ models: { providers: { [provider]: entry } } }));
    return home.run(['models', 'refresh', provider]);
  };
  const stored = async () => JSON.parse(await readFile(home.path('atrium/models.json'), 'utf8'));

  it('stores what a server like OpenAI says, with the time, for its owner only, and uses it', async () => {
    answers['/v1/models'] = { body: JSON.stringify({ data: [{ id: 'a', context_length: 7000 }, { id: 'b' }, {}] }) };
    const { code, out } = await refresh('home', { baseUrl: `${listUrl}/v1`, apiKey: 'home-key-1' });
    expect([code, out]).toEqual([0, expect.stringContaining('home: 2 models')]);
    expect(asked[0]?.headers.authorization).toBe('Bearer home-key-1');
    expect(await stored()).toEqual({
      home: { at: '2026-05-06T10:00:00.000Z', models: [{ id: 'a', contextWindow: 7000 }, { id: 'b' }] },
    });
    expect((await stat(home.path('atrium/models.json'))).mode & 0o777).toBe(0o600);
    const listed = await home.run(['models', 'list', '--provider', 'home']);
    expect(listed.out).toMatch(/home\/a +7,000 +unknown/);
  });

  it('asks Anthropic page by page', async () => {
    answers['/v1/models?limit=1000'] = { body: '{"data":[{"id":"claude-x"}],"has_more":true,"last_id":"claude-x"}' };
    answers['/v1/models?limit=1000&after_id=claude-x'] = { body: '{"data":[{"id":"claude-y"}],"has_more":false}' };
    expect((await refresh('anthropic', { baseUrl: listUrl, apiKey: 'k-123456' })).code).toBe(0);
    expect((await stored()).anthropic.models).toEqual([{ id: 'claude-x' }, { id: 'claude-y' }]);
    expect(asked[0]?.headers).toMatchObject({ 'x-api-key': 'k-123456', 'anthropic-version': '2023-06-01' });
  });

  it('asks Google page by page, and takes only models that can be talked to', async () => {
    const first = [
      {
        name: 'models/gemini-x',
        inputTokenLimit: 9,
        outputTokenLimit: 4,
        supportedGenerationMethods: ['generateContent'],
      },
      { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
    ];
    answers['/v1beta/models?pageSize=1000'] = { body: JSON.stringify({ models: first, nextPageToken: 'n' }) };
    answers['/v1beta/models?pageSize=1000&pageToken=n'] = { body: '{"models":[{"name":"models/gemini-y"}]}' };
    expect((await refresh('google', { baseUrl: listUrl, apiKey: 'k-123456' })).code).toBe(0);
    expect((await stored()).google.models).toEqual([
      { id: 'gemini-x', contextWindow: 9, maxTokens: 4 },
      { id: 'gemini-y' },
    ]);
    expect(asked[0]?.headers['x-goog-api-key']).toBe('k-123456');
  });

  it.each([
    ['a refusal', { status: 401, body: '{"error":{"message":"bad home-key-1"}}' }, 'it answered 401: bad [redacted]'],
    ['a page', { body: '<html>' }, 'its answer is no JSON'],
    ['no list', { body: '{"data":7}' }, 'its answer has no list of models'],
    ['a redirect', { status: 302, body: '', location: 'http://127.0.0.1:1/' }, 'it answered 302'],
  ])('says so when it gets %s, and stores nothing', async (_, answer, problem) => {
    answers['/v1/models'] = answer;
    const { code, out } = await refresh('home', { baseUrl: `${listUrl}/v1`, apiKey: 'home-key-1' });
    expect([code, out]).toEqual([1, expect.stringContaining(`home gave no list: ${problem}`)]);
    await expect(stored()).rejects.toThrow('ENOENT');
  });

  it('says so when nothing listens, and when there is no provider to ask', async () => {
    const { code, out } = await refresh('home', { baseUrl: `http://127.0.0.1:${await closedPort()}/v1` });
    expect([code, out]).toEqual([1, expect.stringContaining('cannot be reached')]);
    await home.write('openclaw.json', '{}');
    expect((await home.run(['models', 'refresh'])).out).toContain('no provider to ask');
  });
});

/** Every provider that needs no entry, with the list that a server of its kind sends. */
const LISTS: readonly (readonly [provider: string, path: string, list: unknown])[] = [
  ['openai', '/models', { object: 'list', data: [{ id: 'm-new', object: 'model', owned_by: 'system' }] }],
  ['anthropic', '/models?limit=1000', { data: [{ type: 'model', id: 'm-new' }], has_more: false, last_id: 'm-new' }],
  [
    'google',
    '/models?pageSize=1000',
    { models: [{ name: 'models/m-new', inputTokenLimit: 4096, supportedGenerationMethods: ['generateContent'] }] },
  ],
  ['groq', '/models', { data: [{ id: 'm-new', active: true, context_window: 4096, max_completion_tokens: 512 }] }],
  ['deepseek', '/models', { object: 'list', data: [{ id: 'm-new', object: 'model' }] }],
  [
    'mistral',
    '/models',
    {
      data: [
        { id: 'm-new', capabilities: { completion_chat: true }, max_context_length: 4096 },
        { id: 'm-ocr', capabilities: { completion_chat: false } },
      ],
    },
  ],
  ['openrouter', '/models', { data: [{ id: 'm-new', context_length: 4096, pricing: { prompt: '0.1' } }] }],
  ['ollama', '/models', { object: 'list', data: [{ id: 'm-new', owned_by: 'library' }] }],
  ['lmstudio', '/models', { object: 'list', data: [{ id: 'm-new' }] }],
  ['xai', '/models', { data: [{ id: 'm-new', created: 1 }] }],
  [
    'together',
    '/models',
    [
      { id: 'm-new', type: 'chat', context_length: 4096 },
      { id: 'm-picture', type: 'image' },
    ],
  ],
  ['fireworks', '/models', { data: [{ id: 'm-new', supports_chat: true, context_length: 4096 }] }],
];

describe('each provider that needs no entry', () => {
  it('is tried here', () => {
    expect(LISTS.map(([provider]) => provider).toSorted()).toEqual(knownProviders().toSorted());
  });

  it.each(LISTS)('%s can be refreshed, listed, set and tested', async (provider, path, list) => {
    const { api = '', keyVariables: names = [] } = knownProvider(provider) ?? {};
    const version = api === 'google-generative-ai' ? '/v1beta' : '/v1';
    answers[`${version}${path}`] = { body: JSON.stringify(list) };
    const env = Object.fromEntries([...names, keyVariable(provider)].map((name) => [name, 'key-of-it-123']));
    const write = (baseUrl: string) =>
      home.write('openclaw.json', JSON.stringify({ models: { providers: { [provider]: { baseUrl } } } }));
    await write(`${listUrl}${version}`);

    const refreshed = await home.run(['models', 'refresh', provider], { env });
    expect([refreshed.code, refreshed.out]).toEqual([0, expect.stringContaining(`${provider}: 1 model`)]);
    expect(JSON.stringify(asked[0]?.headers)).toContain('key-of-it-123');
    const listed = await home.run(['models', 'list', '--provider', provider], { env });
    expect(listed.out).toMatch(new RegExp(`^${provider}/m-new +`, 'm'));

    await write(`${new URL(model.baseUrl).origin}${version}`);
    const set = await home.run(['models', 'set', `${provider}/m-new`], { env });
    expect([set.code, set.out]).toEqual([0, expect.stringContaining(`${provider}/m-new`)]);
    model.script([reply('Ready.', { usage: { input: 12, output: 3 } })]);
    const tested = await home.run(['models', 'test'], { env });
    expect(tested.out).toMatch(
      new RegExp(`^${provider}/m-new answered after \\d+ ms \\(12 tokens in, 3 out\\): Ready\\.\n$`),
    );
    expect(JSON.stringify(model.requests.at(-1)?.headers)).toContain('key-of-it-123');
  });
});

describe('doctor about models', () => {
  const models = async (flags: readonly string[] = []) => {
    const { sections } = (await home.runJson(['doctor', ...flags])) as { sections: Record<string, unknown>[] };
    return sections.find(({ name }) => name === 'models');
  };

  it('calls an unknown provider, an unknown protocol and a missing key wrong, with the next step', async () => {
    await configure(
      CONFIG.replace(
        '"fake/small", fallbacks: ["openai/gpt-4.1"]',
        '"grok/x", fallbacks: ["openai/gpt-4.1", "old/x"]',
      ).replace('providers: {', 'providers: { old: { baseUrl: "http://h", api: "bedrock-converse" },'),
    );
    const found = await models();
    expect(found?.problems).toEqual([
      expect.stringContaining('"grok"'),
      expect.stringContaining('Set OPENAI_API_KEY'),
      expect.stringContaining('models.providers.old.api is "bedrock-converse"'),
    ]);
  });

  it('calls a protocol that nobody speaks wrong although no agent uses it, and exits 1', async () => {
    await configure(
      CONFIG.replace(', fallbacks: ["openai/gpt-4.1"]', '').replace(
        'providers: {',
        'providers: { old: { baseUrl: "http://h", api: "bedrock-converse" },',
      ),
    );
    expect((await models())?.problems).toEqual([
      expect.stringContaining('models.providers.old.api is "bedrock-converse", and "anthropic-messages",'),
    ]);
    expect((await home.run(['doctor'])).code).toBe(1);
  });

  it('asks nobody unless it is told to', async () => {
    await configure(CONFIG.replace(', fallbacks: ["openai/gpt-4.1"]', ''));
    const before = model.requests.length;
    expect(await models()).toMatchObject({ problems: [], remarks: [] });
    expect(model.requests.length).toBe(before);
    model.script([reply('Yes.')]);
    expect(await models(['--live'])).toMatchObject({
      problems: [],
      remarks: [expect.stringContaining('answered after')],
    });
    model.script([fail(500)]);
    expect(await models(['--live'])).toMatchObject({ problems: [expect.stringContaining('did not answer')] });
  });
});

describe('a server that answers with nothing readable', () => {
  it.each([
    ['an empty answer', () => ({ status: 200, body: '' })],
    ['words of a page', () => ({ status: 200, body: '<html>Welcome</html>' })],
    [
      'an answer without words',
      () => ({
        status: 200,
        body: JSON.stringify({
          choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
        }),
      }),
    ],
  ])('has not answered: %s', async (_, answer) => {
    answers['/v1/chat/completions'] = answer();
    await configure(
      `{ agents: { defaults: { model: "odd/a" } }, models: { providers: { odd: { baseUrl: "${listUrl}/v1", models: [{ id: "a" }] } } } }`,
    );
    const { code, out } = await home.run(['models', 'test']);
    expect([code, out]).toEqual([1, expect.stringMatching(/odd\/a did not answer: .+/)]);
    const onboarded = await home.run(['onboard', '--yes', '--model', 'other/a', '--base-url', `${listUrl}/v1`]);
    expect([onboarded.code, onboarded.err]).toEqual([2, expect.stringContaining('so nothing was written')]);
    expect(await configured()).not.toContain('other');
  });

  it('is told where to look', async () => {
    model.script(() => reply(''));
    await configure();
    const { code, out } = await home.run(['models', 'test']);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('nothing that can be read. Look at models.providers.fake.baseUrl'),
    ]);
  });
});
