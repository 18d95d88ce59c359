// OpenAI's Agents SDK against a whole gateway, as its guides use it: runs, streams, tools, structured output, handoffs,
// sessions and approvals, over chat completions and over responses. The library needs Node 22 and weighs more than
// everything else together, so CI installs it for these tests (`npm run compat:clients`) and nobody else does.

import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fail, reply, toolCall, toolCalls } from '../../../testkit/model-server.ts';
import { echo, TEST_TOKEN, TestApi } from '../fixtures/test-api.ts';
import type { Listening } from '../listen.ts';

const LIBRARY = fileURLToPath(
  new URL('../../../../compat/openai-agents/node_modules/@openai/agents/dist/index.mjs', import.meta.url),
);
const isOldNode = Number(process.versions.node.split('.')[0]) < 22;
const whySkipped = isOldNode
  ? ' (skipped: @openai/agents needs Node 22)'
  : existsSync(LIBRARY)
    ? ''
    : ' (skipped: npm run compat:clients installs @openai/agents)';

/** The part of the library that these tests use, because its own types are there only where it is installed. */
interface AgentsLibrary {
  readonly Agent: new (settings: object) => object;
  readonly OpenAIProvider: new (settings: object) => object;
  readonly Runner: new (settings: object) => Runner;
  readonly MemorySession: new () => object;
  readonly handoff: (agent: object) => object;
  readonly tool: (settings: object) => object;
}
interface Runner {
  run(agent: object, input: unknown, options: { readonly stream: true }): Promise<StreamedResult>;
  run(agent: object, input: unknown, options?: object): Promise<Result>;
}
interface Result {
  readonly finalOutput: unknown;
  readonly history: readonly object[];
  readonly interruptions: readonly object[];
  readonly lastAgent: { readonly name: string };
  readonly state: { approve(interruption: object): void; readonly usage: Usage };
}
interface StreamedResult extends Result, AsyncIterable<{ readonly type: string; readonly name?: string }> {
  readonly completed: Promise<void>;
  toTextStream(): AsyncIterable<string>;
}
interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

let api: TestApi;
let server: Listening;
let library: AgentsLibrary;

const lastBody = () => JSON.parse(api.model.requests.at(-1)?.body ?? '{}');
const rolesSent = () => (lastBody().messages as { role: string }[]).slice(1).map(({ role }) => role);

