// What an API client asks for besides its words: its own tools, which of them must be called, the form of the answer, and
// how it is tuned (`client-tuning.ts`).
// Both of OpenAI's APIs are read here, because they differ only in where the fields stand. The functions are pure; what
// cannot be fulfilled is refused by name.

import type { AnswerFormat, AnswerWishes } from '../../protocol/answer-wishes.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { ClientRequest, ClientToolSpec } from '../../store/tables.ts';
import { RequestInvalidError } from '../errors.ts';
import type { ClientFields } from './client-fields.ts';
import { type ChatTuning, isChatTuning, readChatTuning, readResponseTuning } from './client-tuning.ts';
import {
  CHAT_FORMAT_FIELDS,
  CHAT_TOOL_FIELDS,
  PLAIN_FORMAT_FIELDS,
  RESPONSE_FORMAT_FIELDS,
  RESPONSE_TOOL_FIELDS,
  refuseInside,
} from './inner-fields.ts';

type ReadChoice = 'auto' | 'none' | NonNullable<AnswerWishes['toolChoice']>;

function readClientRequest(asked: {
  readonly tools: readonly ClientToolSpec[] | undefined;
  readonly toolChoice: ReadChoice;
  readonly parallel: boolean | null | undefined;
  readonly format: AnswerFormat | undefined;
  readonly tuning: AnswerWishes;
  /** The fields in which this API has the others, for a refusal. */
  readonly fields: { readonly format: string };
}): ClientRequest {
  const { toolChoice, parallel, format, tuning } = asked;
  const tools = checkNames(asked.tools ?? []);
  if (typeof toolChoice === 'object' && !tools.some(({ name }) => name === toolChoice.name))
    refuse('tool_choice', `names the function "${toolChoice.name}", which "tools" does not have`);
  if (toolChoice === 'required' && tools.length === 0)
    refuse('tool_choice', 'is "required", and "tools" has none. An agent decides itself about its own tools');
  const offered = toolChoice === 'none' ? [] : tools;
  const { fields, ...tuned } = tuning;
  const wishes: AnswerWishes = {
    ...(format && { format }),
    ...(toolChoice !== 'auto' && toolChoice !== 'none' && { toolChoice }),
    ...(parallel === false && offered.length > 0 && { isOneCallAtATime: true as const }),
    ...tuned,
  };
  const named: AnswerWishes['fields'] = {
    ...(wishes.format && { format: asked.fields.format }),
    ...(wishes.toolChoice && { toolChoice: 'tool_choice' }),
    ...(wishes.isOneCallAtATime && { isOneCallAtATime: 'parallel_tool_calls' }),
    ...fields,
  };
  return {
    ...(offered.length > 0 && { tools: offered }),
    ...(Object.keys(wishes).length > 0 && { wishes: { ...wishes, fields: named } }),
  };
}

/** The fields of a chat completion that say it. */
export interface ChatWishes extends ChatTuning {
  readonly tools?: readonly unknown[] | null | undefined;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly response_format?: unknown;
}

export function readChatWishes(body: ChatWishes): ClientRequest {
  return readClientRequest({
    tools: body.tools?.map((tool, index) => readChatTool(tool, `tools.${index}`)),
    toolChoice: readChatChoice(body.tool_choice),
    parallel: body.parallel_tool_calls,
    format: readChatFormat(body.response_format),
    tuning: readChatTuning(body),
    fields: { format: 'response_format' },
  });
}

/** The rest of a body, without the fields of a chat completion that say it. */
export function withoutWishes<Body extends ChatWishes>(body: Body): Omit<Body, keyof ChatWishes> {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !isChatWish(field))) as Omit<
    Body,
    keyof ChatWishes
  >;
}

function isChatWish(field: string): boolean {
  return ['tools', 'tool_choice', 'parallel_tool_calls', 'response_format'].includes(field) || isChatTuning(field);
}

/** The fields of a request of `/v1/responses` that say it. */
export interface ResponseWishes {
  readonly tools?: readonly unknown[] | null | undefined;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | null | undefined;
  readonly text?: { readonly format?: unknown } | null | undefined;
}

export function readResponseWishes(body: ResponseWishes): ClientRequest {
  return readClientRequest({
    tools: body.tools?.map((tool, index) => readResponsesTool(tool, `tools.${index}`)),
    toolChoice: readResponsesChoice(body.tool_choice),
    parallel: body.parallel_tool_calls,
    format: readResponsesFormat(body.text?.format),
    tuning: readResponseTuning(body),
    fields: { format: 'text.format' },
  });
}

