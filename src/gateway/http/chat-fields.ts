// Every field of OpenAI's chat completion request, and what becomes of it here.

import { type ClientFields, type Counterparts, notNeeded, refused, refuseFields, used } from './client-fields.ts';

const OLD_FORM = 'it is the old form of "tools", which are taken instead';
export const NO_CHANCES = 'the chances of words are not kept';
export const HOOKS_JUDGE = 'hooks of the gateway judge what is said';
const MARKS_CACHE = 'the gateway marks what can be cached';

/** The fields in the order of the docs. */
export const CHAT_FIELDS = {
  model: used('the agent'),
  messages: used('what was said; user messages may have images and files'),
  stream: used('the answer comes while it is written'),
  stream_options: {
    ...used(''),
    inside: {
      include_usage: used('the last piece of the stream says what was used'),
      include_obfuscation: notNeeded('pieces are not padded'),
    },
  },
  user: used('whose session it is'),
  metadata: used('handed to plugins with the message'),
  n: {
    ...used('1'),
    refuses: { what: 'other than 1', why: 'an agent gives one answer', when: (value) => value !== 1 },
  },
  response_format: used('`text`, `json_object`, `json_schema`: passed on to the model'),
  modalities: {
    ...used('`["text"]`'),
    refuses: {
      what: 'other than ["text"]',
      why: 'an agent answers in text',
      when: (value) => !Array.isArray(value) || value.some((each) => each !== 'text'),
    },
  },
  audio: refused('an agent answers in text'),
  tools: used('functions that the client runs itself'),
  tool_choice: used('`auto`, `none`, `required`, or one function of `tools`'),
  parallel_tool_calls: used('`false`: one call in an answer'),
  functions: { ...notNeeded('an empty list'), refuses: { what: 'set', why: OLD_FORM, when: isFilled } },
  function_call: {
    ...notNeeded('`auto` and `none`'),
    refuses: { what: 'other than "auto" or "none"', why: OLD_FORM, when: isForcedCall },
  },
  logprobs: {
    ...notNeeded('`false`'),
    refuses: { what: 'true', why: NO_CHANCES, when: (value) => value !== false },
  },
  top_logprobs: {
    ...notNeeded('0'),
    refuses: { what: 'other than 0', why: NO_CHANCES, when: (value) => value !== 0 },
  },
  temperature: used('0 to 2, passed on to the model'),
  top_p: used('0 to 1, passed on to the model'),
  max_completion_tokens: used('the most tokens of each answer of the model; a lower limit of the agent stays'),
  max_tokens: used('the old name of `max_completion_tokens`'),
  stop: used('a text or up to 4, passed on to the model'),
  presence_penalty: used('-2 to 2, passed on to the model'),
  frequency_penalty: used('-2 to 2, passed on to the model'),
  logit_bias: used('passed on to the model'),
  seed: used('passed on to the model'),
  reasoning_effort: used('passed on to the model'),
  verbosity: used('passed on to the model'),
  web_search_options: refused("the agent's own tools search"),
  moderation: refused(HOOKS_JUDGE),
  prediction: notNeeded('it would only make the answer come faster'),
  prompt_cache_key: notNeeded(MARKS_CACHE),
  prompt_cache_options: notNeeded(MARKS_CACHE),
  prompt_cache_retention: notNeeded(MARKS_CACHE),
  safety_identifier: notNeeded('`user` says who asks'),
  service_tier: notNeeded('it would only change the speed and the price'),
  store: notNeeded('the gateway keeps its own record'),
} as const satisfies ClientFields;

/** The fields of `/v1/responses` that have another name here. */
const OF_RESPONSES: Counterparts = {
  input: '"messages"',
  instructions: 'a message of the role "system"',
  max_output_tokens: '"max_completion_tokens"',
  reasoning: '"reasoning_effort"',
  text: '"response_format" or "verbosity"',
  previous_response_id: 'the earlier "messages", or "user" for a session',
  conversation: 'the earlier "messages", or "user" for a session',
  top_k: '',
};

/** Throws RequestInvalidError for the first field that cannot be fulfilled. */
export function refuseChatFields(body: Readonly<Record<string, unknown>>): void {
  refuseFields(CHAT_FIELDS, body, { counterparts: OF_RESPONSES });
}

function isFilled(value: unknown): boolean {
  return !Array.isArray(value) || value.length > 0;
}

function isForcedCall(value: unknown): boolean {
  return value !== 'auto' && value !== 'none';
}
