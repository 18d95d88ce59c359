// Every field of a request of `/v1/responses`, and what becomes of it here, as `chat-fields.ts` has it for chat
// completions.

import { AGENT_DECIDES, type ChatField, fieldsLeftOut, leftOut, notNeeded, refuseFields, used } from './chat-fields.ts';

const isSet = () => true;

/** The fields in the order of the docs. */
export const RESPONSE_FIELDS = {
  model: used('the agent'),
  input: used(
    'a text, or items: messages with text, images and files, `function_call`, `function_call_output`, `item_reference`',
  ),
  instructions: used('put in front of what the user says, in this request'),
  previous_response_id: used('the last response of a conversation, which goes on'),
  stream: used('the answer comes while it is written'),
  stream_options: notNeeded('events are not padded'),
  store: used('`false`: the response cannot be asked for or continued later'),
  background: used('the answer comes at once, and `GET /v1/responses/{id}` has the rest'),
  metadata: used('handed to plugins with the message, and repeated in the answer'),
  user: used('whose session it is'),
  tools: used('functions that the client runs itself'),
  tool_choice: used('`auto`, `none`, `required`, or one function of `tools`'),
  parallel_tool_calls: used('`false`: one call in an answer'),
  text: used("`format`, as `response_format` of chat completions; `verbosity` is left to the agent's setting"),
  conversation: {
    ...notNeeded(''),
    refuses: { what: 'set', why: 'conversations are sessions; use "previous_response_id" or "user"', when: isSet },
  },
  prompt: { ...notNeeded(''), refuses: { what: 'set', why: 'no templates are kept here', when: isSet } },
  truncation: {
    ...notNeeded('`disabled`: long conversations are compacted'),
    refuses: {
      what: 'other than "disabled"',
      why: 'long conversations are compacted',
      when: (value) => value !== 'disabled',
    },
  },
  top_logprobs: {
    ...notNeeded('0'),
    refuses: { what: 'other than 0', why: 'the chances of words are not kept', when: (value) => value !== 0 },
  },
  max_tool_calls: {
    ...notNeeded(''),
    refuses: {
      what: 'set',
      why: "the rounds of an agent's tools are limited by agents.defaults.maxToolRounds",
      when: isSet,
    },
  },
  include: leftOut('nothing of what it names is there: no encrypted reasoning, no results of hosted tools'),
  reasoning: leftOut(AGENT_DECIDES),
  temperature: leftOut(AGENT_DECIDES),
  top_p: leftOut(AGENT_DECIDES),
  max_output_tokens: leftOut(AGENT_DECIDES),
  context_management: leftOut('the gateway compacts long conversations itself'),
  moderation: leftOut('hooks of the gateway judge what is said'),
  prompt_cache_key: notNeeded('the gateway marks what can be cached'),
  prompt_cache_retention: notNeeded('the gateway marks what can be cached'),
  safety_identifier: notNeeded('`user` says who asks'),
  service_tier: notNeeded('it would only change the speed and the price'),
} as const satisfies Readonly<Record<string, ChatField>>;

/** Throws RequestInvalidError for the first field with a value that cannot be fulfilled. */
export function refuseResponseFields(body: Readonly<Record<string, unknown>>): void {
  refuseFields(RESPONSE_FIELDS, body);
}

export function responseFieldsLeftOut(body: Readonly<Record<string, unknown>>): readonly string[] {
  return fieldsLeftOut(RESPONSE_FIELDS, body);
}
