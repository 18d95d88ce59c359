import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { type CHAT_FIELDS, chatFieldsLeftOut, refuseChatFields } from './chat-fields.ts';

/** The compiler refuses this when the client can send a field that has no row. */
const WITHOUT_ROW: Record<Exclude<keyof OpenAI.ChatCompletionCreateParams, keyof typeof CHAT_FIELDS>, never> = {};

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
])('takes %s: %j, and does not speak of it', (field, value) => {
  refuseChatFields({ [field]: value });
  expect(chatFieldsLeftOut({ [field]: value })).toEqual([]);
});

it('names what has no effect, also what it does not know, but nothing that a header cannot hold', () => {
  const body = { model: 'atrium', messages: [], temperature: 0, seed: null, top_k: 40, 'a\r\nb: c': 1 };
  expect(chatFieldsLeftOut(body)).toEqual(['temperature', 'top_k']);
});