/** `{ type: 'function', function: { name, description, parameters, strict } }` */
function readChatTool(tool: unknown, at: string): ClientToolSpec {
  return readFunction(requireFunction(tool, at, CHAT_TOOL_FIELDS).function, `${at}.function`);
}

/** `{ type: 'function', name, description, parameters, strict }` */
function readResponsesTool(tool: unknown, at: string): ClientToolSpec {
  return readFunction(requireFunction(tool, at, RESPONSE_TOOL_FIELDS), at);
}

function readChatChoice(choice: unknown): ReadChoice {
  const named = isJsonObject(choice) && choice.type === 'function' && isJsonObject(choice.function);
  return named ? chosen((choice.function as JsonObject).name) : readPlainChoice(choice);
}

function readResponsesChoice(choice: unknown): ReadChoice {
  return isJsonObject(choice) && choice.type === 'function' ? chosen(choice.name) : readPlainChoice(choice);
}

/** `{ type: 'json_schema', json_schema: { name, schema, … } }` */
function readChatFormat(format: unknown): AnswerFormat | undefined {
  const schema = isJsonObject(format) && isJsonObject(format.json_schema) ? format.json_schema : {};
  return readFormat(format, schema, 'response_format', CHAT_FORMAT_FIELDS);
}

/** `{ type: 'json_schema', name, schema, … }` */
function readResponsesFormat(format: unknown): AnswerFormat | undefined {
  return readFormat(format, isJsonObject(format) ? format : {}, 'text.format', RESPONSE_FORMAT_FIELDS);
}

function readFormat(format: unknown, about: JsonObject, at: string, fields: ClientFields): AnswerFormat | undefined {
  if (format === undefined || format === null) return undefined;
  const type = isJsonObject(format) ? format.type : undefined;
  refuseInside(type === 'json_schema' ? fields : PLAIN_FORMAT_FIELDS, format, at);
  if (type === 'text') return undefined;
  if (type === 'json_object') return { type };
  if (type !== 'json_schema') return refuse(at, 'must be of the type "text", "json_object" or "json_schema"');
  const { name, description, schema, strict } = about;
  if (typeof name !== 'string' || name === '') return refuse(at, 'needs a "name" for its schema');
  if (!isJsonObject(schema)) return refuse(at, 'needs its "schema" as an object');
  return {
    type,
    name,
    ...(typeof description === 'string' && { description }),
    schema,
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function readPlainChoice(choice: unknown): ReadChoice {
  if (choice === undefined || choice === null) return 'auto';
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  return refuse('tool_choice', 'must be "auto", "none", "required" or name one function of "tools"');
}

function chosen(name: unknown): ReadChoice {
  return typeof name === 'string' ? { name } : refuse('tool_choice', 'must name a function');
}

function requireFunction(tool: unknown, at: string, fields: ClientFields): JsonObject {
  if (!isJsonObject(tool)) return refuse(at, 'must be an object');
  if (tool.type === 'function') {
    refuseInside(fields, tool, at);
    return tool;
  }
  const type = JSON.stringify(tool.type ?? null).slice(0, 60);
  return refuse(at, `is of the type ${type}. Clients bring functions; everything else is a tool of the agent`);
}

function readFunction(given: unknown, at: string): ClientToolSpec {
  if (!isJsonObject(given)) return refuse(at, 'must be an object');
  const { name, description, parameters, strict } = given;
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    return refuse(`${at}.name`, 'must have 1 to 64 letters, digits, "_" or "-"');
  if (parameters !== undefined && parameters !== null && !isJsonObject(parameters))
    return refuse(`${at}.parameters`, 'must be a JSON Schema');
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: isJsonObject(parameters) ? parameters : { type: 'object', properties: {} },
    ...(strict === true && { strict }),
  };
}

/** Names are compared as calls are: the spelling of a model may differ in case. */
function checkNames(tools: readonly ClientToolSpec[]): readonly ClientToolSpec[] {
  const names = tools.map(({ name }) => name.toLowerCase());
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) refuse(`tools.${twice}`, `has the name "${tools[twice]?.name}" of another tool of the request`);
  if (tools.length > MOST_TOOLS) refuse('tools', `has ${tools.length} tools; ${MOST_TOOLS} are taken`);
  return tools;
}

const MOST_TOOLS = 128;

function refuse(param: string, problem: string): never {
  throw new RequestInvalidError({ problem: `${param} ${problem}.`, param });
}
