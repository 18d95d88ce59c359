import { describe, expect, it } from 'vitest';
import type { Message } from '../../protocol/message.ts';
import type { ModelRequest } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createAnthropicModel } from './anthropic-model.ts';

const settings = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-6',
  baseUrl: 'https://api.anthropic.com/v1',
  apiKey: 'sk-ant-1',
  now: () => 0,
};

const mark = { type: 'ephemeral' };

async function bodyOf(request: ModelRequest, changes: Partial<typeof settings & { maxTokens: number }> = {}) {
  return JSON.parse((await createAnthropicModel({ ...settings, ...changes }).prepare(request)).body);
}

function conversation(...messages: readonly Message[]): ModelRequest {
  return requestOf('', { messages, tools: [], system: [] });
}

function call(id: string, path: string) {
  return { type: 'tool-call', id, name: 'read', params: { path } } as const;
}

describe('a request to Anthropic', () => {
  it('looks like this', async () => {
    const wire = await createAnthropicModel(settings).prepare(requestOf('Hello'));
    expect(wire.url).toBe('https://api.anthropic.com/v1/messages');
    expect(wire.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'content-type': 'application/json' });
    expect(wire.body).toBe(
      JSON.stringify({
        model: 'claude-sonnet-4-6',
        max_tokens: 16_000,
        system: [
          { type: 'text', text: 'You are Ana.\n', cache_control: mark },
          { type: 'text', text: 'It is Monday.\n' },
        ],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: mark }] }],
        tools: [
          {
            name: 'read',
            description: 'Reads a file.',
            input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
            eager_input_streaming: true,
          },
        ],
        stream: true,
      }),
    );
  });

  it('marks the cache at the boundary and nowhere else in the system prompt', async () => {
    const marks = async (...system: ModelRequest['system']) =>
      (await bodyOf(requestOf('Hello', { system }))).system.map(({ cache_control }: { cache_control?: object }) =>
        Boolean(cache_control),
      );
    expect(await marks({ text: 'a' }, { text: 'b', cacheBoundary: true }, { text: 'c' })).toEqual([false, true, false]);
    expect(await marks({ text: 'a' }, { text: 'b' })).toEqual([false, false]);
    expect(await marks({ text: 'a' }, { text: ' ', cacheBoundary: true }, { text: 'c' })).toEqual([true, false]);
  });

  it('puts parallel calls into one answer and their results into one message, in order', async () => {
    const { messages } = await bodyOf(
      conversation(
        { role: 'user', content: 'Read both' },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Let me look.' }, call('toolu_1', 'A'), call('toolu_2', 'B')],
        },
        { role: 'tool', toolCallId: 'toolu_1', toolName: 'read', content: 'kind' },
        { role: 'tool', toolCallId: 'toolu_2', toolName: 'read', content: 'no B', isError: true },
      ),
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Read both', cache_control: mark }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'A' } },
          { type: 'tool_use', id: 'toolu_2', name: 'read', input: { path: 'B' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'kind' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no B', is_error: true, cache_control: mark },
        ],
      },
    ]);
  });

  it('only ever grows: what was sent before is sent again, marks apart', async () => {
    const first: Message[] = [{ role: 'user', content: 'one' }];
    const second: Message[] = [
      ...first,
      { role: 'assistant', content: [{ type: 'text', text: 'two ' }] },
      { role: 'user', content: 'three' },
    ];
    const texts = async (messages: Message[]) =>
      JSON.stringify((await bodyOf(conversation(...messages))).messages).replaceAll(
        ',"cache_control":{"type":"ephemeral"}',
        '',
      );
    expect((await texts(second)).startsWith((await texts(first)).slice(0, -1))).toBe(true);
  });

  it('holds no blank text, which the API refuses', async () => {
    const { messages, system } = await bodyOf(
      requestOf('', {
        system: [{ text: '' }, { text: '\n' }],
        messages: [
          { role: 'user', content: ' ' },
          { role: 'assistant', content: [{ type: 'text', text: '\n' }, call('toolu_1', 'A')] },
          { role: 'tool', toolCallId: 'toolu_1', toolName: 'read', content: '' },
          { role: 'assistant', content: [{ type: 'text', text: '' }] },
          { role: 'user', content: 'And?' },
        ],
      }),
    );
    expect(system).toBeUndefined();
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(empty message)', cache_control: mark }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'A' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: '' },
          { type: 'text', text: 'And?', cache_control: mark },
        ],
      },
    ]);
  });

  it('joins messages of a person that follow each other', async () => {
    const { messages } = await bodyOf(conversation({ role: 'user', content: 'one' }, { role: 'user', content: 'two' }));
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two', cache_control: mark },
        ],
      },
    ]);
  });

  it('makes ids and parameters of other providers fit, the same way in the call and its result', async () => {
    const { messages } = await bodyOf(
      conversation(
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', id: 'functions.read:0', name: 'read', params: 'AGENTS.md' }],
        },
        { role: 'tool', toolCallId: 'functions.read:0', toolName: 'read', content: 'half a pair: \ud83d' },
      ),
    );
    const use = messages[1].content[0];
    const result = messages[2].content[0];
    expect(use.id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(result.tool_use_id).toBe(use.id);
    expect(use.input).toEqual({ value: 'AGENTS.md' });
    expect(result.content).toBe('half a pair: \ufffd');
  });

  it('limits the answer by the request, else by the settings', async () => {
    expect((await bodyOf(requestOf('Hello'), { maxTokens: 5000 })).max_tokens).toBe(5000);
    const request = requestOf('Hello', { maxOutputTokens: 100 });
    const settings = { maxTokens: 5000, temperature: 0.5 };
    expect(await bodyOf(request, settings)).toMatchObject({ max_tokens: 100, temperature: 0.5 });
  });

  it('says in its own words which tool must be called, and refuses a form of the answer by name', async () => {
    const tools = [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }];
    const choice = async (wishes: ModelRequest['wishes']) =>
      (await bodyOf(requestOf('Hello', { tools, wishes }))).tool_choice;
    expect(await choice({ toolChoice: { name: 'look_up' } })).toEqual({ type: 'tool', name: 'look_up' });
    expect(await choice({ toolChoice: 'required' })).toEqual({ type: 'any' });
    expect(await choice({ isOneCallAtATime: true })).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(await choice(undefined)).toBeUndefined();
    const asked = bodyOf(
      requestOf('Hello', { wishes: { format: { type: 'json_object' }, fields: { format: 'response_format' } } }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'ATRIUM_MODEL_WISH', param: 'response_format' });
  });
});
