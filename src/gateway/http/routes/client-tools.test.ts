// Tools that a client of chat completions runs itself, with OpenAI's own client. A run waits for the results as for any
// other thing that it may wait for.

import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MODEL_PROTOCOLS } from '../../../protocol/model-protocol.ts';
import { reply, toolCall, toolCalls } from '../../../testkit/model-server.ts';
import { replayRun } from '../../services/replay/replay-run.ts';
import { echo, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

let api: TestApi;
let server: Listening;
let client: OpenAI;
beforeAll(async () => {
  api = await TestApi.open({ files: { 'workspace/notes.md': 'It is there.' } });
  server = await api.listen();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN, maxRetries: 0 });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});
beforeEach(() => api.model.script(echo));

const user = (content: string) => ({ role: 'user', content }) as const;
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a town.',
    parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  },
} as const;
const base = { model: 'atrium/main', tools: [WEATHER] };

type Messages = OpenAI.ChatCompletionMessageParam[];

async function askForWeather(
  messages: Messages = [user('How is it in Oslo?')],
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
) {
  const answer = await client.chat.completions.create({ ...base, messages, ...more });
  const message = answer.choices[0]?.message as OpenAI.ChatCompletionMessage;
  const calls = (message.tool_calls ?? []) as OpenAI.ChatCompletionMessageFunctionToolCall[];
  return { answer, message, calls, messages: [...messages, message] as Messages };
}

const result = (call: { id: string } | undefined, content: string) =>
  ({ role: 'tool', tool_call_id: call?.id ?? '', content }) as const;
const sentTools = () =>
  (JSON.parse(api.model.requests.at(-1)?.body ?? '{}').tools as { function: { name: string } }[]).map(
    (tool) => tool.function.name,
  );
const lastMessages = () => JSON.parse(api.model.requests.at(-1)?.body ?? '{}').messages as { role: string }[];
const runIdOf = (callId = '') => `run_${callId.split('_')[1]}`;

