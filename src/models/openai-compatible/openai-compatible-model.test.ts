import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createOpenAiCompatibleModel } from './openai-compatible-model.ts';

const settings = { provider: 'ollama', model: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1', now: () => 0 };

async function bodyOf(request: ModelRequest, changes: Partial<typeof settings> = {}) {
  return JSON.parse((await createOpenAiCompatibleModel({ ...settings, ...changes }).prepare(request)).body);
}

describe('a request to a server like OpenAI', () => {
  it('looks like this', async () => {
    const wire = await createOpenAiCompatibleModel(settings).prepare(requestOf('Hello'));
    expect(wire.url).toBe('http://127.0.0.1:11434/v1/chat/completions');
    expect(wire.body).toBe(
      JSON.stringify({
        model: 'qwen3',
        messages: [
          { role: 'system', content: 'You are Ana.\nIt is Monday.\n' },
          { role: 'user', content: 'Hello' },
        ],
        tools: [
          {
            type: 'function',
            function: {
              name: 'read',
              description: 'Reads a file.',
              parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
            },
          },
        ],
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
  });

  it('tells calls and results in order, and leaves out answers that said nothing', async () => {
    const { messages, tools } = await bodyOf(
      requestOf('', {
        system: [],
        tools: [],
        messages: [
          { role: 'user', content: 'Read both' },
          {
            role: 'assistant',
            content: [
              { type: 'tool-call', id: 'call_1', name: 'read', params: { path: 'A' } },
              { type: 'tool-call', id: 'call_2', name: 'read', params: { path: 'B' } },
            ],
          },
          { role: 'tool', toolCallId: 'call_1', toolName: 'read', content: 'kind' },
          { role: 'tool', toolCallId: 'call_2', toolName: 'read', content: 'no B', isError: true },
          { role: 'assistant', content: [{ type: 'text', text: '' }] },
          { role: 'user', content: '' },
        ],
      }),
    );
    expect(tools).toBeUndefined();
    expect(messages).toEqual([
      { role: 'user', content: 'Read both' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"A"}' } },
          { id: 'call_2', type: 'function', function: { name: 'read', arguments: '{"path":"B"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'kind' },
      { role: 'tool', tool_call_id: 'call_2', content: 'no B' },
      { role: 'user', content: '' },
    ]);
  });

  it('names the limit of the answer as the server knows it', async () => {
    const request = requestOf('Hello', { maxOutputTokens: 100 });
    expect(await bodyOf(request)).toMatchObject({ max_tokens: 100 });
    const openAi = await bodyOf(request, { provider: 'openai', baseUrl: 'https://api.openai.com/v1' });
    expect(openAi).toMatchObject({ max_completion_tokens: 100 });
    expect(openAi.max_tokens).toBeUndefined();
  });

  it('passes on what a client wishes of the answer, and says nothing of tools where there are none', async () => {
    const format = { type: 'json_schema', name: 'person', schema: { type: 'object' }, strict: true } as const;
    const tools = [
      { name: 'look_up', description: 'Looks up.', parameters: { type: 'object' }, strict: true } as const,
    ];
    const wishes = { format, toolChoice: { name: 'look_up' }, isOneCallAtATime: true } as const;
    const { type, ...schema } = format;
    expect(await bodyOf(requestOf('Hello', { wishes, tools }))).toMatchObject({
      response_format: { type, json_schema: schema },
      tools: [{ function: { name: 'look_up', strict: true } }],
      tool_choice: { type: 'function', function: { name: 'look_up' } },
      parallel_tool_calls: false,
    });
    const bare = await bodyOf(
      requestOf('Hello', { tools: [], wishes: { format: { type: 'json_object' }, toolChoice: 'required' } }),
    );
    expect([bare.response_format, bare.tool_choice]).toEqual([{ type: 'json_object' }, undefined]);
  });
});
