// A provider of the AI SDK against a whole gateway: tools of the client, streaming, and a form of the answer, as the SDK
// asks for them.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { reply, toolCall } from '../../../testkit/model-server.ts';
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

const model = () =>
  createOpenAICompatible({
    name: 'atrium',
    baseURL: `${server.url}/v1`,
    apiKey: TEST_TOKEN,
    supportsStructuredOutputs: true,
  }).chatModel('atrium/main');

type Call = Parameters<ReturnType<typeof model>['doGenerate']>[0];
const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });
const tools: Call['tools'] = [
  {
    type: 'function',
    name: 'look_up',
    description: 'Looks a word up.',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
  },
];

it('runs its tool and goes on with the result', async () => {
  api.model.script([toolCall('look_up', { word: 'sky' }), reply('Blue.')]);
  const first = await model().doGenerate({ prompt: [user('Colour?')], tools });
  expect(first.finishReason.unified).toBe('tool-calls');
  const call = first.content.find((part) => part.type === 'tool-call');
  expect(call?.input).toBe('{"word":"sky"}');
  const { toolCallId = '', toolName = '' } = call ?? {};
  const second = await model().doGenerate({
    tools,
    prompt: [
      user('Colour?'),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: { word: 'sky' } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'blue' } }],
      },
    ],
  });
  expect(second.content).toMatchObject([{ type: 'text', text: 'Blue.' }]);
});

it('reads a stream of words and calls', async () => {
  api.model.script([toolCall('look_up', { word: 'sea' }, 'Let me see.')]);
  const { stream } = await model().doStream({ prompt: [user('Colour?')], tools });
  let text = '';
  let input = '';
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-call') input = part.input;
  }
  expect([text, input]).toEqual(['Let me see.', '{"word":"sea"}']);
});

it('asks for an object', async () => {
  api.model.script([reply('{"colour":"blue"}')]);
  const schema = { type: 'object' as const, properties: { colour: { type: 'string' as const } } };
  const { content } = await model().doGenerate({
    prompt: [user('Colour?')],
    responseFormat: { type: 'json', name: 'colour', schema },
  });
  expect(content).toMatchObject([{ type: 'text', text: '{"colour":"blue"}' }]);
  expect(JSON.parse(api.model.requests.at(-1)?.body ?? '{}').response_format).toMatchObject({ type: 'json_schema' });
});
