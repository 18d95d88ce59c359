// Every field of OpenAI's two APIs against every protocol of models: it is in the bytes that the model's server gets, or
// the request is refused by the field's name and nothing is sent, or no answer could differ. There is no other outcome.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODEL_PROTOCOLS, type ModelProtocol } from '../../protocol/model-protocol.ts';
import { reply } from '../../testkit/model-server.ts';
import { CHAT_FIELDS } from './chat-fields.ts';
import type { ClientField, ClientFields } from './client-fields.ts';
import { TestApi } from './fixtures/test-api.ts';
import { RESPONSE_FIELDS } from './response-fields.ts';

/** Where each protocol has a wish. A protocol without an entry has no words for it. */
type Places = Readonly<Partial<Record<ModelProtocol, string>>>;
const everywhere = (chat: string, google: string): Places => ({
  'openai-completions': chat,
  'openai-responses': chat,
  'anthropic-messages': chat,
  'google-generative-ai': `generationConfig.${google}`,
});
const TEMPERATURE = everywhere('temperature', 'temperature');
const TOP_P = everywhere('top_p', 'topP');
const MOST: Places = {
  ...everywhere('max_tokens', 'maxOutputTokens'),
  'openai-responses': 'max_output_tokens',
};
const EFFORT: Places = { 'openai-completions': 'reasoning_effort', 'openai-responses': 'reasoning.effort' };
const VERBOSITY: Places = { 'openai-completions': 'verbosity', 'openai-responses': 'text.verbosity' };
const FORMAT: Places = {
  'openai-completions': 'response_format.type',
  'openai-responses': 'text.format.type',
  'google-generative-ai': 'generationConfig.responseMimeType',
};
const FORMAT_FOUND = {
  'openai-completions': 'json_object',
  'openai-responses': 'json_object',
  'anthropic-messages': undefined,
  'google-generative-ai': 'application/json',
};

interface Sample {
  readonly value: unknown;
  /** What the model's server finds, and where. Without it, the field is not for the model. */
  readonly places?: Places | undefined;
  readonly found?: unknown;
  /** Other fields that it needs. */
  readonly beside?: object | undefined;
}
const JSON_OBJECT = { value: { type: 'json_object' }, places: FORMAT, found: FORMAT_FOUND };
const CHAT_TOOL = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };
const RESPONSE_TOOL = { type: 'function', name: 'look_up', parameters: { type: 'object' } };
const CHOICE: Places = {
  'openai-completions': 'tool_choice',
  'openai-responses': 'tool_choice',
  'anthropic-messages': 'tool_choice.type',
  'google-generative-ai': 'toolConfig.functionCallingConfig.mode',
};
const CHOSEN = {
  'openai-completions': 'required',
  'openai-responses': 'required',
  'anthropic-messages': 'any',
  'google-generative-ai': 'ANY',
};
const ONE_CALL: Places = {
  'openai-completions': 'parallel_tool_calls',
  'openai-responses': 'parallel_tool_calls',
  'anthropic-messages': 'tool_choice.disable_parallel_tool_use',
};