describe('a tool of the client', () => {
  it('is called by the client, whose result the same run goes on with', async () => {
    api.model.script([toolCall('get_weather', { town: 'Oslo' }, 'Let me ask.'), reply('It rains.')]);
    const first = await askForWeather();
    expect(first.answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Let me ask.', tool_calls: [{ type: 'function', function: { name: 'get_weather' } }] },
    });
    expect(JSON.parse(first.calls[0]?.function.arguments ?? '')).toEqual({ town: 'Oslo' });
    expect(sentTools()).toEqual(expect.arrayContaining(['get_weather', 'read']));

    const second = await askForWeather([...first.messages, result(first.calls[0], 'rain, 7 degrees')]);
    expect(second.answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It rains.' } });
    expect(lastMessages().at(-1)).toMatchObject({ role: 'tool', content: 'rain, 7 degrees' });
    const runId = runIdOf(first.calls[0]?.id);
    expect(await api.store.select('runs', { where: { runId } })).toMatchObject([{ status: 'done', claim: 2 }]);
    expect(second.answer.id).toBe(`chatcmpl-${runId}`);
    expect(second.answer.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(await api.store.count('waits')).toBe(0);
  });

  it('has the client as its author, and the run is replayed to the same bytes', async () => {
    api.model.script([toolCall('get_weather', { town: 'Oslo' }), reply('It rains.')]);
    const first = await askForWeather(undefined, { tool_choice: 'required', parallel_tool_calls: false });
    expect(JSON.parse(api.model.requests.at(-1)?.body ?? '{}')).toMatchObject({
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    await askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    expect(JSON.parse(api.model.requests.at(-1)?.body ?? '{}').tool_choice).toBeUndefined();
    const { calls } = await replayRun(api.store, runIdOf(first.calls[0]?.id), { without: [], files: new Map() });
    expect(calls.map(({ isSame }) => isSame)).toEqual([true, true]);
    const authors = calls[0]?.after.spans.flatMap(({ where, origin }) => (where === 'tools' ? [origin] : []));
    expect(authors).toContain('tool get_weather of client');
  });

  it('is handed out only with parameters that fit, where the client asked for "strict"', async () => {
    const parameters = { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] };
    const tools = [{ ...WEATHER, function: { ...WEATHER.function, parameters, strict: true } }];
    api.model.script([
      toolCall('get_weather', { twon: 'Oslo' }),
      toolCall('get_weather', { town: 'Oslo' }),
      reply('It rains.'),
    ]);
    const first = await askForWeather(undefined, { tools });
    expect(lastMessages().at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('town is required') });
    expect(first.calls.map((call) => JSON.parse(call.function.arguments))).toEqual([{ town: 'Oslo' }]);
    const second = await askForWeather([...first.messages, result(first.calls[0], 'rain')], { tools });
    expect(second.message.content).toBe('It rains.');
  });

  it('comes in pieces in a stream', async () => {
    api.model.script([
      toolCalls([
        { name: 'get_weather', params: { town: 'Oslo' } },
        { name: 'get_weather', params: { town: 'Bergen' } },
      ]),
      reply('Rain everywhere.'),
    ]);
    const messages: Messages = [user('Oslo and Bergen?')];
    const first = await client.chat.completions.stream({ ...base, messages }).finalChatCompletion();
    const calls = first.choices[0]?.message.tool_calls ?? [];
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(calls.map((call) => JSON.parse(call.function.arguments).town)).toEqual(['Oslo', 'Bergen']);
    const stream = await client.chat.completions.create({
      ...base,
      stream: true,
      stream_options: { include_usage: true },
      messages: [...messages, first.choices[0]?.message as never, ...calls.map((call) => result(call, 'rain'))],
    });
    let text = '';
    let reason: string | null | undefined;
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? '';
      reason = choices[0]?.finish_reason ?? reason;
    }
    expect([text, reason]).toEqual(['Rain everywhere.', 'stop']);
  });

  it('may be called beside the agent’s own tools, again and again', async () => {
    api.model.script([
      toolCalls([
        { name: 'read', params: { path: 'notes.md' } },
        { name: 'get_weather', params: { town: 'Oslo' } },
      ]),
      toolCall('get_weather', { town: 'Bergen' }),
      reply('Both are wet.'),
    ]);
    const first = await askForWeather();
    expect(first.calls).toHaveLength(1);
    const second = await askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    expect(second.calls.map(({ function: { arguments: given } }) => given)).toEqual(['{"town":"Bergen"}']);
    // A client that repeats an older request is told how the run stands now.
    const again = await askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    expect(again.calls[0]?.id).toBe(second.calls[0]?.id);
    const third = await askForWeather([...second.messages, result(second.calls[0], 'snow')]);
    expect(third.message.content).toBe('Both are wet.');
    expect(JSON.stringify(lastMessages())).toContain('It is there.');
    const repeated = await askForWeather([...second.messages, result(second.calls[0], 'snow')]);
    expect(repeated.message.content).toBe('Both are wet.');
    expect(api.model.requests.filter(({ body }) => body.includes('"snow"'))).toHaveLength(1);
  });

  it('has one result: another one for the same call is refused, while the run goes on and after it', async () => {
    api.model.script([
      toolCall('get_weather', { town: 'Oslo' }),
      toolCall('get_weather', { town: 'Bergen' }),
      reply('Wet.'),
    ]);
    const first = await askForWeather();
    const second = await askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    const changed = () => askForWeather([...first.messages, result(first.calls[0], 'sun')]);
    const refusal = { status: 409, code: 'ATRIUM_CLIENT_RESULT_CHANGED', message: expect.stringContaining('call_') };
    await expect(changed()).rejects.toMatchObject(refusal);
    const third = await askForWeather([...second.messages, result(second.calls[0], 'snow')]);
    expect(third.message.content).toBe('Wet.');
    await expect(changed()).rejects.toMatchObject(refusal);
    const same = await askForWeather([...second.messages, result(second.calls[0], 'snow')]);
    expect(same.message.content).toBe('Wet.');
  });

  it('is in the history of a later request, which begins a session with it', async () => {
    api.model.script([toolCall('get_weather', { town: 'Oslo' }), reply('It rains.'), reply('An umbrella.')]);
    const first = await askForWeather();
    const second = await askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    const third = await askForWeather([...second.messages, user('What do I need?')]);
    expect(third.message.content).toBe('An umbrella.');
    expect(
      lastMessages()
        .slice(1)
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('is given up when a new message comes instead of the result', async () => {
    api.model.script([toolCall('get_weather', { town: 'Oslo' }), reply('Never mind then.')]);
    const first = await askForWeather();
    const other = await askForWeather([...first.messages, user('Forget it.')]);
    expect(other.message.content).toBe('Never mind then.');
    expect(JSON.stringify(lastMessages())).toContain('brought no result');
    const late = askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    await expect(late).rejects.toMatchObject({ status: 409 });
  });

  it('is given up in a session too, where the next message is answered after it', async () => {
    api.model.script([toolCall('get_weather', { town: 'Oslo' }), reply('Never mind then.')]);
    const first = await askForWeather(undefined, { user: 'ida' });
    const other = await askForWeather([user('Forget it.')], { user: 'ida' });
    expect(other.message.content).toBe('Never mind then.');
    const late = askForWeather([...first.messages, result(first.calls[0], 'rain')], { user: 'ida' });
    await expect(late).rejects.toMatchObject({ status: 409 });
  });

  it('is not shown with tool_choice "none"', async () => {
    const { answer } = await askForWeather([user('hello')], { tool_choice: 'none' });
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(sentTools()).not.toContain('get_weather');
  });
});

describe('what cannot be fulfilled is refused by name', () => {
  const named = (name: string) => ({ type: 'function', function: { name } }) as const;
  it.each<[string, Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, RegExp]>([
    ['a name of one of the agent’s own tools', { tools: [named('read')] }, /has a tool "read" of its own/],
    ['the same name twice', { tools: [named('a'), named('A')] }, /tools\.1 has the name "A"/],
    ['a tool that is no function', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, /type "custom"/],
    ['a choice that is not there', { tool_choice: named('other') }, /function "other"/],
    ['a forced call without tools', { tools: [], tool_choice: 'required' }, /"tools" has none/],
    ['the old form', { functions: [{ name: 'x' }] }, /old form/],
    ['a result of nowhere', { messages: [user('a'), result({ id: 'call_x' }, 'b')] }, /"call_x"/],
    ['a form that is none', { response_format: { type: 'xml' } as never }, /response_format/],
  ])('%s', async (_, more, sentence) => {
    await expect(askForWeather([user('hello')], more)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringMatching(sentence),
    });
  });

  it('some results without the others', async () => {
    api.model.script([
      toolCalls([
        { name: 'get_weather', params: { town: 'Oslo' } },
        { name: 'get_weather', params: { town: 'Bergen' } },
      ]),
      reply('Done.'),
    ]);
    const first = await askForWeather();
    const some = askForWeather([...first.messages, result(first.calls[0], 'rain')]);
    await expect(some).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(first.calls[1]?.id ?? ''),
    });
    const added = askForWeather([...first.messages, ...first.calls.map((call) => result(call, 'rain'))], {
      tools: [WEATHER, named('more')],
    });
    await expect(added).rejects.toMatchObject({ status: 400, message: expect.stringContaining('"more"') });
    const all = await askForWeather([...first.messages, ...first.calls.map((call) => result(call, 'rain'))]);
    expect(all.message.content).toBe('Done.');
  });
});

