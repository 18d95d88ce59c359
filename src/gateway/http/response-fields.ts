// Every field of a request of `/v1/responses`, and what becomes of it here, as `chat-fields.ts` has it for chat
// completions.

import { HOOKS_JUDGE, NO_CHANCES } from './chat-fields.ts';
import { type ClientFields, type Counterparts, notNeeded, refused, refuseFields, used } from './client-fields.ts';

const NO_THOUGHTS = 'the thoughts of a model are no part of its answer';
const MARKS_CACHE = 'the gateway marks what can be cached';

/** What belongs to items that no answer here has. An answer without it is complete. */
const NOT_INCLUDED: ReadonlySet<unknown> = new Set([
  ...['file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources'],
  ...['message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs'],
  'reasoning.encrypted_content',
]);

/** The fields in the order of the docs. */
export const RESPONSE_FIELDS = {
  model: used('the agent'),
  input: used(
    'a text, or items: messages with text, images and files, `function_call`, `function_call_output`, `item_reference`',
  ),
  instructions: used('put in front of what the user says, in this request'),
  previous_response_id: used('the last response of a conversation, which goes on'),
  stream: used('the answer comes while it is written'),
  stream_options: { ...notNeeded(''), inside: { include_obfuscation: notNeeded('events are not padded') } },
  store: used('`false`: the response cannot be asked for or continued later'),
  background: used('the answer comes at once, and `GET /v1/responses/{id}` has the rest'),
  metadata: used('handed to plugins with the message, and repeated in the answer'),
  user: used('whose session it is'),
  tools: used('functions that the client runs itself'),
  tool_choice: used('`auto`, `none`, `required`, or one function of `tools`'),
  parallel_tool_calls: used('`false`: one call in an answer'),
  text: {
    ...used(''),
    inside: {
      format: used('as `response_format` of chat completions'),
      verbosity: used('passed on to the model'),
    },
  },
  reasoning: {
    ...used(''),
    inside: {
      effort: used('passed on to the model'),
      summary: refused(NO_THOUGHTS),
      generate_summary: refused(NO_THOUGHTS),
      mode: {
        ...notNeeded('`standard`'),
        refuses: {
          what: 'other than "standard"',
          why: 'a model is asked once for an answer',
          when: (value) => value !== 'standard',
        },
      },
      context: {
        ...notNeeded('`auto`'),
        refuses: { what: 'other than "auto"', why: 'thoughts are not sent back', when: (value) => value !== 'auto' },
      },
    },
  },
  temperature: used('0 to 2, passed on to the model'),
  top_p: used('0 to 1, passed on to the model'),
  max_output_tokens: used('the most tokens of each answer of the model; a lower limit of the agent stays'),
  conversation: refused('conversations are sessions; use "previous_response_id" or "user"'),
  prompt: refused('no templates are kept here'),
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
    refuses: { what: 'other than 0', why: NO_CHANCES, when: (value) => value !== 0 },
  },
  max_tool_calls: refused("the rounds of an agent's tools are limited by agents.defaults.maxToolRounds"),
  include: {
    ...notNeeded('what belongs to hosted tools, images of the input and encrypted reasoning: no answer has such items'),
    refuses: {
      what: 'set to "message.output_text.logprobs", or to what is not known',
      why: NO_CHANCES,
      when: (value) => !Array.isArray(value) || value.some((each) => !NOT_INCLUDED.has(each)),
    },
  },
  context_management: refused('the gateway compacts long conversations itself'),
  moderation: refused(HOOKS_JUDGE),
  prompt_cache_key: notNeeded(MARKS_CACHE),
  prompt_cache_options: notNeeded(MARKS_CACHE),
  prompt_cache_retention: notNeeded(MARKS_CACHE),
  safety_identifier: notNeeded('`user` says who asks'),
  service_tier: notNeeded('it would only change the speed and the price'),
} as const satisfies ClientFields;

/** The fields of chat completions that have another name here. */
const OF_CHAT: Counterparts = {
  messages: '"input"',
  max_tokens: '"max_output_tokens"',
  max_completion_tokens: '"max_output_tokens"',
  reasoning_effort: '"reasoning.effort"',
  verbosity: '"text.verbosity"',
  response_format: '"text.format"',
  functions: '"tools"',
  function_call: '"tool_choice"',
  top_k: '',
};

/** Throws RequestInvalidError for the first field that cannot be fulfilled. */
export function refuseResponseFields(body: Readonly<Record<string, unknown>>): void {
  refuseFields(RESPONSE_FIELDS, body, { counterparts: OF_CHAT });
}