const CHAT_SAMPLES: Readonly<Record<string, Sample>> = {
  model: { value: 'atrium/main' },
  messages: { value: [{ role: 'user', content: 'Hello' }] },
  stream: { value: false },
  'stream_options.include_usage': { value: true },
  'stream_options.include_obfuscation': { value: false },
  user: { value: 'ada' },
  metadata: { value: { place: 'desk' } },
  n: { value: 1 },
  response_format: JSON_OBJECT,
  modalities: { value: ['text'] },
  audio: { value: { voice: 'ash', format: 'mp3' } },
  tools: { value: [CHAT_TOOL] },
  tool_choice: { value: 'required', beside: { tools: [CHAT_TOOL] }, places: CHOICE, found: CHOSEN },
  parallel_tool_calls: { value: false, beside: { tools: [CHAT_TOOL] }, places: ONE_CALL },
  functions: { value: [] },
  function_call: { value: 'none' },
  logprobs: { value: false },
  top_logprobs: { value: 0 },
  temperature: { value: 0.25, places: TEMPERATURE },
  top_p: { value: 0.75, places: TOP_P },
  max_completion_tokens: { value: 123, places: MOST },
  max_tokens: { value: 123, places: MOST },
  stop: {
    value: 'END',
    found: ['END'],
    places: {
      'openai-completions': 'stop',
      'anthropic-messages': 'stop_sequences',
      'google-generative-ai': 'generationConfig.stopSequences',
    },
  },
  presence_penalty: {
    value: 0.5,
    places: { 'openai-completions': 'presence_penalty', 'google-generative-ai': 'generationConfig.presencePenalty' },
  },
  frequency_penalty: {
    value: -0.5,
    places: { 'openai-completions': 'frequency_penalty', 'google-generative-ai': 'generationConfig.frequencyPenalty' },
  },
  logit_bias: { value: { 50256: -100 }, places: { 'openai-completions': 'logit_bias' } },
  seed: { value: 11, places: { 'openai-completions': 'seed', 'google-generative-ai': 'generationConfig.seed' } },
  reasoning_effort: { value: 'high', places: EFFORT },
  verbosity: { value: 'low', places: VERBOSITY },
  web_search_options: { value: {} },
  moderation: { value: { model: 'm' } },
  prediction: { value: { type: 'content', content: 'x' } },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  safety_identifier: { value: 's' },
  service_tier: { value: 'flex' },
  store: { value: true },
};

const RESPONSE_SAMPLES: Readonly<Record<string, Sample>> = {
  model: { value: 'atrium/main' },
  input: { value: 'Hello' },
  instructions: { value: 'Be brief.' },
  previous_response_id: { value: null },
  stream: { value: false },
  'stream_options.include_obfuscation': { value: false },
  store: { value: true },
  background: { value: false },
  metadata: { value: { place: 'desk' } },
  user: { value: 'ada' },
  tools: { value: [RESPONSE_TOOL] },
  tool_choice: { value: 'required', beside: { tools: [RESPONSE_TOOL] }, places: CHOICE, found: CHOSEN },
  parallel_tool_calls: { value: false, beside: { tools: [RESPONSE_TOOL] }, places: ONE_CALL },
  'text.format': JSON_OBJECT,
  'text.verbosity': { value: 'high', places: VERBOSITY },
  'reasoning.effort': { value: 'low', places: EFFORT },
  'reasoning.summary': { value: 'auto' },
  'reasoning.generate_summary': { value: 'auto' },
  'reasoning.mode': { value: 'standard' },
  'reasoning.context': { value: 'auto' },
  temperature: { value: 0.25, places: TEMPERATURE },
  top_p: { value: 0.75, places: TOP_P },
  max_output_tokens: { value: 123, places: MOST },
  conversation: { value: 'conv_1' },
  prompt: { value: { id: 'p' } },
  truncation: { value: 'disabled' },
  top_logprobs: { value: 0 },
  max_tool_calls: { value: 3 },
  include: { value: ['reasoning.encrypted_content'] },
  context_management: { value: [] },
  moderation: { value: { model: 'm' } },
  prompt_cache_key: { value: 'k' },
  prompt_cache_options: { value: {} },
  prompt_cache_retention: { value: '24h' },
  safety_identifier: { value: 's' },
  service_tier: { value: 'flex' },
};

const APIS = [
  {
    path: '/v1/chat/completions',
    fields: CHAT_FIELDS,
    samples: CHAT_SAMPLES,
    plain: { model: 'atrium', messages: [{ role: 'user', content: 'Hello' }] },
  },
  {
    path: '/v1/responses',
    fields: RESPONSE_FIELDS,
    samples: RESPONSE_SAMPLES,
    plain: { model: 'atrium', input: 'Hello' },
  },
];

function rowsOf(fields: ClientFields, prefix = ''): readonly (readonly [string, ClientField])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.inside ? rowsOf(field.inside, `${prefix}${name}.`) : [[prefix + name, field] as const],
  );
}

