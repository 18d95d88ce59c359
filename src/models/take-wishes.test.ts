// What a model can be told of a client's wishes depends on its protocol, its name and sometimes the other wishes. That
// every field is sent or refused, for every protocol, is shown in `client-fields.slow.test.ts` of the API.

import { describe, expect, it } from 'vitest';
import type { AnswerWishes } from '../protocol/answer-wishes.ts';
import { MODEL_PROTOCOLS, type ModelProtocol } from '../protocol/model-protocol.ts';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import { createGoogleModel } from './google/google-model.ts';
import { createMirrorModel } from './mirror/mirror-model.ts';
import type { ModelEvent, ModelRequest } from './model.ts';
import { createOpenAiCompatibleModel } from './openai-compatible/openai-compatible-model.ts';
import { createOpenAiResponsesModel } from './openai-responses/openai-responses-model.ts';
import type { WireModelSettings } from './wire-model.ts';

const CREATE = {
  'anthropic-messages': createAnthropicModel,
  'openai-completions': createOpenAiCompatibleModel,
  'openai-responses': createOpenAiResponsesModel,
  'google-generative-ai': createGoogleModel,
};

const SAID: ModelRequest = { system: [], tools: [], messages: [{ role: 'user', content: 'Hello' }] };
const fields = {
  temperature: 'temperature',
  topP: 'top_p',
  effort: 'reasoning.effort',
  format: 'text.format',
} as const;
const JSON_OBJECT = { type: 'json_object' } as const;
const PERSON = { type: 'json_schema', name: 'person', schema: { type: 'object' }, strict: true } as const;

async function bodyOf(
  api: ModelProtocol,
  model: string,
  request: Partial<ModelRequest>,
  settings: Partial<WireModelSettings> = {},
): Promise<Record<string, unknown>> {
  const made = CREATE[api]({ provider: 'p', model, baseUrl: 'http://127.0.0.1/v1', now: () => 0, ...settings });
  return JSON.parse((await made.prepare({ ...SAID, ...request })).body);
}

