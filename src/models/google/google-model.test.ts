import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../model.ts';
import { requestOf } from '../model-suite.ts';
import { createGoogleModel } from './google-model.ts';

const settings = {
  provider: 'google',
  model: 'gemini-2.5-flash',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  now: () => 0,
};

const prepare = (request: ModelRequest, model = settings.model) =>
  createGoogleModel({ ...settings, model }).prepare(request);
const bodyOf = async (request: ModelRequest, model?: string) => JSON.parse((await prepare(request, model)).body);

const TALK: ModelRequest = requestOf('', {
  messages: [
    { role: 'user', content: 'Read both' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', id: 'call_1', name: 'read', params: { path: 'A' } },
        { type: 'tool-call', id: 'call_2', name: 'read', params: { path: 'B' } },
      ],
    },
    { role: 'tool', toolCallId: 'call_1', toolName: 'read', content: 'kind' },
    { role: 'tool', toolCallId: 'call_2', toolName: 'read', content: 'no B', isError: true },
    { role: 'user', content: ' ' },
  ],
});

describe('a request to Google', () => {
  it('looks like this', async () => {
    const wire = await prepare(requestOf('Hello', { maxOutputTokens: 100, wishes: { temperature: 0.5 } }));
    expect(wire.url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    );
    expect(wire.body).toBe(
      JSON.stringify({
        generationConfig: { maxOutputTokens: 100, temperature: 0.5 },
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        systemInstruction: { parts: [{ text: 'You are Ana.\nIt is Monday.\n' }] },
        tools: [
          {
            functionDeclarations: [
              {
                name: 'read',
                description: 'Reads a file.',
                parametersJsonSchema: {
                  type: 'object',
                  properties: { path: { type: 'string' } },
                  required: ['path'],
                },
              },
            ],
          },
        ],
      }),
    );
  });

  it('puts the results of parallel calls into one turn, and words where there are none', async () => {
    const { contents } = await bodyOf(TALK);
    const result = (id: string, content: string) => ({
      functionResponse: { id, name: 'read', response: { name: 'read', content } },
    });
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'Read both' }] },
      {
        role: 'model',
        parts: [
          { text: 'Let me look.' },
          { functionCall: { id: 'call_1', name: 'read', args: { path: 'A' } } },
          { functionCall: { id: 'call_2', name: 'read', args: { path: 'B' } } },
        ],
      },
      { role: 'user', parts: [result('call_1', 'kind'), result('call_2', 'no B')] },
      { role: 'user', parts: [{ text: '(empty message)' }] },
    ]);
  });

  it('says to newer models that the calls of the past are not signed', async () => {
    const signatures = async (model: string) => (await bodyOf(TALK, model)).contents[1].parts[1].thoughtSignature;
    for (const model of ['gemini-3-pro', 'gemini-flash-latest', 'models/gemini-4'])
      expect(await signatures(model)).toBe('skip_thought_signature_validator');
    for (const model of ['gemini-2.5-pro', 'gemini-1.5-pro', 'gemini-pro', 'gemma-3-27b'])
      expect(await signatures(model)).toBeUndefined();
  });

  it('gives Gemma its instructions in the conversation, whoever opened it', async () => {
    const asked = await bodyOf(requestOf('Hello'), 'gemma-3-27b');
    expect(asked.systemInstruction).toBeUndefined();
    expect(asked.contents[0].parts).toEqual([{ text: 'You are Ana.\nIt is Monday.\n\n\n' }, { text: 'Hello' }]);
    const opened = requestOf('', { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }] });
    expect((await bodyOf(opened, 'gemma-3-27b')).contents).toEqual([
      { role: 'user', parts: [{ text: 'You are Ana.\nIt is Monday.\n\n\n' }] },
      { role: 'model', parts: [{ text: 'Hi' }] },
    ]);
  });

  it('keeps the name of the model within the path', async () => {
    expect((await prepare(requestOf('Hi'), 'x?key=1#')).url).toContain('/models/x%3Fkey%3D1%23:streamGenerateContent');
    expect((await prepare(requestOf('Hi'), 'tunedModels/mine')).url).toContain('/v1beta/tunedModels/mine:stream');
  });

  it('says which tool must be called, and refuses a form of the answer by name', async () => {
    const tools = [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }];
    const { toolConfig } = await bodyOf(requestOf('Hi', { tools, wishes: { toolChoice: { name: 'look_up' } } }));
    expect(toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look_up'] } });
    const asked = bodyOf(
      requestOf('Hi', { wishes: { format: { type: 'json_object' }, fields: { format: 'response_format' } } }),
    );
    await expect(asked).rejects.toMatchObject({ code: 'ATRIUM_MODEL_WISH', param: 'response_format' });
  });
});