it('the form of an answer is passed on to the model', async () => {
  api.model.script([reply('{"town":"Oslo"}')]);
  const schema = { type: 'object', properties: { town: { type: 'string' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } } as const;
  const answer = await client.chat.completions.parse({ model: 'atrium', messages: [user('Where?')], response_format });
  expect(answer.choices[0]?.message.parsed).toEqual({ town: 'Oslo' });
  expect(JSON.parse(api.model.requests.at(-1)?.body ?? '{}').response_format).toEqual(response_format);
});

describe.each(MODEL_PROTOCOLS)('a preview for an API client, over %s', (protocol) => {
  const format = {
    type: 'json_schema',
    json_schema: { name: 'weather', schema: { type: 'object', properties: { sky: { type: 'string' } } } },
  };
  const takesFormats = protocol !== 'anthropic-messages';
  const wishes = {
    tools: [WEATHER],
    tool_choice: 'required',
    ...(protocol !== 'google-generative-ai' && { parallel_tool_calls: false }),
    ...(takesFormats && { response_format: format }),
    temperature: 0.5,
    max_tokens: 100,
    ...(protocol !== 'openai-responses' && { stop: ['END', 'FIN'] }),
  };
  let other: TestApi;
  beforeAll(async () => {
    other = await TestApi.open({ protocol });
  });
  afterAll(() => other.close());

  it('is what goes over the wire, with the tools, the form and the tuning that it asks for', async () => {
    const ask = (content: string) => ({ model: 'atrium/main', user: 'ada', messages: [user(content)] });
    const begun = await other.call('POST', '/v1/chat/completions', ask('Good day.'));
    const sessionKey = begun.headers.get('x-openclaw-session-key');
    const message = 'How is it in Oslo?';
    const at = new Date().toISOString();
    const preview = await other.call('POST', '/api/context/preview', {
      message,
      sessionKey,
      channel: 'api',
      at,
      ...wishes,
    });
    other.model.script([reply('{"sky":"grey"}')]);
    expect((await other.call('POST', '/v1/chat/completions', { ...ask(message), ...wishes })).status).toBe(200);
    const { wire, placeholders, spans } = preview.json as {
      wire: { body: string };
      placeholders: string[];
      spans: { origin: string }[];
    };
    expect(wire.body).toBe(other.model.requests.at(-1)?.body);
    expect(wire.body).toContain('get_weather');
    expect(wire.body.includes('"sky"')).toBe(takesFormats);
    expect(wire.body).toContain('"temperature":0.5');
    expect(placeholders).toEqual([]);
    expect(spans.map(({ origin }) => origin)).toContain('tool get_weather of client');
    const look = await other.call('POST', '/api/context/look', { message, sessionKey, channel: 'api', at, ...wishes });
    expect(JSON.stringify(look.json)).toContain('get_weather');
  });

  it('refuses what the chat would refuse, in the same words', async () => {
    const refused = [
      { tools: [{ type: 'web_search' }] },
      { tools: [WEATHER, WEATHER] },
      { tool_choice: 'required' },
      { response_format: { type: 'xml' } },
      { tools: [{ ...WEATHER, function: { ...WEATHER.function, name: 'read' } }] },
      { temperature: 3 },
      { max_tokens: 0 },
      { stop: [1] },
      ...(protocol === 'openai-completions' ? [] : [{ logit_bias: { '1': 5 } }]),
      ...(takesFormats ? [] : [{ response_format: format }]),
      ...(protocol.startsWith('openai') ? [] : [{ reasoning_effort: 'low' }]),
    ];
    for (const more of refused) {
      const message = 'How is it?';
      const preview = await other.call('POST', '/api/context/preview', { message, ...more });
      const chat = await other.call('POST', '/v1/chat/completions', {
        model: 'atrium/main',
        messages: [user(message)],
        ...more,
      });
      const told = ({ json }: typeof chat) =>
        (json.error as { message: string }).message.replace(/ \(run run_\w+\)$/, '');
      expect([preview.status, told(preview)], JSON.stringify(more)).toEqual([400, told(chat)]);
    }
  });
});