describe.each(MODEL_PROTOCOLS)('over %s', (api) => {
  it('a request without wishes has the bytes that it always had', async () => {
    const plain = await bodyOf(api, 'small', { maxOutputTokens: 90 });
    expect(await bodyOf(api, 'small', { maxOutputTokens: 90, wishes: {} })).toEqual(plain);
  });

  it("a client's temperature replaces the agent's, and its limit never raises the agent's", async () => {
    const told = async (request: Partial<ModelRequest>, maxTokens?: number) =>
      JSON.stringify(await bodyOf(api, 'small', request, maxTokens === undefined ? {} : { maxTokens }));
    const own = { temperature: 0.4 };
    expect(JSON.stringify(await bodyOf(api, 'small', {}, own))).toMatch(/"temperature":0\.4/);
    const both = await bodyOf(api, 'small', { wishes: { temperature: 0.9 } }, own);
    expect(JSON.stringify(both)).toMatch(/"temperature":0\.9/);
    expect(await told({ wishes: { maxTokens: 700 } })).toMatch(/tokens":700/i);
    expect(await told({ wishes: { maxTokens: 700 } }, 300)).toMatch(/tokens":300/i);
    expect(await told({ wishes: { maxTokens: 700 }, maxOutputTokens: 500 }, 900)).toMatch(/tokens":500/i);
    expect(await told({ wishes: { maxTokens: 20_000 } })).toMatch(/tokens":20000/i);
  });
});

const OPENAI = { baseUrl: 'https://api.openai.com/v1' };

describe('a wish that the model does not take', () => {
  it.each<[ModelProtocol, string, AnswerWishes, RegExp]>([
    ['openai-completions', 'o3', { temperature: 0.5 }, /"temperature".+p\/o3: models that think before they answer/],
    ['openai-completions', 'gpt-5', { topP: 0.5 }, /"top_p".+do not take it\. Leave it out/],
    ['openai-completions', 'gpt-5.4', { temperature: 0 }, /unless the effort of their thinking is "none"/],
    ['openai-completions', 'gpt-6', { temperature: 0, effort: 'none' }, /do not take it\. Leave/],
    ['openai-completions', 'gpt-5.4', { presencePenalty: 1, effort: 'none' }, /"presencePenalty".+do not take it\. /],
    ['openai-responses', 'gpt-5', { temperature: 0.5 }, /models that think/],
    ['openai-responses', 'gpt-4.1', { stop: ['END'] }, /its protocol, openai-responses, has no setting for it/],
    ['anthropic-messages', 'claude-opus-4-8', { temperature: 0.5 }, /this model does not take it/],
    ['anthropic-messages', 'claude-opus-4-8', { topP: 0.5 }, /this model does not take it/],
    ['anthropic-messages', 'claude-sonnet-4-6', { temperature: 1.5 }, /it takes 0 to 1/],
    ['anthropic-messages', 'claude-sonnet-4-6', { temperature: 0.5, topP: 0.5 }, /"top_p".+the request has both/],
    ['anthropic-messages', 'claude-sonnet-4-5', { effort: 'low' }, /"reasoning\.effort".+this model does not take it/],
    ['anthropic-messages', 'claude-sonnet-4-6', { effort: 'xhigh' }, /it takes low, medium, high, max/],
    ['anthropic-messages', 'claude-sonnet-4-6', { format: JSON_OBJECT }, /JSON with a schema \("json_schema"\) only/],
    ['anthropic-messages', 'claude-3-7-sonnet-latest', { format: PERSON }, /"text\.format".+this model does not take/],
    ['google-generative-ai', 'gemma-3-27b-it', { format: PERSON }, /this model does not take it/],
    ['google-generative-ai', 'gemini-2.5-flash', { frequencyPenalty: 1 }, /this model does not take it/],
    ['google-generative-ai', 'gemini-3-pro', { isOneCallAtATime: true }, /no setting for it/],
  ])('is refused by name: %s, %s, %j', async (api, model, wishes, message) => {
    const settings = api.startsWith('openai') ? OPENAI : {};
    const asked = bodyOf(api, model, { wishes: { ...wishes, fields } }, settings);
    await expect(asked).rejects.toMatchObject({ code: 'ATRIUM_MODEL_WISH', status: 400 });
    await expect(asked).rejects.toThrow(message);
  });

  it.each<[ModelProtocol, string, AnswerWishes, object]>([
    ['openai-completions', 'gpt-5', { temperature: 1, presencePenalty: 0 }, {}],
    [
      'openai-completions',
      'gpt-5.4',
      { temperature: 0.5, effort: 'none' },
      { temperature: 0.5, reasoning_effort: 'none' },
    ],
    ['openai-completions', 'gpt-4.1', { maxTokens: 9 }, { max_completion_tokens: 9 }],
    ['openai-responses', 'gpt-5', { topP: 1, verbosity: 'low' }, { text: { verbosity: 'low' } }],
    ['openai-responses', 'gpt-5.4', { topP: 0.5, effort: 'none' }, { top_p: 0.5, reasoning: { effort: 'none' } }],
    ['anthropic-messages', 'claude-opus-4-8', { temperature: 1, topP: 1, verbosity: 'medium' }, {}],
    ['anthropic-messages', 'claude-sonnet-4-6', { temperature: 1, topP: 0.5 }, { top_p: 0.5 }],
    ['anthropic-messages', 'claude-sonnet-4-6', { temperature: 0.5, topP: 1 }, { temperature: 0.5 }],
    ['anthropic-messages', 'minimax-m2', { temperature: 0.5, topP: 0.5 }, { temperature: 0.5, top_p: 0.5 }],
    ['google-generative-ai', 'gemini-2.5-flash', { frequencyPenalty: 0 }, {}],
  ])('is left out where it changes nothing, and nothing else is: %s, %s, %j', async (api, model, wishes, sent) => {
    const settings = api.startsWith('openai') ? OPENAI : {};
    const plain = await bodyOf(api, model, {}, settings);
    expect(await bodyOf(api, model, { wishes }, settings)).toEqual({ ...plain, ...sent });
  });

  it('is sent to another server of the same protocol, which knows its models itself', async () => {
    expect(await bodyOf('openai-completions', 'gpt-5', { wishes: { temperature: 0.5 } })).toMatchObject({
      temperature: 0.5,
    });
  });
});

describe('the form of an answer', () => {
  const tools = [{ name: 'read', description: '', parameters: { type: 'object' } }];
  const { schema } = PERSON;
  it.each<[ModelProtocol, string, AnswerWishes, object]>([
    ['anthropic-messages', 'claude-opus-4-1', { format: PERSON }, { format: { type: 'json_schema', schema } }],
    ['anthropic-messages', 'claude-opus-4-8', { effort: 'xhigh' }, { effort: 'xhigh' }],
    [
      'anthropic-messages',
      'claude-sonnet-4-6',
      { format: PERSON, effort: 'low' },
      { effort: 'low', format: { type: 'json_schema', schema } },
    ],
  ])('and the effort are told to Claude: %s, %s, %j', async (api, model, wishes, output_config) => {
    expect(await bodyOf(api, model, { wishes, tools })).toMatchObject({ output_config });
  });

  it('is told to Gemini, before 3 only without tools', async () => {
    const generationConfig = { responseMimeType: 'application/json' };
    const told = (model: string, request: Partial<ModelRequest>) => bodyOf('google-generative-ai', model, request);
    expect(await told('gemini-2.5-flash', { wishes: { format: JSON_OBJECT } })).toMatchObject({ generationConfig });
    expect(await told('gemini-3-pro', { wishes: { format: PERSON }, tools })).toMatchObject({
      generationConfig: { ...generationConfig, responseJsonSchema: schema },
    });
    await expect(told('gemini-2.5-flash', { wishes: { format: PERSON, fields }, tools })).rejects.toThrow(
      /"text\.format".+Gemini before 3 takes it only in a request without tools/,
    );
  });
});

describe("the agent's own setting", () => {
  it.each<[ModelProtocol, string, AnswerWishes | undefined, Partial<WireModelSettings>, object]>([
    ['anthropic-messages', 'claude-opus-4-8', undefined, { temperature: 0.5 }, {}],
    ['anthropic-messages', 'claude-sonnet-4-6', undefined, { temperature: 1.5 }, {}],
    ['anthropic-messages', 'claude-sonnet-4-6', undefined, { temperature: 0.5, topP: 0.5 }, { temperature: 0.5 }],
    ['anthropic-messages', 'claude-sonnet-4-6', { topP: 0.2 }, { temperature: 0.5 }, { top_p: 0.2 }],
    ['openai-completions', 'o3', undefined, { temperature: 0.5, ...OPENAI }, {}],
    ['openai-completions', 'small', { topP: 0.2 }, { temperature: 0.5, topP: 0.9 }, { temperature: 0.5, top_p: 0.2 }],
    ['openai-responses', 'gpt-5', undefined, { topP: 0.5 }, {}],
  ])('is left out where the model does not take it: %s, %s, %j, %j', async (api, model, wishes, settings, sent) => {
    const plain = await bodyOf(api, model, {}, { baseUrl: settings.baseUrl ?? 'http://127.0.0.1/v1' });
    expect(await bodyOf(api, model, { wishes }, settings)).toEqual({ ...plain, ...sent });
  });
});

describe('mirror', () => {
  const said = async (wishes: AnswerWishes, content = 'say: one two three four') => {
    const model = createMirrorModel();
    const wire = await model.prepare({ ...SAID, messages: [{ role: 'user', content }], wishes });
    const events: ModelEvent[] = [];
    for await (const event of model.stream(wire, AbortSignal.timeout(10_000))) events.push(event);
    const end = events.at(-1);
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    return [text, end?.type === 'end' ? end.stop : undefined];
  };

  it('follows a limit and the texts at which an answer ends', async () => {
    const [whole] = await said({});
    expect(whole).toContain('one two three four');
    expect(await said({ maxTokens: 2 })).toEqual([whole?.slice(0, 8), 'length']);
    expect(await said({ stop: ['three', 'two'] })).toEqual([whole?.slice(0, whole.indexOf('two')), 'stop']);
    expect(await said({ maxTokens: 1_000, stop: ['never said'], seed: 3 })).toEqual([whole, 'stop']);
  });

  it('refuses what only a language model could follow', async () => {
    await expect(said({ temperature: 0.5 })).rejects.toThrow(/^"temperature" cannot be passed on to mirror\/mirror/);
    await expect(said({ toolChoice: 'required' })).rejects.toMatchObject({ code: 'ATRIUM_MODEL_WISH' });
  });
});
