// The provider's side of the wire for tests and benchmarks: a real HTTP server on loopback that speaks Anthropic's
// Messages, OpenAI's chat completions and Responses, and Google's generateContent, streaming and not. A test scripts its answers, also the ones that fail, and
// reads every request byte for byte. Ids are counted, so the same script gives the same bytes.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { NO_USAGE, type Usage } from '../protocol/usage.ts';

/** What the server does with one request. The functions below make it. */
export interface ModelReply {
  /** The parts are sent in this order, each as events of the requested protocol. */
  readonly parts: readonly ReplyPart[];
  readonly usage: Usage;
  readonly stop?: 'length' | 'refusal' | undefined;
  /** When set, the answer is this status and body instead. */
  readonly refusal?: Refusal | undefined;
  /** When set, these bytes replace everything that the protocol would send. */
  readonly bytes?: string | undefined;
  /** How the stream ends: normally, by a cut connection, or never. */
  readonly ending?: 'cut' | 'hang' | undefined;
  /** Nothing is sent before this promise resolves. */
  readonly after?: Promise<unknown> | undefined;
  /** The pause between two pieces of text. */
  readonly pauseMs?: number | undefined;
  /** After the beginning of the answer, nothing more is sent before this promise resolves. */
  readonly rest?: Promise<unknown> | undefined;
}

type ReplyPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: string; readonly params: JsonValue | string }
  | { readonly raw: string }
  | { readonly filler: number }
  | { readonly error: string; readonly message: string };

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly message: string;
  readonly type?: string | undefined;
  readonly hangs: boolean;
}

export interface ReplyOptions {
  readonly usage?: Partial<Usage> | undefined;
  readonly stop?: 'length' | 'refusal' | undefined;
  readonly pauseMs?: number | undefined;
}

/** An answer of text. */
export function reply(text: string, options: ReplyOptions = {}): ModelReply {
  return made([{ text }], options);
}

/** Thoughts before an answer. */
export function thought(reasoning: string, text: string, options: ReplyOptions = {}): ModelReply {
  return made([{ reasoning }, { text }], options);
}

/** A tool call. Parameters that are given as a string are sent as they are, so they may be broken. */
export function toolCall(name: string, params: JsonValue | string = {}, text = ''): ModelReply {
  return toolCalls([{ name, params }], text);
}

/** Several tool calls in one answer, behind a text if there is one. */
export function toolCalls(
  calls: readonly { readonly name: string; readonly params?: JsonValue | string }[],
  text = '',
): ModelReply {
  return made([...(text ? [{ text }] : []), ...calls.map(({ name, params = {} }) => ({ call: name, params }))]);
}

export interface FailOptions {
  /** The `retry-after` header: seconds, or a date. */
  readonly retryAfter?: number | string | undefined;
  readonly message?: string | undefined;
  /** The provider's name for the error. Without it the status decides. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the error body of the protocol. */
  readonly body?: string | undefined;
  /** The body is begun and never ended. */
  readonly hangs?: boolean | undefined;
}

/** An answer with an error status. */
export function fail(status: number, options: FailOptions = {}): ModelReply {
  const { retryAfter, message = `Scripted failure ${status}`, type, headers, body, hangs = false } = options;
  return {
    ...made([]),
    refusal: {
      status,
      headers: { ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }), ...headers },
      message,
      type,
      body,
      hangs,
    },
  };
}

/** The connection breaks after this many characters of the text. */
export function cutAfter(characters: number, text = 'This answer will never be complete.'): ModelReply {
  return { ...made([{ text: text.slice(0, characters) }]), ending: 'cut' };
}

/** An answer that contains bytes that are no event of the protocol. */
export function malformed(rubbish = 'data: {"this is": not json\n\n'): ModelReply {
  return made([{ text: 'So far' }, { raw: rubbish }]);
}

