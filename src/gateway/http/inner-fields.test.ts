import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { readChatRequest } from './chat-request.ts';
import type {
  CHAT_CALL_FIELDS,
  CHAT_MESSAGE_FIELDS,
  CHAT_PART_FIELDS,
  RESPONSE_FORMAT_FIELDS,
  RESPONSE_ITEM_FIELDS,
  RESPONSE_PART_FIELDS,
  RESPONSE_TOOL_FIELDS,
} from './inner-fields.ts';
import { readResponseRequest } from './response-request.ts';
import type { ChatCompletionBody } from './routes/chat-completions.ts';
import type { ResponseBody } from './routes/responses.ts';

type Answered = OpenAI.ChatCompletionAssistantMessageParam & OpenAI.ChatCompletionMessage;
type Item = typeof RESPONSE_ITEM_FIELDS;
type Part = typeof RESPONSE_PART_FIELDS;

/** The compiler refuses this when the client can send, or repeat, a field that has no row. */
const WITHOUT_ROW: Record<
  | Exclude<keyof OpenAI.ChatCompletionUserMessageParam, keyof typeof CHAT_MESSAGE_FIELDS.user>
  | Exclude<keyof OpenAI.ChatCompletionToolMessageParam, keyof typeof CHAT_MESSAGE_FIELDS.tool>
  | Exclude<keyof Answered, keyof typeof CHAT_MESSAGE_FIELDS.assistant>
  | Exclude<keyof OpenAI.ChatCompletionMessageFunctionToolCall, keyof typeof CHAT_CALL_FIELDS>
  | Exclude<keyof OpenAI.ChatCompletionContentPartText, keyof typeof CHAT_PART_FIELDS.text>
  | Exclude<keyof OpenAI.ChatCompletionContentPartImage, keyof typeof CHAT_PART_FIELDS.image_url>
  | Exclude<keyof OpenAI.ChatCompletionContentPart.File, keyof typeof CHAT_PART_FIELDS.file>
  | Exclude<keyof OpenAI.Responses.FunctionTool, keyof typeof RESPONSE_TOOL_FIELDS>
  | Exclude<keyof OpenAI.Responses.ResponseFormatTextJSONSchemaConfig, keyof typeof RESPONSE_FORMAT_FIELDS>
  | Exclude<keyof (OpenAI.Responses.EasyInputMessage & OpenAI.Responses.ResponseOutputMessage), keyof Item['message']>
  | Exclude<keyof OpenAI.Responses.ResponseFunctionToolCallItem, keyof Item['function_call']>
  | Exclude<keyof OpenAI.Responses.ResponseInputItem.FunctionCallOutput, keyof Item['function_call_output']>
  | Exclude<keyof OpenAI.Responses.ResponseInputText, keyof Part['input_text']>
  | Exclude<keyof OpenAI.Responses.ResponseOutputText, keyof Part['output_text']>
  | Exclude<keyof OpenAI.Responses.ResponseInputImage, keyof Part['input_image']>
  | Exclude<keyof OpenAI.Responses.ResponseInputFile, keyof Part['input_file']>,
  never
> = {};

it("has a row for every inner field that OpenAI's client can send", () => {
  expect(WITHOUT_ROW).toEqual({});
});

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const NO_HEADERS = { sessionKey: undefined, idempotencyKey: undefined };
const HELLO = { role: 'user', content: 'Hello' };
const said = (message: object) => ({ messages: [message, HELLO] });
const parted = (part: object) => said({ role: 'user', content: [part] });
const withTool = (more: object, inner: object = {}) => ({
  messages: [HELLO],
  tools: [{ type: 'function', ...more, function: { name: 'f', ...inner } }],
});
const formed = (response_format: object) => ({ messages: [HELLO], response_format });

function readChat(body: object): void {
  readChatRequest({ model: 'atrium', ...body } as ChatCompletionBody, NO_HEADERS, ['main']);
}