const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
const foundAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

it.each(APIS)('$path has a sample of every field', ({ fields, samples }) => {
  expect(Object.keys(samples).sort()).toEqual(
    rowsOf(fields)
      .map(([name]) => name)
      .sort(),
  );
});

describe.each(MODEL_PROTOCOLS)('over %s', (protocol) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.open({ protocol });
    api.model.script(() => reply('{}'));
  });
  afterAll(() => api.close());

  async function ask(path: string, body: object) {
    const before = api.model.requests.length;
    const { status, json } = await api.call('POST', path, body);
    return { status, error: (json.error ?? undefined) as object | undefined, sent: api.model.requests.slice(before) };
  }

  describe.each(APIS)('$path', ({ path, plain, samples, fields }) => {
    it.each(rowsOf(fields))('%s is sent, not needed, or refused by its name', async (name, { state, says }) => {
      const { value, places, found = value, beside } = samples[name] as Sample;
      const { status, error, sent } = await ask(path, { ...plain, ...beside, ...nested(name, value) });
      const place = places?.[protocol];
      if (state === 'refused' || (places && place === undefined)) {
        expect(status).toBe(400);
        expect(error).toMatchObject({
          code: state === 'refused' ? 'ATRIUM_HTTP_REQUEST_INVALID' : 'ATRIUM_MODEL_WISH',
          param: name,
          message: expect.stringContaining(`"${name}" cannot be `),
          type: 'invalid_request_error',
        });
        expect(sent).toEqual([]);
        return;
      }
      expect([status, error, sent.length]).toEqual([200, undefined, 1]);
      const body = sent[0]?.body;
      if (place !== undefined) {
        const byProtocol = [CHOSEN, FORMAT_FOUND].find((each) => each === found);
        const expected = byProtocol ? byProtocol[protocol] : found;
        // One protocol says the opposite: that calls side by side are switched off.
        expect(foundAt(sent[0]?.json, place)).toEqual(place.endsWith('disable_parallel_tool_use') ? true : expected);
      } else if (state === 'not needed') {
        expect(says).not.toBe('');
        expect(body).toBe((await ask(path, plain)).sent[0]?.body);
      }
    });
  });

  it('what changes nothing is taken, also where there are no words for it', async () => {
    const neutral = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, verbosity: 'medium' };
    const nothing = { logit_bias: {}, stop: [], seed: null, max_tokens: null, reasoning_effort: null };
    const { status, sent } = await ask('/v1/chat/completions', { ...APIS[0]?.plain, ...neutral, ...nothing });
    expect([status, sent.length]).toEqual([200, 1]);
    expect(sent[0]?.body).not.toMatch(/"(?:logit_bias|stop|stop_sequences|stopSequences|seed)"/);
  });

  it.each<[object, string]>([
    [{ temperature: 2.1 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -0.1 }, 'top_p'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_completion_tokens: '9' }, 'max_completion_tokens'],
    [{ max_completion_tokens: 9, max_tokens: 9 }, 'max_tokens'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: '' }, 'stop'],
    [{ stop: [1] }, 'stop'],
    [{ presence_penalty: 3 }, 'presence_penalty'],
    [{ frequency_penalty: -3 }, 'frequency_penalty'],
    [{ logit_bias: [] }, 'logit_bias'],
    [{ logit_bias: { word: 1 } }, 'logit_bias'],
    [{ logit_bias: { 1: 101 } }, 'logit_bias'],
    [{ seed: 0.5 }, 'seed'],
    [{ reasoning_effort: 'much' }, 'reasoning_effort'],
    [{ verbosity: 'loud' }, 'verbosity'],
  ])('%j is refused, because the value is not allowed', async (more, param) => {
    const { status, error, sent } = await ask('/v1/chat/completions', { ...APIS[0]?.plain, ...more });
    expect([status, sent.length]).toEqual([400, 0]);
    expect(error).toMatchObject({
      param,
      message: expect.stringMatching(new RegExp(`^${param} (?:must be|cannot be)`)),
    });
  });
});
