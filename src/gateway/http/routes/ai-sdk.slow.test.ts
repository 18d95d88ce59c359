// The AI SDK against a whole gateway, as its guides use it, with its provider for OpenAI (which speaks responses, and chat
// completions when told) and its provider for compatible servers.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateObject,
  generateText,
  type LanguageModel,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fail, reply, toolCall, toolCalls } from '../../../testkit/model-server.ts';
import { echo, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

let api: TestApi;
let server: Listening;
beforeAll(async () => {
  api = await TestApi.open();
  server = await api.listen();
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});
beforeEach(() => api.model.script(echo));

const settings = () => ({ baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN });
const MODELS: readonly (readonly [string, () => LanguageModel])[] = [
  ['responses of @ai-sdk/openai', () => createOpenAI(settings())('atrium/main')],
  ['chat completions of @ai-sdk/openai', () => createOpenAI(settings()).chat('atrium/main')],
  [
    '@ai-sdk/openai-compatible',
    () =>
      createOpenAICompatible({ ...settings(), name: 'atrium', includeUsage: true, supportsStructuredOutputs: true })(
        'atrium/main',
      ),
  ],
];

const lastBody = () => JSON.parse(api.model.requests.at(-1)?.body ?? '{}');
const lookUp = (words: string[]) =>
  tool({
    description: 'Looks a word up.',
    inputSchema: z.object({ word: z.string().describe('The word to look up') }),
    execute: async ({ word }) => {
      words.push(word);
      return { word, colour: 'blue' };
    },
  });

describe.each(MODELS)('%s', (_, model) => {
  it('gives a plain answer, with its usage', async () => {
    api.model.script([reply('Good day, Ida.', { usage: { input: 10, output: 3 } })]);
    const { text, finishReason, usage, warnings } = await generateText({
      model: model(),
      system: 'Be brief.',
      prompt: 'I am Ida.',
    });
    expect([text, finishReason, usage.inputTokens, usage.outputTokens]).toEqual(['Good day, Ida.', 'stop', 10, 3]);
    expect(warnings).toEqual([]);
    expect(JSON.stringify(lastBody().messages)).toContain('Be brief.');
  });

  it('takes the settings that people give a model', async () => {
    api.model.script([reply('Once upon', { stop: 'length' })]);
    const settings = { temperature: 0.2, topP: 0.5, maxOutputTokens: 20 };
    const { text, finishReason, warnings } = await generateText({ model: model(), prompt: 'A story.', ...settings });
    expect([text, finishReason, warnings]).toEqual(['Once upon', 'length', []]);
    expect(lastBody()).toMatchObject({ temperature: 0.2, top_p: 0.5, max_tokens: 20 });
  });

  it('takes a history of messages', async () => {
    const { text } = await generateText({
      model: model(),
      messages: [
        { role: 'user', content: 'I am Ida.' },
        { role: 'assistant', content: 'Good day.' },
        { role: 'user', content: [{ type: 'text', text: 'Who am I?' }] },
      ],
    });
    expect(text).toContain('Who am I?');
    const roles = (lastBody().messages as { role: string }[]).slice(1).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user']);
  });

  it('streams an answer', async () => {
    api.model.script([reply('A sentence that is long enough to come in several pieces, one after the other.')]);
    const result = streamText({ model: model(), prompt: 'Talk.' });
    let text = '';
    for await (const piece of result.textStream) text += piece;
    expect(text).toBe('A sentence that is long enough to come in several pieces, one after the other.');
    expect([await result.finishReason, (await result.totalUsage).outputTokens]).toEqual(['stop', expect.any(Number)]);
  });

  it('runs its tools until the answer is there', async () => {
    api.model.script([
      toolCalls([
        { name: 'look_up', params: { word: 'sky' } },
        { name: 'look_up', params: { word: 'sea' } },
      ]),
      toolCall('look_up', { word: 'ice' }, 'One more.'),
      reply('All blue.'),
    ]);
    const words: string[] = [];
    const { text, steps } = await generateText({
      model: model(),
      tools: { look_up: lookUp(words) },
      stopWhen: stepCountIs(5),
      prompt: 'Which colours?',
    });
    expect([text, words, steps.length]).toEqual(['All blue.', ['sky', 'sea', 'ice'], 3]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop']);
    expect(JSON.stringify(lastBody().messages.at(-1))).toContain('blue');
  });

  it('runs its tools in a stream', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }, 'Let me see.'), reply('Blue.')]);
    const words: string[] = [];
    const result = streamText({
      model: model(),
      tools: { look_up: lookUp(words) },
      stopWhen: stepCountIs(5),
      prompt: 'Which colour?',
    });
    const types = new Set<string>();
    let text = '';
    for await (const part of result.fullStream) {
      types.add(part.type);
      if (part.type === 'text-delta') text += part.text;
    }
    expect([text, words]).toEqual(['Let me see.Blue.', ['sky']]);
    expect([...types]).toEqual(expect.arrayContaining(['tool-call', 'tool-result', 'finish']));
    expect(types).not.toContain('error');
  });

  it('goes on with a conversation in which tools were used', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }), reply('Blue.'), reply('The sea too.')]);
    const asked = { role: 'user' as const, content: 'Which colour?' };
    const tools = { look_up: lookUp([]) };
    const { response } = await generateText({ model: model(), tools, stopWhen: stepCountIs(5), messages: [asked] });
    const { text } = await generateText({
      model: model(),
      tools,
      messages: [asked, ...response.messages, { role: 'user', content: 'And the sea?' }],
    });
    expect(text).toBe('The sea too.');
    const roles = (lastBody().messages as { role: string }[]).slice(1).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('can force a tool', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' })]);
    const { toolCalls: calls } = await generateText({
      model: model(),
      tools: { look_up: lookUp([]) },
      toolChoice: { type: 'tool', toolName: 'look_up' },
      prompt: 'Which colour?',
    });
    expect(calls).toMatchObject([{ toolName: 'look_up', input: { word: 'sky' } }]);
    expect(lastBody().tool_choice).toEqual({ type: 'function', function: { name: 'look_up' } });
  });

  const schema = z.object({ recipe: z.object({ name: z.string(), steps: z.array(z.string()) }) });
  const written = { recipe: { name: 'Toast', steps: ['Slice.', 'Toast.'] } };

  it('generates an object', async () => {
    api.model.script([reply(JSON.stringify(written))]);
    const { object } = await generateObject({ model: model(), schema, prompt: 'A recipe for toast.' });
    expect(object).toEqual(written);
    expect(lastBody().response_format).toMatchObject({ type: 'json_schema' });
    expect(JSON.stringify(lastBody().response_format)).toContain('recipe');
  });

  it('streams an object, and gives one as the output of a text', async () => {
    api.model.script([reply(JSON.stringify(written)), reply(JSON.stringify(written))]);
    const streamed = streamObject({ model: model(), schema, prompt: 'A recipe for toast.' });
    for await (const part of streamed.partialObjectStream) expect(part).toBeTypeOf('object');
    expect(await streamed.object).toEqual(written);
    const { output } = await generateText({ model: model(), output: Output.object({ schema }), prompt: 'Again.' });
    expect(output).toEqual(written);
  });

  it('hears of a failure', async () => {
    api.model.script([fail(400)]);
    await expect(generateText({ model: model(), prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 502,
    });
  });
});
