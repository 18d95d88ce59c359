// What the guides of the public clients show beyond plain answers: helpers that run tools and parse answers, images,
// stopping, errors and long answers.

import { createOpenAI } from '@ai-sdk/openai';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { fail, hang, reply, toolCall } from '../../../testkit/model-server.ts';
import { pixel } from '../../../testkit/test-images.ts';
import { echo, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

let api: TestApi;
let server: Listening;
let client: OpenAI;
beforeAll(async () => {
  api = await TestApi.open({ provider: { models: [{ id: 'small', input: ['text', 'image'] }] } });
  server = await api.listen();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN, maxRetries: 0 });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});
beforeEach(() => api.model.script(echo));

const model = 'atrium/main';
const lastBody = () => api.model.requests.at(-1)?.body ?? '';
const image = () => `data:image/png;base64,${pixel().toString('base64')}`;
const Event = z.object({ name: z.string(), people: z.array(z.string()) });
const fair = { name: 'Fair', people: ['Ada'] };
const langchain = () =>
  new ChatOpenAI({ model, apiKey: TEST_TOKEN, configuration: { baseURL: `${server.url}/v1` }, maxRetries: 0 });
const aiModel = () => createOpenAI({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN })(model);

it('openai runs the tools of runTools until the answer is there', async () => {
  api.model.script([toolCall('look_up', { word: 'sky' }), reply('Blue.')]);
  const words: string[] = [];
  const runner = client.chat.completions.runTools({
    model,
    messages: [{ role: 'user', content: 'Which colour?' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'look_up',
          description: 'Looks a word up.',
          parameters: { type: 'object', properties: { word: { type: 'string' } } },
          parse: JSON.parse,
          function: ({ word }: { word: string }) => {
            words.push(word);
            return 'blue';
          },
        },
      },
    ],
  });
  expect([await runner.finalContent(), words]).toEqual(['Blue.', ['sky']]);
});

it('openai parses answers of both APIs, and streams a response to its end', async () => {
  api.model.script([reply(JSON.stringify(fair)), reply(JSON.stringify(fair)), reply('All of it.')]);
  const chat = await client.chat.completions.parse({
    model,
    messages: [{ role: 'user', content: 'Which event?' }],
    response_format: zodResponseFormat(Event, 'event'),
  });
  expect(chat.choices[0]?.message.parsed).toEqual(fair);
  const response = await client.responses.parse({
    model,
    input: 'Which event?',
    text: { format: zodTextFormat(Event, 'event') },
  });
  expect(response.output_parsed).toEqual(fair);
  const streamed = await client.responses.stream({ model, input: 'Talk.' }).finalResponse();
  expect(streamed.output_text).toBe('All of it.');
});

it('images reach the model from each client', async () => {
  await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image() } }] }],
  });
  expect(lastBody()).toContain('image_url');
  await client.responses.create({
    model,
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: image(), detail: 'auto' }] }],
  });
  expect(lastBody()).toContain('image_url');
  await generateText({
    model: aiModel(),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', image: pixel() },
        ],
      },
    ],
  });
  expect(lastBody()).toContain('image_url');
  await langchain().invoke([new HumanMessage({ content: [{ type: 'image_url', image_url: { url: image() } }] })]);
  expect(lastBody()).toContain('image_url');
});

it('a client that stops takes its run with it', async () => {
  api.model.script(() => hang('So far'));
  const stops: ((signal: AbortSignal) => Promise<unknown>)[] = [
    (signal) => client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] }, { signal }),
    (signal) => client.responses.create({ model, input: 'x' }, { signal }),
    async (signal) => {
      const { textStream } = streamText({ model: aiModel(), prompt: 'x', abortSignal: signal, maxRetries: 0 });
      for await (const _ of textStream);
      throw new Error('stopped');
    },
    (signal) => langchain().invoke('x', { signal }),
  ];
  for (const ask of stops) {
    const before = api.model.requests.length;
    const left = api.model.closedEarly;
    const stop = new AbortController();
    const asked = ask(stop.signal).then(
      () => 'answered',
      () => 'stopped',
    );
    await expect.poll(() => api.model.requests.length).toBe(before + 1);
    stop.abort();
    expect(await asked).toBe('stopped');
    await api.model.waitForClosedEarly(left + 1);
  }
});

it('errors are those that the library has classes for', async () => {
  const ask = (more: object = {}) =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], ...more });
  await expect(ask({ n: 2 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(ask({ model: 'atrium/nobody' })).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  api.model.script([fail(500, { retryAfter: 120 })]);
  await expect(ask()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});

it('long answers come whole, in one piece and in a stream', async () => {
  // Compared without being shown: a difference would fill a screen.
  const long = 'Norsk — øæå 🙂 '.repeat(20_000);
  api.model.script(() => reply(long));
  const whole = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] });
  expect(whole.choices[0]?.message.content === long).toBe(true);
  const streamed = await client.responses.stream({ model, input: 'x' }).finalResponse();
  expect(streamed.output_text === long).toBe(true);
});
