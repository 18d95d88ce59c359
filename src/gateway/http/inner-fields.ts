// The fields inside of what an API client sends: its messages, their parts, its tools and the form of the answer, as
// `chat-fields.ts` and `response-fields.ts` have them for the request. What is unknown, or would have no effect although
// the client expects one, is refused by its name. What answers have, of this gateway or of others, comes back in the
// messages of the assistant and is let through. The functions are pure.

import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type ClientField, type ClientFields, notNeeded, refuseFields, used } from './client-fields.ts';

const READ = used('');
const ECHO = notNeeded('a part of an answer that comes back');
const MARKS_CACHE = notNeeded('the gateway marks what can be cached');
const CACHE = { prompt_cache_breakpoint: MARKS_CACHE, cache_control: MARKS_CACHE } as const;

const taken = <Name extends string>(row: ClientField, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, row])) as Readonly<Record<Name, ClientField>>;

const only = (allowed: unknown, what: string, why: string): ClientField => ({
  ...notNeeded(what),
  refuses: { what: `other than ${what}`, why, when: (value) => value !== allowed },
});

const DETAIL = only('auto', '"auto"', 'an image is sent to the model as it is');
const FILE_DETAIL = only('auto', '"auto"', 'a file is handed to the agent as it is');

const SPOKEN = { ...taken(READ, 'role', 'content'), ...taken(ECHO, 'name', 'id'), ...CACHE };

/** Other providers tell thoughts in several fields, and libraries repeat them. */
const OF_ANSWERS = {
  ...taken(ECHO, 'refusal', 'annotations', 'parsed', 'status', 'phase', 'type', 'index'),
  ...taken(ECHO, 'reasoning', 'reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'),
  ...taken(ECHO, 'provider_specific_fields', 'extra_content'),
} as const;

export const CHAT_MESSAGE_FIELDS = {
  system: SPOKEN,
  developer: SPOKEN,
  user: SPOKEN,
  assistant: {
    ...SPOKEN,
    ...OF_ANSWERS,
    tool_calls: READ,
    function_call: READ,
    audio: { ...READ, refuses: { what: 'set', why: 'no spoken answers are kept', when: () => true } },
  },
  tool: { ...SPOKEN, tool_call_id: READ, status: ECHO },
} as const satisfies Record<string, ClientFields>;

export const CHAT_CALL_FIELDS = {
  ...taken(READ, 'id', 'type'),
  function: { ...READ, inside: { ...taken(READ, 'name', 'arguments'), parsed_arguments: ECHO } },
  ...taken(ECHO, 'index', 'provider_specific_fields', 'extra_content'),
} as const satisfies ClientFields;

/** Some libraries repeat the fields of a message in its parts. */
const TEXT_PART = {
  ...OF_ANSWERS,
  ...taken(READ, 'type', 'text'),
  ...taken(ECHO, 'role', 'content', 'name', 'id', 'tool_calls'),
  ...CACHE,
};

export const CHAT_PART_FIELDS = {
  text: TEXT_PART,
  image_url: { type: READ, image_url: { ...READ, inside: { url: READ, detail: DETAIL } }, ...CACHE },
  file: { type: READ, file: { ...READ, inside: taken(READ, 'file_data', 'filename', 'file_id') }, ...CACHE },
} as const satisfies Record<string, ClientFields>;

const FUNCTION = taken(READ, 'name', 'description', 'parameters', 'strict');

export const CHAT_TOOL_FIELDS = {
  type: READ,
  function: { ...READ, inside: FUNCTION },
  ...CACHE,
} as const satisfies ClientFields;

export const RESPONSE_TOOL_FIELDS = {
  type: READ,
  ...FUNCTION,
  defer_loading: only(false, 'false', 'every tool is shown to the model'),
  allowed_callers: {
    ...notNeeded('`["direct"]`'),
    refuses: {
      what: 'other than ["direct"]',
      why: 'models call tools directly',
      when: (value) => !Array.isArray(value) || value.some((each) => each !== 'direct'),
    },
  },
  output_schema: { ...READ, refuses: { what: 'set', why: 'models are not told what a tool gives', when: () => true } },
  ...CACHE,
} as const satisfies ClientFields;

const SCHEMA = taken(READ, 'name', 'description', 'schema', 'strict');
export const CHAT_FORMAT_FIELDS = { type: READ, json_schema: { ...READ, inside: SCHEMA } } as const;
export const RESPONSE_FORMAT_FIELDS = { type: READ, ...SCHEMA } as const;
/** A form without a schema. */
export const PLAIN_FORMAT_FIELDS = { type: READ } as const;

const ITEM = { type: READ, ...taken(ECHO, 'id', 'status', 'created_by') };
const CALLER = { caller: ECHO };

export const RESPONSE_ITEM_FIELDS = {
  message: { ...ITEM, ...taken(READ, 'role', 'content'), ...taken(ECHO, 'phase', 'name', 'parsed') },
  function_call: {
    ...ITEM,
    ...CALLER,
    ...taken(READ, 'call_id', 'name', 'arguments'),
    ...taken(ECHO, 'namespace', 'parsed_arguments'),
  },
  function_call_output: { ...ITEM, ...CALLER, ...taken(READ, 'call_id', 'output'), name: ECHO },
  item_reference: { type: READ, id: READ },
} as const satisfies Record<string, ClientFields>;

const RESPONSE_TEXT = { ...TEXT_PART, ...taken(ECHO, 'logprobs', 'parsed') };

export const RESPONSE_PART_FIELDS = {
  input_text: RESPONSE_TEXT,
  output_text: RESPONSE_TEXT,
  text: RESPONSE_TEXT,
  refusal: { type: READ, refusal: READ },
  input_image: { ...taken(READ, 'type', 'image_url', 'file_id'), detail: DETAIL, ...CACHE },
  input_file: {
    ...taken(READ, 'type', 'file_id', 'file_url', 'file_data', 'filename'),
    detail: FILE_DETAIL,
    ...CACHE,
  },
} as const satisfies Record<string, ClientFields>;

/** Throws RequestInvalidError for the first field of the object that cannot be fulfilled; `at` names the object. */
export function refuseInside(fields: ClientFields, value: unknown, at: string): void {
  if (isJsonObject(value)) refuseFields(fields, value, { prefix: `${at}.` });
}

/** The same, where the kind of the object decides which fields it has. A kind that is not known is refused elsewhere. */
export function refuseInsideOf(
  tables: Readonly<Record<string, ClientFields>>,
  kind: unknown,
  value: unknown,
  at: string,
): void {
  if (typeof kind === 'string' && Object.hasOwn(tables, kind)) refuseInside(tables[kind] ?? {}, value, at);
}

/** An address may stand in place of the object with the address. */
export function withImageObject(part: unknown): unknown {
  const { image_url: image } = (part ?? {}) as JsonObject;
  return typeof image === 'string' ? { ...(part as JsonObject), image_url: { url: image } } : part;
}
