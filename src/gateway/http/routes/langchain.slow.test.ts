// LangChain against a whole gateway, as its guides use it: messages, streaming, tools with the loop around them, and
// structured output, over chat completions and over responses.

import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
} from '@langchain/core/messages';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
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

const lastBody = () => JSON.parse(api.model.requests.at(-1)?.body ?? '{}');
const rolesSent = () => (lastBody().messages as { role: string }[]).slice(1).map(({ role }) => role);

function lookUp(words: string[]) {
  return tool(
    ({ word }) => {
      words.push(word);
      return `${word} is blue`;
    },
    { name: 'look_up', description: 'Looks a word up.', schema: z.object({ word: z.string() }) },
  );
}

describe.each([
  ['chat completions', false],
  ['responses', true],
])('ChatOpenAI over %s', (_, useResponsesApi) => {
  const chat = () =>
    new ChatOpenAI({
      model: 'atrium/main',
      apiKey: TEST_TOKEN,
      configuration: { baseURL: `${server.url}/v1` },
      temperature: 0,
      maxRetries: 0,
      useResponsesApi,
    });

  it('gives a plain answer, with its usage', async () => {
    api.model.script([reply('Good day, Ida.', { usage: { input: 10, output: 3 } })]);
    const answer = await chat().invoke([new SystemMessage('Be brief.'), new HumanMessage('I am Ida.')]);
    expect([answer.text, answer.usage_metadata]).toMatchObject([
      'Good day, Ida.',
      { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
    ]);
    expect(JSON.stringify(lastBody().messages)).toContain('Be brief.');
    expect(lastBody().temperature).toBe(0);
  });

  it('is a piece of a chain', async () => {
    const prompt = ChatPromptTemplate.fromMessages([
      ['system', 'Translate into {language}.'],
      ['human', '{words}'],
    ]);
    const chain = prompt.pipe(chat()).pipe(new StringOutputParser());
    expect(await chain.invoke({ language: 'Norwegian', words: 'the sea' })).toContain('the sea');
    expect(JSON.stringify(lastBody().messages)).toContain('Translate into Norwegian.');
  });

  it('streams an answer', async () => {
    api.model.script([reply('A sentence that is long enough to come in several pieces, one after the other.')]);
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await chat().stream('Talk.')) whole = whole ? whole.concat(chunk) : chunk;
    expect(whole?.text).toBe('A sentence that is long enough to come in several pieces, one after the other.');
    expect(whole?.usage_metadata?.output_tokens).toBeGreaterThan(0);
  });

  it('runs its tools until the answer is there, and goes on afterwards', async () => {
    api.model.script([
      toolCalls([
        { name: 'look_up', params: { word: 'sky' } },
        { name: 'look_up', params: { word: 'sea' } },
      ]),
      toolCall('look_up', { word: 'ice' }, 'One more.'),
      reply('All blue.'),
      reply('Grass.'),
    ]);
    const words: string[] = [];
    const look = lookUp(words);
    const model = chat().bindTools([look]);
    const messages: BaseMessage[] = [new HumanMessage('Which colours?')];
    let answer = await model.invoke(messages);
    messages.push(answer);
    for (let round = 0; answer.tool_calls?.length && round < 5; round++) {
      for (const call of answer.tool_calls) messages.push(await look.invoke({ ...call, type: 'tool_call' as const }));
      answer = await model.invoke(messages);
      messages.push(answer);
    }
    expect([answer.text, words]).toEqual(['All blue.', ['sky', 'sea', 'ice']]);
    expect(lastBody().messages.at(-1)).toMatchObject({ role: 'tool', content: 'ice is blue' });

    const later = await model.invoke([...messages, new HumanMessage('What is green?')]);
    expect(later.text).toBe('Grass.');
    expect(rolesSent()).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('streams the calls of its tools', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }, 'Let me see.'), reply('Blue.')]);
    const look = lookUp([]);
    const model = chat().bindTools([look]);
    const asked = new HumanMessage('Which colour?');
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model.stream([asked])) whole = whole ? whole.concat(chunk) : chunk;
    expect(whole?.tool_calls).toMatchObject([{ name: 'look_up', args: { word: 'sky' } }]);
    const [call] = whole?.tool_calls ?? [];
    const said = await look.invoke({ ...call, name: 'look_up', args: { word: 'sky' }, type: 'tool_call' as const });
    let text = '';
    for await (const chunk of await model.stream([asked, whole as AIMessageChunk, said])) text += chunk.text;
    expect(text).toBe('Blue.');
  });

  it('takes a history that it wrote itself', async () => {
    await chat().invoke([new HumanMessage('I am Ida.'), new AIMessage('Good day.'), new HumanMessage('Who am I?')]);
    expect(rolesSent()).toEqual(['user', 'assistant', 'user']);
  });

  const Joke = z.object({ setup: z.string(), punchline: z.string() });
  const joke = { setup: 'Why did the hen cross the road?', punchline: 'To stretch its legs.' };

  it('gives structured output', async () => {
    api.model.script([reply(JSON.stringify(joke))]);
    const structured = chat().withStructuredOutput(Joke, { name: 'joke' });
    expect(await structured.invoke('Tell me a joke.')).toEqual(joke);
    expect(lastBody().response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'joke' } });
  });

  it('gives structured output by a function, with the message beside it', async () => {
    api.model.script([toolCall('joke', joke)]);
    const structured = chat().withStructuredOutput(Joke, {
      name: 'joke',
      method: 'functionCalling',
      includeRaw: true,
    });
    const { parsed, raw } = await structured.invoke('Tell me a joke.');
    expect([parsed, raw]).toMatchObject([joke, { tool_calls: [{ name: 'joke' }] }]);
    expect(lastBody().tool_choice).toEqual({ type: 'function', function: { name: 'joke' } });
  });

  it('gives JSON when told only that', async () => {
    api.model.script([reply(JSON.stringify(joke))]);
    const structured = chat().withStructuredOutput(Joke, { method: 'jsonMode' });
    expect(await structured.invoke('Tell me a joke as JSON.')).toEqual(joke);
    expect(lastBody().response_format).toEqual({ type: 'json_object' });
  });

  it('answers a batch, and hears of a failure', async () => {
    const answers = await chat().batch(['one', 'two']);
    expect(answers.map(({ text }) => text)).toEqual([expect.stringContaining('one'), expect.stringContaining('two')]);
    api.model.script([fail(400)]);
    await expect(chat().invoke('x')).rejects.toMatchObject({ status: 502 });
  });
});
