// Every field of OpenAI's chat completion request, and what becomes of it here. The refusals, the header that names what
// had no effect, and the table in docs/api.md come from these rows. The functions are pure.
//
// A wish that changes the form of the answer is refused, because a client would read the answer wrongly. A wish that
// only tunes it is left to the agent's settings, and the answer says so in a header: most clients send such fields
// always, and would not work at all if they were refused.

import { RequestInvalidError } from '../errors.ts';

export interface ChatField {
  /**
   * `used`: it does what OpenAI says. `left out`: the agent's settings decide instead, and the answer names it.
   * `not needed`: it has no effect here, and no answer would differ.
   */
  readonly state: 'used' | 'left out' | 'not needed';
  readonly says: string;
  /** A value that is refused, in words, and why. */
  readonly refuses?: {
    readonly what: string;
    readonly why: string;
    readonly when: (value: unknown) => boolean;
  };
}

export const used = (says: string): ChatField => ({ state: 'used', says });
export const leftOut = (says: string): ChatField => ({ state: 'left out', says });
export const notNeeded = (says: string): ChatField => ({ state: 'not needed', says });

export const AGENT_DECIDES = "the agent's own setting counts";
const OLD_FORM = 'it is the old form of "tools", which are taken instead';

/** The fields in the order of the docs. */
export const CHAT_FIELDS = {
  model: used('the agent'),
  messages: used('what was said; user messages may have images and files'),
  stream: used('the answer comes while it is written'),
  stream_options: used('`include_usage`'),
  user: used('whose session it is'),
  metadata: used('handed to plugins with the message'),
  n: {
    ...used('1'),
    refuses: { what: 'other than 1', why: 'an agent gives one answer', when: (value) => value !== 1 },
  },
  response_format: used(
    "`text`; `json_object` and `json_schema`, where the model of the agent has an API like OpenAI's",
  ),
  modalities: {
    ...used('`["text"]`'),
    refuses: {
      what: 'other than ["text"]',
      why: 'an agent answers in text',
      when: (value) => !Array.isArray(value) || value.some((each) => each !== 'text'),
    },
  },
  audio: { ...notNeeded(''), refuses: { what: 'set', why: 'an agent answers in text', when: () => true } },
  tools: used('functions that the client runs itself'),
  tool_choice: used('`auto`, `none`, `required`, or one function of `tools`'),
  parallel_tool_calls: used('`false`: one call in an answer'),
  functions: { ...notNeeded(''), refuses: { what: 'set', why: OLD_FORM, when: isFilled } },
  function_call: {
    ...notNeeded('`auto` and `none`'),
    refuses: { what: 'other than "auto" or "none"', why: OLD_FORM, when: isForcedCall },
  },
  logprobs: {
    ...notNeeded('`false`'),
    refuses: { what: 'true', why: 'the chances of words are not kept', when: (value) => value !== false },
  },
  top_logprobs: {
    ...notNeeded('0'),
    refuses: { what: 'other than 0', why: 'the chances of words are not kept', when: (value) => value !== 0 },
  },
  temperature: leftOut(AGENT_DECIDES),
  top_p: leftOut(AGENT_DECIDES),
  max_tokens: leftOut(AGENT_DECIDES),
  max_completion_tokens: leftOut(AGENT_DECIDES),
  stop: leftOut('the model ends its answer by itself'),
  presence_penalty: leftOut(AGENT_DECIDES),
  frequency_penalty: leftOut(AGENT_DECIDES),
  logit_bias: leftOut(AGENT_DECIDES),
  seed: leftOut('no answer can be asked for twice'),
  reasoning_effort: leftOut(AGENT_DECIDES),
  verbosity: leftOut(AGENT_DECIDES),
  web_search_options: leftOut("the agent's own tools search"),
  moderation: leftOut('hooks of the gateway judge what is said'),
  prediction: notNeeded('it would only make the answer come faster'),
  prompt_cache_key: notNeeded('the gateway marks what can be cached'),
  prompt_cache_options: notNeeded('the gateway marks what can be cached'),
  prompt_cache_retention: notNeeded('the gateway marks what can be cached'),
  safety_identifier: notNeeded('`user` says who asks'),
  service_tier: notNeeded('it would only change the speed and the price'),
  store: notNeeded('the gateway keeps its own record'),
} as const satisfies Readonly<Record<string, ChatField>>;

/** Throws RequestInvalidError for the first field with a value that cannot be fulfilled. */
export function refuseChatFields(body: Readonly<Record<string, unknown>>): void {
  refuseFields(CHAT_FIELDS, body);
}

/** The names of the fields that had no effect on the answer, although the client may have counted on them. */
export function chatFieldsLeftOut(body: Readonly<Record<string, unknown>>): readonly string[] {
  return fieldsLeftOut(CHAT_FIELDS, body);
}

type Fields = Readonly<Record<string, ChatField>>;

export function refuseFields(fields: Fields, body: Readonly<Record<string, unknown>>): void {
  for (const [name, { refuses }] of Object.entries(fields)) {
    const value = body[name];
    if (!refuses || value === undefined || value === null || !refuses.when(value)) continue;
    throw new RequestInvalidError({
      problem: `"${name}" cannot be ${refuses.what} here: ${refuses.why}. Leave it out.`,
      param: name,
    });
  }
}

export function fieldsLeftOut(fields: Fields, body: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const isLeftOut = value !== null && (fields[name]?.state ?? 'left out') === 'left out';
    // A name becomes part of a header, and the client chose it.
    return isLeftOut && /^[\w.-]{1,64}$/.test(name) ? [name] : [];
  });
}

function isFilled(value: unknown): boolean {
  return !Array.isArray(value) || value.length > 0;
}

function isForcedCall(value: unknown): boolean {
  return value !== 'auto' && value !== 'none';
}