/** A stream whose bytes the test chooses. With `hang` the connection stays open behind them. */
export function raw(bytes: string, ending?: 'hang'): ModelReply {
  return { ...made([]), bytes, ending };
}

/** An error that is told inside a stream which began well. */
export function errorEvent(type: string, message = 'Scripted error', text = ''): ModelReply {
  return made([...(text ? [{ text }] : []), { error: type, message }]);
}

/** Sends this text and then nothing more, with the connection open. */
export function hang(text = ''): ModelReply {
  return { ...made(text ? [{ text }] : []), ending: 'hang' };
}

/** A very long answer. */
export function huge(bytes: number): ModelReply {
  return made([{ filler: bytes }]);
}

/** The same answer, sent after something has happened. */
export function after(event: Promise<unknown>, answer: ModelReply): ModelReply {
  return { ...answer, after: event };
}

export interface RecordedRequest {
  readonly protocol: 'anthropic' | 'openai' | 'openai-responses' | 'google';
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body, byte for byte. */
  readonly body: string;
  readonly json: JsonObject;
  /** The first is 1. */
  readonly number: number;
  /** Two requests over one connection have the same port. */
  readonly clientPort: number | undefined;
}

export type ModelScript = (request: RecordedRequest) => ModelReply | Promise<ModelReply>;

export interface ModelServerOptions {
  /** By default any free port is used. */
  readonly port?: number | undefined;
  /** The default is true. Benchmarks switch it off, because recorded requests would use up memory. */
  readonly record?: boolean | undefined;
}

export class ModelServer {
  readonly #server: Server;
  readonly #record: boolean;
  readonly #requests: RecordedRequest[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();
  #script: ModelScript = unscripted;
  #received = 0;
  #ids = 0;
  #closedEarly = 0;

