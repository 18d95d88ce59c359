import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { type CHAT_FIELDS, refuseChatFields } from './chat-fields.ts';
import { type RESPONSE_FIELDS, refuseResponseFields } from './response-fields.ts';

/** The compiler refuses this when the client can send a field that has no row. */
const WITHOUT_ROW: Record<
  | Exclude<keyof OpenAI.ChatCompletionCreateParams, keyof typeof CHAT_FIELDS>
  | Exclude<keyof OpenAI.Responses.ResponseCreateParams, keyof typeof RESPONSE_FIELDS>
  | Exclude<keyof OpenAI.Reasoning, keyof typeof RESPONSE_FIELDS.reasoning.inside>
  | Exclude<keyof OpenAI.Responses.ResponseTextConfig, keyof typeof RESPONSE_FIELDS.text.inside>
  | Exclude<keyof OpenAI.ChatCompletionStreamOptions, keyof typeof CHAT_FIELDS.stream_options.inside>
  | Exclude<
      keyof OpenAI.Responses.ResponseCreateParams.StreamOptions,
      keyof typeof RESPONSE_FIELDS.stream_options.inside
    >,
  never
> = {};

it("has a row for every field that OpenAI's client can send", () => {
  expect(WITHOUT_ROW).toEqual({});
});

it.each<[string, unknown]>([
  ['modalities', ['text', 'audio']],
  ['audio', { voice: 'ash', format: 'mp3' }],
  ['function_call', { name: 'f' }],
  ['logprobs', true],
  ['top_logprobs', 3],
  ['n', 2],
  ['web_search_options', {}],
  ['moderation', { model: 'omni-moderation-latest' }],
])('refuses %s: %j', (field, value) => {
  expect(() => refuseChatFields({ [field]: value })).toThrow(
    new RegExp(`^"${field}" cannot be .+ here: .+\\. Leave it out\\.$`),
  );
});

it.each<[string, unknown]>([
  ['response_format', { type: 'text' }],
  ['response_format', null],
  ['modalities', ['text']],
  ['tools', []],
  ['tool_choice', 'none'],
  ['function_call', 'auto'],
  ['logprobs', false],
  ['top_logprobs', 0],
  ['n', 1],
  ['store', true],
  ['top_k', null],
])('takes %s: %j', (field, value) => {
  refuseChatFields({ [field]: value });
});

it.each<[object, string, RegExp]>([
  [{ temprature: 0.2 }, 'temprature', /^"temprature" is not known here\. Did you mean "temperature"\?$/],
  [
    { max_output_tokens: 9 },
    'max_output_tokens',
    /^"max_output_tokens" is not known here\. It is "max_completion_tokens" here\.$/,
  ],
  [{ reasoning: { effort: 'low' } }, 'reasoning', /It is "reasoning_effort" here/],
  [{ top_k: 5 }, 'top_k', /^"top_k" is not known here\. Leave it out\.$/],
  [{ banana: 1 }, 'banana', /^"banana" is not known here\. Leave it out\.$/],
  [{ toString: 1 }, 'toString', /^"toString" is not known here/],
  [{ 'a\r\nb': 1 }, 'a\r\nb', /^"a\\r\\nb" is not known here/],
  [{ ['x'.repeat(900)]: 1 }, 'x'.repeat(100), /^"x{100}" is not known here/],
  [{ stream_options: { include_usages: true } }, 'stream_options.include_usages', /"stream_options\.include_usage"\?$/],
])('refuses %j by name, because it has no row', (body, param, message) => {
  expect(() => refuseChatFields(body as Record<string, unknown>)).toThrow(
    expect.objectContaining({ param, message: expect.stringMatching(message) }),
  );
});

it.each<[object, string | undefined]>([
  [{ include: ['reasoning.encrypted_content', 'web_search_call.results'] }, undefined],
  [{ include: ['message.output_text.logprobs'] }, 'include'],
  [{ include: ['something.new'] }, 'include'],
  [{ reasoning: { effort: 'low', summary: null } }, undefined],
  [{ reasoning: { summary: 'auto' } }, 'reasoning.summary'],
  [{ reasoning: { generate_summary: 'auto' } }, 'reasoning.generate_summary'],
  [{ reasoning: { efort: 'low' } }, 'reasoning.efort'],
  [{ text: { verbose: true } }, 'text.verbose'],
])('of a response, %j is refused for %s', (body, param) => {
  const refuse = () => refuseResponseFields(body as Record<string, unknown>);
  if (param === undefined) expect(refuse).not.toThrow();
  else expect(refuse).toThrow(expect.objectContaining({ param, message: expect.stringContaining(param) }));
});

it.each([
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['reasoning_effort', 'reasoning.effort'],
  ['verbosity', 'text.verbosity'],
  ['response_format', 'text.format'],
  ['messages', 'input'],
])('of a response, the field %s of chat completions is said to be %s', (field, here) => {
  expect(() => refuseResponseFields({ [field]: 'x' })).toThrow(`"${field}" is not known here. It is "${here}" here.`);
});
