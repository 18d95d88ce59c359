// Responses, with OpenAI's own client against a whole gateway.

import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorEvent, fail, hang, reply, toolCall, toolCalls } from '../../../testkit/model-server.ts';
import { echo, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

let api: TestApi;
let server: Listening;
let client: OpenAI;
beforeAll(async () => {
  api = await TestApi.open();
  server = await api.listen();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN, maxRetries: 0 });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});
beforeEach(() => api.model.script(echo));

const model = 'atrium/main';
const LOOK_UP = {
  type: 'function',
  name: 'look_up',
  description: 'Looks a word up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
  strict: true,
} as const;
const lastBody = () => JSON.parse(api.model.requests.at(-1)?.body ?? '{}');
const rolesSent = () => (lastBody().messages as { role: string }[]).slice(1).map(({ role }) => role);

describe('a response', () => {
  it('is answered in one piece, is there later, and goes on', async () => {
    api.model.script([reply('Good day.'), reply('Ida.')]);
    const first = await client.responses.create({ model, input: 'I am Ida.', metadata: { place: 'desk' } });
    expect(first).toMatchObject({ status: 'completed', output_text: 'Good day.', model, metadata: { place: 'desk' } });
    expect(first.usage?.input_tokens).toBeGreaterThan(0);
    const { output_text: _, ...kept } = first;
    expect(await client.responses.retrieve(first.id)).toMatchObject({ ...kept, output: first.output });
    const second = await client.responses.create({
      model,
      input: 'Who am I?',
      instructions: 'Be brief.',
      previous_response_id: first.id,
    });
    expect(second).toMatchObject({ output_text: 'Ida.', previous_response_id: first.id });
    expect(rolesSent()).toEqual(['user', 'assistant', 'user']);
    expect(lastBody().messages.at(-1).content).toContain('Be brief.');
    const branch = client.responses.create({ model, input: 'again', previous_response_id: first.id });
    await expect(branch).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('gets what it asks of an answer passed on, and repeats it', async () => {
    const asked = { temperature: 0.3, top_p: 0.8, max_output_tokens: 50 };
    const more = { reasoning: { effort: 'low' }, text: { verbosity: 'high' } } as const;
    const answer = await client.responses.create({ model, input: 'hi', ...asked, ...more });
    expect(lastBody()).toMatchObject({
      temperature: 0.3,
      top_p: 0.8,
      max_tokens: 50,
      reasoning_effort: 'low',
      verbosity: 'high',
    });
    expect(answer).toMatchObject({ ...asked, ...more, text: { format: { type: 'text' }, verbosity: 'high' } });
    const { output_text: _, ...kept } = answer;
    expect(await client.responses.retrieve(answer.id)).toMatchObject(kept);
  });

  it('is incomplete when the limit cut it, in one piece and in events', async () => {
    for (const text of ['Once upon', '']) {
      api.model.script(() => reply(text, { stop: 'length' }));
      const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, max_output_tokens: 20 };
      const asked = { model, input: 'a story', max_output_tokens: 20 };
      const whole = await client.responses.create(asked);
      expect(whole).toMatchObject({ ...cut, output_text: text, output: [{ type: 'message', status: 'incomplete' }] });
      const events: OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of await client.responses.create({ ...asked, stream: true })) events.push(event);
      expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: cut });
      expect(events.at(-2)).toMatchObject({ type: 'response.output_item.done', item: { status: 'incomplete' } });
    }
  });

  it('comes in events that add up', async () => {
    api.model.script([reply('A sentence that is long enough to come in several pieces, one after the other.')]);
    const stream = client.responses.stream({ model, input: 'talk' });
    const types: string[] = [];
    let text = '';
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(text);
    expect(text).toContain('one after the other');
  });

  it('hands calls to the client and goes on with their results', async () => {
    api.model.script([
      toolCalls([
        { name: 'look_up', params: { word: 'sky' } },
        { name: 'look_up', params: { word: 'sea' } },
      ]),
      reply('Both blue.'),
    ]);
    const first = await client.responses.create({ model, input: 'Colours?', tools: [LOOK_UP] });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ arguments: given }) => given)).toEqual(['{"word":"sky"}', '{"word":"sea"}']);
    expect(
      lastBody().tools.find((tool: { function: { name: string } }) => tool.function.name === 'look_up'),
    ).toMatchObject({
      function: { strict: true },
    });
    const second = await client.responses.create({
      model,
      tools: [LOOK_UP],
      previous_response_id: first.id,
      input: calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'blue' })),
    });
    expect(second.output_text).toBe('Both blue.');
    expect(second.id).not.toBe(first.id);
    const earlier = await client.responses.retrieve(first.id);
    expect(earlier.output).toEqual(first.output);
  });

  it('streams calls, and takes the whole history with references to items', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }, 'Let me see.'), reply('Blue.'), reply('The sea too.')]);
    const stream = client.responses.stream({ model, input: 'Colour?', tools: [LOOK_UP] });
    const first = await stream.finalResponse();
    const call = first.output.find((item) => item.type === 'function_call');
    expect(call?.arguments).toBe('{"word":"sky"}');
    const history = [
      { role: 'user', content: 'Colour?' },
      { type: 'item_reference', id: first.output[0]?.id ?? '' },
      { type: 'item_reference', id: call?.id ?? '' },
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'blue' },
    ] as OpenAI.Responses.ResponseInput;
    const second = await client.responses.stream({ model, tools: [LOOK_UP], input: history }).finalResponse();
    expect(second.output_text).toBe('Blue.');
    const third = await client.responses.create({
      model,
      input: [...history, ...(second.output as never[]), { role: 'user', content: 'And the sea?' }],
    });
    expect(third.output_text).toBe('The sea too.');
    expect(rolesSent()).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('has the form that was asked for', async () => {
    api.model.script([reply('{"colour":"blue"}')]);
    const schema = { type: 'object', properties: { colour: { type: 'string' } } };
    const format = { type: 'json_schema', name: 'colour', schema, strict: true } as const;
    const answer = await client.responses.parse({ model, input: 'Colour?', text: { format } });
    expect(answer.output_parsed).toEqual({ colour: 'blue' });
    expect(lastBody().response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'colour', schema } });
  });

  it('may be made in the background, and be cancelled', async () => {
    api.model.script([hang()]);
    const begun = await client.responses.create({ model, input: 'Take your time.', background: true });
    expect(['queued', 'in_progress']).toContain(begun.status);
    expect((await client.responses.cancel(begun.id)).status).toBe('cancelled');
    expect((await client.responses.retrieve(begun.id)).status).toBe('cancelled');
  });

  it('that was not to be stored is not there later', async () => {
    const { id } = await client.responses.create({ model, input: 'hush', store: false });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'ATRIUM_RESPONSE_UNKNOWN' });
  });

  it('tells a failure, in one piece and in a stream', async () => {
    api.model.script([fail(400), fail(400), errorEvent('invalid_request_error', 'No more.', 'So far')]);
    await expect(client.responses.create({ model, input: 'x' })).rejects.toMatchObject({ status: 502 });
    // Nothing was said yet, so the failure still has a status.
    await expect(client.responses.create({ model, input: 'x', stream: true })).rejects.toMatchObject({ status: 502 });
    const types: string[] = [];
    for await (const event of await client.responses.create({ model, input: 'x', stream: true }))
      types.push(event.type);
    expect(types.at(-1)).toBe('response.failed');
  });
});

describe('what cannot be fulfilled is refused by name', () => {
  it.each<[string, object, RegExp]>([
    ['a conversation', { conversation: 'conv_1' }, /"conversation" cannot be set/],
    ['a template', { prompt: { id: 'x' } }, /"prompt" cannot be set/],
    ['a hosted tool', { tools: [{ type: 'web_search' }] }, /tools\.0 is of the type "web_search"/],
    ['an item that is not understood', { input: [{ type: 'reasoning', summary: [] }] }, /"reasoning"/],
    ['a response of nowhere', { previous_response_id: 'resp_x' }, /no response "resp_x"/],
    ['a truncation', { truncation: 'auto' }, /compacted/],
    ['a file by its id', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, /file_id/],
    ['nothing', { input: ' ' }, /some text/],
  ])('%s', async (_, more, sentence) => {
    const asked = client.responses.create({
      model,
      input: 'hello',
      ...more,
    } as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    await expect(asked).rejects.toMatchObject({ message: expect.stringMatching(sentence) });
  });
});