  private constructor(options: ModelServerOptions) {
    this.#record = options.record ?? true;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Starts a server; every request is refused until answers are scripted. */
  static async start(options: ModelServerOptions = {}): Promise<ModelServer> {
    const server = new ModelServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address with the version, as both providers take it: `http://127.0.0.1:…/v1`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Every request so far, in order of arrival. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** The number of answers that the client did not wait for. */
  get closedEarly(): number {
    return this.#closedEarly;
  }

  /**
   * Sets the answers from now on: in this order, or as a function of the request. When a list is used up, further
   * requests are refused with a sentence that says so.
   */
  script(script: readonly ModelReply[] | ModelScript): this {
    if (typeof script === 'function') {
      this.#script = script;
      return this;
    }
    const replies = [...script];
    this.#script = (request) => replies.shift() ?? unscripted(request);
    return this;
  }

  /** Resolves when this many requests have come. */
  waitForRequests(count: number): Promise<void> {
    return this.#wait(() => this.#received >= count);
  }

  /** Resolves when the client has left this many answers. */
  waitForClosedEarly(count: number): Promise<void> {
    return this.#wait(() => this.#closedEarly >= count);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #wait(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #notify(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET' && path.endsWith('/models')) {
      return sendJson(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    }
    const protocol = PROTOCOLS.find((each) => each.isAt(path));
    if (request.method !== 'POST' || !protocol)
      return sendJson(response, 404, { error: { message: `No ${path} here` } });
    response.on('close', () => {
      if (response.writableFinished || this.#closing.signal.aborted) return;
      this.#closedEarly += 1;
      this.#notify();
    });
    const body = await readText(request);
    const recorded: RecordedRequest = {
      protocol: protocol.name,
      path,
      headers: request.headers as Record<string, string | undefined>,
      body,
      json: parseObject(body),
      number: ++this.#received,
      clientPort: request.socket.remotePort,
    };
    if (this.#record) this.#requests.push(recorded);
    this.#notify();
    const answer = await this.#script(recorded);
    await answer.after;
    await this.#answer(answer, protocol, recorded, response);
  }

  async #answer(
    answer: ModelReply,
    protocol: Protocol,
    request: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const { refusal, parts } = answer;
    const requestId = `req_${request.number}`;
    if (refusal) {
      response.writeHead(refusal.status, {
        'content-type': 'application/json',
        'request-id': requestId,
        'x-request-id': requestId,
        ...refusal.headers,
      });
      const body =
        refusal.body ?? JSON.stringify(protocol.error(refusal.type ?? errorType(refusal.status), refusal.message));
      if (refusal.hangs) response.write(body);
      else response.end(body);
      return;
    }
    const message: ReplyContext = {
      id: `msg_${request.number}`,
      model: protocol.modelOf(request) ?? 'scripted',
      usage: answer.usage,
      stop: answer.stop ?? (parts.some((part) => 'call' in part) ? 'tool-calls' : 'stop'),
    };
    const named = parts.map((part) =>
      'call' in part ? { ...part, id: `${protocol.callPrefix}${++this.#ids}` } : part,
    );
    if (!protocol.isStream(request)) {
      return sendJson(response, 200, protocol.whole(message, named), {
        'request-id': requestId,
        'x-request-id': requestId,
      });
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'request-id': requestId,
      'x-request-id': requestId,
    });
    if (answer.bytes !== undefined) {
      if (answer.ending === 'hang') response.write(answer.bytes);
      else response.end(answer.bytes);
      return;
    }
    response.flushHeaders();
    const gone = once(response, 'close');
    let written = 0;
    for (const text of protocol.stream(message, named, answer.ending === undefined)) {
      if (written++ === PIECES_BEFORE_REST && answer.rest) await Promise.race([answer.rest, gone]);
      if (response.destroyed) return;
      if (!response.write(text)) await Promise.race([once(response, 'drain'), gone]);
      if (answer.pauseMs !== undefined) await sleep(answer.pauseMs, undefined, { signal: this.#closing.signal });
    }
    if (answer.ending === 'hang') return;
    if (answer.ending === 'cut') {
      // The written bytes must arrive first.
      response.write('', () => setImmediate(() => response.destroy()));
      return;
    }
    response.end();
  }
}

function unscripted({ number }: RecordedRequest): ModelReply {
  return fail(400, { message: `No reply is scripted for request ${number}.` });
}

function made(parts: readonly ReplyPart[], { usage, stop, pauseMs }: ReplyOptions = {}): ModelReply {
  return { parts, usage: { ...NO_USAGE, input: 10, output: 5, ...usage }, stop, pauseMs };
}

type NamedPart = ReplyPart & { readonly id?: string };

interface ReplyContext {
  readonly id: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stop: 'stop' | 'tool-calls' | 'length' | 'refusal';
}

/** How one API says the same things. `stream` leaves the end out when the ending is not normal. */
interface Protocol {
  readonly name: RecordedRequest['protocol'];
  readonly callPrefix: string;
  isAt(path: string): boolean;
  isStream(request: RecordedRequest): boolean;
  modelOf(request: RecordedRequest): string | undefined;
  error(type: string, message: string): JsonObject;
  whole(context: ReplyContext, parts: readonly NamedPart[]): JsonObject;
  stream(context: ReplyContext, parts: readonly NamedPart[], isWhole: boolean): Iterable<string>;
}

/** Three of the protocols say in the body which model is asked and how. */
const SAID_IN_BODY: Pick<Protocol, 'isStream' | 'modelOf'> = {
  isStream: ({ json }) => json.stream === true,
  modelOf: ({ json }) => (typeof json.model === 'string' ? json.model : undefined),
};

const ANTHROPIC: Protocol = {
  name: 'anthropic',
  callPrefix: 'toolu_',
  isAt: (path) => path.endsWith('/messages'),
  ...SAID_IN_BODY,
  error: (type, message) => ({ type: 'error', error: { type, message } }),
  whole: (context, parts) => ({
    ...anthropicMessage(context),
    content: parts.flatMap((part): JsonObject[] => {
      if ('text' in part) return [{ type: 'text', text: part.text }];
      if ('reasoning' in part) return [{ type: 'thinking', thinking: part.reasoning, signature: 'scripted' }];
      if ('call' in part)
        return [{ type: 'tool_use', id: part.id ?? '', name: part.call, input: paramsOf(part.params) }];
      return 'filler' in part ? [{ type: 'text', text: 'x'.repeat(part.filler) }] : [];
    }),
    stop_reason: ANTHROPIC_STOPS[context.stop],
    usage: anthropicUsage(context.usage),
  }),
  *stream(context, parts, isWhole) {
    const { usage } = context;
    const event = (data: JsonObject & { readonly type: string }) =>
      `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
    yield event({
      type: 'message_start',
      message: { ...anthropicMessage(context), content: [], usage: { ...anthropicUsage(usage), output_tokens: 1 } },
    });
    let index = 0;
    for (const part of parts) {
      if ('raw' in part) {
        yield part.raw;
        continue;
      }
      if ('error' in part) {
        yield event({ type: 'error', error: { type: part.error, message: part.message } });
        return;
      }
      const block: JsonObject =
        'call' in part
          ? { type: 'tool_use', id: part.id ?? '', name: part.call, input: {} }
          : 'reasoning' in part
            ? { type: 'thinking', thinking: '', signature: '' }
            : { type: 'text', text: '' };
      yield event({ type: 'content_block_start', index, content_block: block });
      for (const piece of piecesOf(part)) {
        const delta: JsonObject =
          'call' in part
            ? { type: 'input_json_delta', partial_json: piece }
            : 'reasoning' in part
              ? { type: 'thinking_delta', thinking: piece }
              : { type: 'text_delta', text: piece };
        yield event({ type: 'content_block_delta', index, delta });
      }
      if (!isWhole) return;
      yield event({ type: 'content_block_stop', index });
      index += 1;
    }
    if (!isWhole) return;
    yield event({
      type: 'message_delta',
      delta: { stop_reason: ANTHROPIC_STOPS[context.stop], stop_sequence: null },
      usage: { output_tokens: usage.output },
    });
    yield event({ type: 'message_stop' });
  },
};

const ANTHROPIC_STOPS = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
} as const;

function anthropicMessage({ id, model }: ReplyContext): JsonObject {
  return { id, type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null };
}

/** In this protocol the input tokens do not contain the cached ones. */
function anthropicUsage({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

const OPENAI: Protocol = {
  name: 'openai',
  callPrefix: 'call_',
  isAt: (path) => path.endsWith('/chat/completions'),
  ...SAID_IN_BODY,
  error: (type, message) => ({ error: { message, type, code: type, param: null } }),
  whole: (context, parts) => {
    const calls = parts.flatMap((part) => ('call' in part ? [openAiCall(part)] : []));
    return {
      ...openAiMessage(context, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: parts
              .flatMap((part) => ('text' in part ? [part.text] : 'filler' in part ? ['x'.repeat(part.filler)] : []))
              .join(''),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          finish_reason: OPENAI_STOPS[context.stop],
        },
      ],
      usage: openAiUsage(context.usage),
    };
  },
  *stream(context, parts, isWhole) {
    const event = (data: JsonObject) => `data: ${JSON.stringify(data)}\n\n`;
    const chunk = (delta: JsonObject, finish: string | null = null) =>
      event({
        ...openAiMessage(context, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    yield chunk({ role: 'assistant', content: '' });
    let callIndex = 0;
    for (const part of parts) {
      if ('raw' in part) {
        yield part.raw;
      } else if ('error' in part) {
        yield event({ error: { message: part.message, type: part.error, code: part.error } });
        return;
      } else if ('call' in part) {
        const { function: called, ...call } = openAiCall(part);
        yield chunk({ tool_calls: [{ index: callIndex, ...call, function: { ...called, arguments: '' } }] });
        for (const piece of piecesOf(part))
          yield chunk({ tool_calls: [{ index: callIndex, function: { arguments: piece } }] });
        callIndex += 1;
      } else {
        for (const piece of piecesOf(part))
          yield chunk('reasoning' in part ? { reasoning_content: piece } : { content: piece });
      }
    }
    if (!isWhole) return;
    yield chunk({}, OPENAI_STOPS[context.stop]);
    yield event({ ...openAiMessage(context, 'chat.completion.chunk'), choices: [], usage: openAiUsage(context.usage) });
    yield 'data: [DONE]\n\n';
  },
};

const OPENAI_STOPS = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', refusal: 'content_filter' } as const;

function openAiMessage({ id, model }: ReplyContext, object: string): JsonObject {
  return { id, object, created: 1_767_225_600, model };
}

function openAiCall(part: { readonly call: string; readonly params: JsonValue | string; readonly id?: string }) {
  return { id: part.id ?? '', type: 'function', function: { name: part.call, arguments: paramsText(part.params) } };
}

function openAiUsage({ input, output, cacheRead }: Usage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}

const RESPONSES: Protocol = {
  name: 'openai-responses',
  callPrefix: 'call_',
  isAt: (path) => path.endsWith('/responses'),
  ...SAID_IN_BODY,
  error: OPENAI.error,
  whole: (context, parts) => ({
    ...responseOf(context),
    status: 'completed',
    output: parts.flatMap((part, index) => ('raw' in part || 'error' in part ? [] : [responseItem(part, index)])),
    usage: responseUsage(context.usage),
  }),
  *stream(context, parts, isWhole) {
    let sequence = 0;
    const event = (type: string, data: JsonObject) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
    const output: JsonObject[] = [];
    yield event('response.created', { response: { ...responseOf(context), status: 'in_progress', output: [] } });
    for (const part of parts) {
      if ('raw' in part) {
        yield part.raw;
        continue;
      }
      if ('error' in part) {
        yield event('error', { code: part.error, message: part.message, param: null });
        return;
      }
      const place = { output_index: output.length, item_id: `item_${output.length}` };
      const item = responseItem(part, output.length);
      yield event('response.output_item.added', { output_index: output.length, item: emptyItem(item) });
      const delta =
        'call' in part
          ? 'response.function_call_arguments.delta'
          : 'reasoning' in part
            ? 'response.reasoning_summary_text.delta'
            : 'response.output_text.delta';
      const index: JsonObject = 'call' in part ? {} : 'reasoning' in part ? { summary_index: 0 } : { content_index: 0 };
      for (const piece of piecesOf(part)) yield event(delta, { ...place, ...index, delta: piece });
      if (!isWhole) return;
      yield event('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    }
    if (!isWhole) return;
    const reason = { length: 'max_output_tokens', refusal: 'content_filter' }[context.stop as 'length' | 'refusal'];
    yield event(reason ? 'response.incomplete' : 'response.completed', {
      response: {
        ...responseOf(context),
        status: reason ? 'incomplete' : 'completed',
        incomplete_details: reason ? { reason } : null,
        output,
        usage: responseUsage(context.usage),
      },
    });
  },
};

function responseOf({ id, model }: ReplyContext): JsonObject {
  return { id, object: 'response', created_at: 1_767_225_600, model, error: null };
}

function responseItem(part: NamedPart, index: number): JsonObject {
  const id = `item_${index}`;
  if ('call' in part) {
    const { call, params, id: callId = '' } = part;
    return {
      id,
      type: 'function_call',
      status: 'completed',
      call_id: callId,
      name: call,
      arguments: paramsText(params),
    };
  }
  if ('reasoning' in part) return { id, type: 'reasoning', summary: [{ type: 'summary_text', text: part.reasoning }] };
  const text = [...piecesOf(part)].join('');
  return {
    id,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function emptyItem(item: JsonObject): JsonObject {
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  return item.type === 'reasoning' ? { ...item, summary: [] } : { ...item, status: 'in_progress', content: [] };
}

function responseUsage({ input, output, cacheRead }: Usage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

const GOOGLE: Protocol = {
  name: 'google',
  callPrefix: 'call_',
  isAt: (path) => /:(?:streamG|g)enerateContent(?:\?|$)/.test(path),
  isStream: ({ path }) => path.includes(':streamGenerateContent'),
  modelOf: ({ path }) => /\/models\/([^:]+):/.exec(path)?.[1],
  error: (type, message) => ({ error: { code: Number(ERROR_STATUSES[type] ?? 400), message, status: type } }),
  whole: (context, parts) => googleChunk(context, parts.flatMap(googleParts), true),
  *stream(context, parts, isWhole) {
    const event = (data: JsonObject) => `data: ${JSON.stringify(data)}\r\n\r\n`;
    for (const part of parts) {
      if ('raw' in part) yield part.raw;
      else if ('error' in part) {
        yield event(GOOGLE.error(part.error, part.message));
        return;
      } else if ('call' in part) {
        if (isWhole) yield event(googleChunk(context, googleParts(part), false));
      } else {
        const thought: JsonObject = 'reasoning' in part ? { thought: true } : {};
        for (const piece of piecesOf(part)) yield event(googleChunk(context, [{ text: piece, ...thought }], false));
      }
    }
    if (isWhole) yield event(googleChunk(context, [], true));
  },
};

const GOOGLE_STOPS = { stop: 'STOP', 'tool-calls': 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

function googleChunk({ model, usage, stop }: ReplyContext, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const { input, output, cacheRead } = usage;
  return {
    candidates: [
      { content: { parts: [...parts], role: 'model' }, index: 0, ...(isLast && { finishReason: GOOGLE_STOPS[stop] }) },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: isLast ? output : 1,
      cachedContentTokenCount: cacheRead,
      totalTokenCount: input + output,
    },
    modelVersion: model,
  };
}

function googleParts(part: NamedPart): JsonObject[] {
  if ('call' in part) {
    const args = typeof part.params === 'string' ? parsed(part.params) : part.params;
    return [{ functionCall: { id: part.id ?? '', name: part.call, args } }];
  }
  if ('reasoning' in part) return [{ text: part.reasoning, thought: true }];
  return 'text' in part ? [{ text: part.text }] : 'filler' in part ? [{ text: 'x'.repeat(part.filler) }] : [];
}

/** Parameters that are no JSON are sent as a text, which this protocol has for nothing. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

const PROTOCOLS: readonly Protocol[] = [ANTHROPIC, OPENAI, RESPONSES, GOOGLE];

/** The size is small, so that a short answer comes in several pieces. */
const PIECE = 16;
/** The opening of a stream, and some of its text. */
const PIECES_BEFORE_REST = 5;
const FILLER_PIECE = 16 * 1024;

function* piecesOf(part: NamedPart): Iterable<string> {
  if ('filler' in part) {
    for (let left = part.filler; left > 0; left -= FILLER_PIECE) yield 'x'.repeat(Math.min(left, FILLER_PIECE));
    return;
  }
  const text =
    'text' in part ? part.text : 'reasoning' in part ? part.reasoning : 'call' in part ? paramsText(part.params) : '';
  const characters = [...text];
  for (let at = 0; at < characters.length; at += PIECE) yield characters.slice(at, at + PIECE).join('');
}

function paramsText(params: JsonValue | string): string {
  return typeof params === 'string' ? params : JSON.stringify(params);
}

function paramsOf(params: JsonValue | string): JsonValue {
  return typeof params === 'string' ? parseObject(params) : params;
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};
const ERROR_STATUSES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ERROR_TYPES).map(([status, type]) => [type, status]),
);

function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

function parseObject(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function once(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