describe('inside of a chat completion', () => {
  it.each<[object, string]>([
    [said({ ...HELLO, tone: 'x' }), 'messages.0.tone'],
    [said({ role: 'assistant', content: 'Yes.', prefix: true }), 'messages.0.prefix'],
    [said({ role: 'assistant', content: 'Yes.', audio: { id: 'x' } }), 'messages.0.audio'],
    [parted({ type: 'text', text: 'Hello', foo: 1 }), 'messages.0.content.0.foo'],
    [parted({ type: 'image_url', image_url: { url: PIXEL, detail: 'low' } }), 'messages.0.content.0.image_url.detail'],
    [parted({ type: 'file', file: { file_data: 'aGk=', mime: 'x' } }), 'messages.0.content.0.file.mime'],
    [withTool({ bar: 2 }), 'tools.0.bar'],
    [withTool({}, { foo: 1 }), 'tools.0.function.foo'],
    [formed({ type: 'json_object', foo: 1 }), 'response_format.foo'],
    [formed({ type: 'json_object', schema: {} }), 'response_format.schema'],
    [
      formed({ type: 'json_schema', json_schema: { name: 'a', schema: {}, strickt: true } }),
      'response_format.json_schema.strickt',
    ],
  ])('%j is refused', (body, param) => {
    expect(() => readChat(body)).toThrow(expect.objectContaining({ param, message: expect.stringContaining(param) }));
  });

  it.each<[object]>([
    [said({ ...HELLO, name: 'Ann', id: 'm1' })],
    [
      said({
        ...{ role: 'assistant', content: 'Yes.', refusal: null, annotations: [], audio: null, function_call: null },
        ...{ tool_calls: [], reasoning_content: 'Hm.', parsed: null, id: 'm2' },
      }),
    ],
    [parted({ type: 'image_url', image_url: { url: PIXEL, detail: 'auto' } })],
    [parted({ type: 'image_url', image_url: PIXEL })],
    [said({ role: 'assistant', content: [{ type: 'text', text: 'Yes.', role: 'assistant', status: 'completed' }] })],
    [parted({ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } })],
    [withTool({}, { strict: true, description: 'F.', parameters: { type: 'object' } })],
    [formed({ type: 'text' })],
  ])('%j is taken', (body) => {
    expect(() => readChat(body)).not.toThrow();
  });
});

async function readResponse(body: object): Promise<void> {
  const context = { agentIds: ['main'], sessionKey: undefined, itemOf: async () => undefined };
  await readResponseRequest({ model: 'atrium', input: 'Hello', ...body } as ResponseBody, NO_HEADERS, context);
}
const items = (item: object) => ({ input: [item, HELLO] });

describe('inside of a response', () => {
  it.each<[object, string]>([
    [items({ ...HELLO, bar: 2 }), 'input.0.bar'],
    [items({ role: 'user', content: [{ type: 'input_text', text: 'Hello', foo: 1 }] }), 'input.0.content.0.foo'],
    [
      items({ role: 'user', content: [{ type: 'input_image', image_url: PIXEL, detail: 'high' }] }),
      'input.0.content.0.detail',
    ],
    [{ tools: [{ type: 'function', name: 'f', foo: 1 }] }, 'tools.0.foo'],
    [{ tools: [{ type: 'function', name: 'f', defer_loading: true }] }, 'tools.0.defer_loading'],
    [{ text: { format: { type: 'json_object', schema: {} } } }, 'text.format.schema'],
  ])('%j is refused', async (body, param) => {
    await expect(readResponse(body)).rejects.toMatchObject({ param, message: expect.stringContaining(param) });
  });

  it.each<[object]>([
    [
      items({
        ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', phase: 'final_answer' },
        content: [{ type: 'output_text', text: 'Yes.', annotations: [], logprobs: [] }],
      }),
    ],
    [items({ role: 'user', content: [{ type: 'input_image', image_url: PIXEL, detail: 'auto' }] })],
    [{ tools: [{ type: 'function', name: 'f', strict: null, defer_loading: false }] }],
  ])('%j is taken', async (body) => {
    await expect(readResponse(body)).resolves.toBeUndefined();
  });
});
