import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import type { WireModelSettings } from '../wire-model.ts';
import { createOpenAiResponsesModel } from './openai-responses-model.ts';

const settings = { provider: 'openai', model: 'gpt-5.4', baseUrl: 'https://api.openai.com/v1', now: () => 0 };

async function bodyOf(request: ModelRequest, changes: Partial<WireModelSettings> = {}) {
  return JSON.parse((await createOpenAiResponsesModel({ ...settings, ...changes }).prepare(request)).body);
}

describe('a request to the Responses API', () => {
  it('looks like this: the whole conversation, and nothing that the provider would keep', async () => {
    const wire = await createOpenAiResponsesModel(settings).prepare(requestOf('Hello', { maxOutputTokens: 100 }));
    expect(wire.url).toBe('https://api.openai.com/v1/responses');
    expect(wire.body).toBe(
      JSON.stringify({
        model: 'gpt-5.4',
        input: [
          { role: 'developer', content: 'You are Ana.\nIt is Monday.\n' },
          { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        ],
        max_output_tokens: 100,
        store: false,
        tools: [
          {
            type: 'function',
            name: 'read',
            description: 'Reads a file.',
            parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
            strict: false,
          },
        ],
        stream: true,
      }),
    );
  });

  it('tells calls and results as items, in order', async () => {
    const { input } = await bodyOf(
      requestOf('', {
        system: [],
        messages: [
          { role: 'user', content: 'Read both' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Let me look.' },
              { type: 'tool-call', id: 'call_1', name: 'read', params: { path: 'A' } },
            ],
          },
          { role: 'tool', toolCallId: 'call_1', toolName: 'read', content: 'kind' },
          { role: 'assistant', content: [{ type: 'text', text: '' }] },
        ],
      }),
    );
    expect(input).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'Read both' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"A"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'kind' },
    ]);
  });

  it('names the instructions as the model knows them, and sets no temperature that it would refuse', async () => {
    const roleAndTemperature = async (model: string) => {
      const { input, temperature } = await bodyOf(requestOf('Hello'), { model, temperature: 0.5 });
      return [input[0].role, temperature];
    };
    for (const model of ['o3', 'o4-mini', 'gpt-5', 'gpt-5.1-chat-latest', 'gpt-6'])
      expect(await roleAndTemperature(model)).toEqual(['developer', undefined]);
    for (const model of ['gpt-4.1', 'gpt-5-chat-latest', 'qwen3', 'omni'])
      expect(await roleAndTemperature(model)).toEqual(['system', 0.5]);
  });

  it('passes on what a client wishes of the answer', async () => {
    const format = { type: 'json_schema', name: 'person', schema: { type: 'object' }, strict: true } as const;
    const tools = [
      { name: 'look_up', description: 'Looks up.', parameters: { type: 'object' }, strict: true } as const,
    ];
    const wishes = { format, toolChoice: { name: 'look_up' }, isOneCallAtATime: true } as const;
    expect(await bodyOf(requestOf('Hello', { wishes, tools }))).toMatchObject({
      text: { format },
      tools: [{ name: 'look_up', strict: true }],
      tool_choice: { type: 'function', name: 'look_up' },
      parallel_tool_calls: false,
    });
  });
});