describe.skipIf(whySkipped !== '').each([
  ['chat completions', false],
  ['responses', true],
])(`@openai/agents over %s${whySkipped}`, (_, useResponses) => {
  let runner: Runner;
  beforeAll(async () => {
    library = (await import(/* @vite-ignore */ pathToFileURL(LIBRARY).href)) as AgentsLibrary;
    api = await TestApi.open();
    server = await api.listen();
    const provider = { baseURL: `${server.url}/v1`, apiKey: TEST_TOKEN, useResponses };
    // Traces would be sent to their maker.
    runner = new library.Runner({ modelProvider: new library.OpenAIProvider(provider), tracingDisabled: true });
  });
  afterAll(async () => {
    await server.close(100);
    await api.close();
  });
  beforeEach(() => api.model.script(echo));

  const assistant = (more: object = {}) =>
    new library.Agent({ name: 'Assistant', instructions: 'Be brief.', model: 'atrium/main', ...more });
  const lookUp = (words: string[], more: object = {}) =>
    library.tool({
      name: 'look_up',
      description: 'Looks a word up.',
      parameters: z.object({ word: z.string() }),
      execute: async ({ word }: { readonly word: string }) => {
        words.push(word);
        return `${word} is blue`;
      },
      ...more,
    });

  it('runs an agent, with its usage', async () => {
    api.model.script([reply('Good day, Ida.', { usage: { input: 10, output: 3 } })]);
    const { finalOutput, state } = await runner.run(assistant(), 'I am Ida.');
    expect([finalOutput, state.usage.inputTokens, state.usage.outputTokens]).toEqual(['Good day, Ida.', 10, 3]);
    expect(JSON.stringify(lastBody().messages)).toContain('Be brief.');
  });

  it('streams a run', async () => {
    api.model.script([reply('A sentence that is long enough to come in several pieces, one after the other.')]);
    const result = await runner.run(assistant(), 'Talk.', { stream: true });
    let text = '';
    for await (const piece of result.toTextStream()) text += piece;
    await result.completed;
    expect(text).toBe('A sentence that is long enough to come in several pieces, one after the other.');
    expect(result.finalOutput).toBe(text);
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
    const agent = assistant({ tools: [lookUp(words)] });
    const first = await runner.run(agent, 'Which colours?');
    expect([first.finalOutput, words]).toEqual(['All blue.', ['sky', 'sea', 'ice']]);
    expect(lastBody().messages.at(-1)).toMatchObject({ role: 'tool', content: 'ice is blue' });
    const later = await runner.run(agent, [...first.history, { role: 'user', content: 'What is green?' }]);
    expect(later.finalOutput).toBe('Grass.');
    expect(rolesSent()).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('runs its tools in a stream', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }, 'Let me see.'), reply('Blue.')]);
    const words: string[] = [];
    const result = await runner.run(assistant({ tools: [lookUp(words)] }), 'Which colour?', { stream: true });
    const names: string[] = [];
    for await (const event of result) if (event.name) names.push(event.name);
    expect([result.finalOutput, words]).toEqual(['Blue.', ['sky']]);
    expect(names).toEqual(expect.arrayContaining(['tool_called', 'tool_output', 'message_output_created']));
  });

  it('gives structured output, streamed too', async () => {
    const outputType = z.object({ name: z.string(), date: z.string(), participants: z.array(z.string()) });
    const event = { name: 'Science fair', date: 'Friday', participants: ['Ada', 'Ida'] };
    api.model.script([reply(JSON.stringify(event)), reply(JSON.stringify(event))]);
    const agent = assistant({ name: 'Calendar', outputType });
    expect((await runner.run(agent, 'Ada and Ida go to a science fair on Friday.')).finalOutput).toEqual(event);
    expect(lastBody().response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } });
    expect(JSON.stringify(lastBody().response_format)).toContain('participants');
    const streamed = await runner.run(agent, 'Again.', { stream: true });
    await streamed.completed;
    expect(streamed.finalOutput).toEqual(event);
  });

  it('hands over to another agent', async () => {
    api.model.script([toolCall('transfer_to_Historian', {}), reply('In 1066.')]);
    const historian = new library.Agent({ name: 'Historian', instructions: 'History only.', model: 'atrium/main' });
    const result = await runner.run(assistant({ handoffs: [library.handoff(historian)] }), 'When was Hastings?');
    expect([result.finalOutput, result.lastAgent.name]).toEqual(['In 1066.', 'Historian']);
  });

  it('waits for an approval of its own, and goes on', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }), reply('Blue.')]);
    const words: string[] = [];
    const agent = assistant({ tools: [lookUp(words, { needsApproval: true })] });
    const asked = await runner.run(agent, 'Which colour?');
    expect([asked.interruptions.length, words]).toEqual([1, []]);
    for (const each of asked.interruptions) asked.state.approve(each);
    expect((await runner.run(agent, asked.state)).finalOutput).toBe('Blue.');
    expect(words).toEqual(['sky']);
  });

  it('keeps a conversation in a session of its own', async () => {
    const session = new library.MemorySession();
    await runner.run(assistant(), 'I am Ida.', { session });
    await runner.run(assistant(), 'Who am I?', { session });
    expect(rolesSent()).toEqual(['user', 'assistant', 'user']);
  });

  it('takes the settings that people give a model', async () => {
    api.model.script([toolCall('look_up', { word: 'sky' }), reply('Blue.')]);
    const modelSettings = { temperature: 0.2, toolChoice: 'look_up', parallelToolCalls: false, maxTokens: 500 };
    const words: string[] = [];
    const agent = assistant({ tools: [lookUp(words)], modelSettings });
    expect((await runner.run(agent, 'Which colour?')).finalOutput).toBe('Blue.');
    expect(words).toEqual(['sky']);
    expect(lastBody()).toMatchObject({ temperature: 0.2, max_tokens: 500 });
  });

  it('hears of a failure', async () => {
    api.model.script([fail(400)]);
    await expect(runner.run(assistant(), 'x')).rejects.toMatchObject({ status: 502 });
  });
});
