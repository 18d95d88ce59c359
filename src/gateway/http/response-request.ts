// Reads a request of `/v1/responses` as a message for an agent, in the same form as one of chat completions. What an item
// refers to is looked up by the caller. A request that cannot be fulfilled is refused by name.

import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { RequestInvalidError } from '../errors.ts';
import { type ChatHeaders, type ChatRequest, checkHeader, readArguments, resolveModelName } from './chat-request.ts';
import { readResponseWishes } from './client-request.ts';
import { readTalk, type Said, type SaidCall } from './client-talk.ts';
import { type FilePart, readFilePart } from './file-parts.ts';
import { RESPONSE_ITEM_FIELDS, RESPONSE_PART_FIELDS, refuseInsideOf } from './inner-fields.ts';
import { refuseResponseFields } from './response-fields.ts';
import type { ResponseBody } from './routes/responses.ts';

export interface ResponseContext {
  readonly agentIds: readonly string[];
  /** The session of the response that this one continues. */
  readonly sessionKey: string | undefined;
  /** What an earlier item of a response of this gateway said; undefined when there is none. */
  readonly itemOf: (id: string) => Promise<Said | undefined>;
}

export async function readResponseRequest(
  body: ResponseBody,
  headers: ChatHeaders,
  { agentIds, sessionKey: continued, itemOf }: ResponseContext,
): Promise<ChatRequest> {
  refuseResponseFields(body);
  const sessionKey = continued ?? checkHeader(headers.sessionKey, 'x-openclaw-session-key', 512);
  const user = continued === undefined ? (body.user ?? undefined) : undefined;
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const said: Said[] = [];
  for (const [index, item] of items.entries()) said.push(await readItem(item, `input.${index}`, itemOf));
  const talk = withInstructions(joinCalls(said), body.instructions ?? '');
  const asked: JsonObject = {
    model: body.model,
    instructions: body.instructions ?? null,
    metadata: (body.metadata ?? {}) as JsonObject,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    store: body.store ?? true,
    background: body.background ?? false,
    text: { format: { type: 'text' }, ...(body.text as JsonObject | null | undefined) },
    ...repeated(body),
    tool_choice: (body.tool_choice ?? 'auto') as JsonObject,
    tools: (body.tools ?? []) as JsonObject[],
    user: body.user ?? null,
  };
  return {
    ...readTalk(talk, sessionKey !== undefined || user !== undefined, 'input'),
    agentId: resolveModelName(body.model, agentIds),
    sessionKey,
    user,
    idempotencyKey: checkHeader(headers.idempotencyKey, 'Idempotency-Key', 255),
    metadata: (body.metadata ?? undefined) as JsonObject | undefined,
    client: {
      ...readResponseWishes(body),
      asked,
    },
  };
}

/** The fields that tune the answer, where the client has set them. */
function repeated({ temperature, top_p, max_output_tokens, reasoning }: ResponseBody): JsonObject {
  const { effort = null } = isJsonObject(reasoning) ? reasoning : {};
  const given = {
    temperature,
    top_p,
    max_output_tokens,
    ...(effort !== null && { reasoning: { effort, summary: null } }),
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  ) as JsonObject;
}

type Item = Exclude<ResponseBody['input'], string>[number];

async function readItem(item: Item, at: string, itemOf: ResponseContext['itemOf']): Promise<Said> {
  const { type = 'message', role, content, id } = item;
  refuseInsideOf(RESPONSE_ITEM_FIELDS, type, item, at);
  switch (type) {
    case 'message':
      return readMessage(role, content, at);
    case 'function_call':
      return { role: 'assistant', text: '', files: [], calls: [readCall(item, at)] };
    case 'function_call_output':
      return {
        role: 'tool',
        callId: textField(item.call_id, `${at}.call_id`),
        text: outputText(item.output, at),
        files: [],
      };
    case 'item_reference': {
      const said = await itemOf(textField(id, `${at}.id`));
      return said ?? refuse(at, `refers to the item "${String(id).slice(0, 100)}", which is not kept here`);
    }
    default:
      return refuse(at, `is of the type ${JSON.stringify(type).slice(0, 60)}, which is not understood here`);
  }
}

function readMessage(role: unknown, content: unknown, at: string): Said {
  const known = role === 'developer' ? 'system' : role;
  if (known !== 'system' && known !== 'user' && known !== 'assistant')
    return refuse(`${at}.role`, 'must be "user", "assistant", "system" or "developer"');
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  if (!Array.isArray(parts)) return refuse(`${at}.content`, 'must be a text or a list of parts');
  const read = parts.map((part, index) => readPart(part, `${at}.content.${index}`));
  const files = read.flatMap((part) => (typeof part === 'string' ? [] : [part]));
  const [file] = files;
  if (file && known !== 'user')
    return refuse(file.at, `is in a message of the role "${known}". Files belong to user messages`);
  return { role: known, text: read.filter((part) => typeof part === 'string').join('\n'), files };
}

function readPart(part: unknown, at: string): string | FilePart {
  if (!isJsonObject(part)) return refuse(at, 'must be an object');
  refuseInsideOf(RESPONSE_PART_FIELDS, part.type, part, at);
  const { type, text, refusal, image_url, file_id, file_url, file_data, filename } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return typeof text === 'string' ? text : refuse(at, 'needs a "text"');
    case 'refusal':
      return typeof refusal === 'string' ? refusal : '';
    case 'input_image':
      if (file_id) return refuse(at, 'names a "file_id", but no files are kept for clients. Send an "image_url"');
      return readFilePart({ type: 'image_url', image_url }, at) as FilePart;
    case 'input_file':
      if (file_url) return refuse(at, 'names a "file_url". Send the content as "file_data"');
      return readFilePart({ type: 'file', file: { file_id, file_data, filename } }, at) as FilePart;
    default:
      return refuse(at, `is of the type ${JSON.stringify(type ?? null).slice(0, 60)}, which is not understood here`);
  }
}

function readCall({ call_id: id, name, arguments: written }: Item, at: string): SaidCall {
  return { id: textField(id, `${at}.call_id`), name: textField(name, `${at}.name`), params: readArguments(written) };
}

function outputText(output: unknown, at: string): string {
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return refuse(`${at}.output`, 'must be a text');
  const parts = output.map((part, index) => readPart(part, `${at}.output.${index}`));
  const file = parts.find((part) => typeof part !== 'string');
  return file ? refuse(file.at, 'is a file. Results of tools are text') : parts.join('\n');
}

/** The calls of one answer are items of their own; the message before them belongs to the same answer. */
function joinCalls(said: readonly Said[]): readonly Said[] {
  const joined: Said[] = [];
  for (const each of said) {
    const last = joined.at(-1);
    if (each.role === 'assistant' && each.calls && last?.role === 'assistant')
      joined[joined.length - 1] = { ...last, calls: [...(last.calls ?? []), ...each.calls] };
    else joined.push(each);
  }
  return joined;
}

/** They count for this request only, so they stand in front of what is new. */
function withInstructions(said: readonly Said[], instructions: string): readonly Said[] {
  if (instructions.trim() === '') return said;
  const at = said.findLastIndex(({ role }) => role === 'assistant') + 1;
  return [...said.slice(0, at), { role: 'system', text: instructions, files: [] }, ...said.slice(at)];
}

function textField(value: unknown, at: string): string {
  return typeof value === 'string' && value !== '' ? value : refuse(at, 'must be a text');
}

function refuse(param: string, problem: string): never {
  throw new RequestInvalidError({ problem: `${param} ${problem}.`, param });
}
