// What the HTTP providers have in common. The provider's own serialiser writes the request, and a `fetch` of ours
// records it instead of sending it; later exactly those bytes are sent, and the provider's own parser reads the answer.
// So a preview always shows what goes over the wire. The parsers never look at the request (function tools only, no
// files), so a trivial prompt replaces it while an answer is read.
//
// Secrets are added while sending, only for the host that they were configured for, and are not part of the record.

import type { AnthropicProvider } from '@ai-sdk/anthropic';
import { isJsonObject } from '../protocol/json.ts';
import { errorText } from '../protocol/one-line.ts';
import { NO_USAGE, type Usage } from '../protocol/usage.ts';
import { VERSION } from '../protocol/version.ts';
import type { ModelPrices } from './cost-of.ts';
import { ModelRequestError } from './errors.ts';
import { type EventDialect, EventMender } from './event-mender.ts';
import {
  MOST_TOOL_CALLS,
  type Model,
  type ModelEnd,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type WireRequest,
} from './model.ts';
import {
  badRequestFailure,
  type FailureContext,
  malformedFailure,
  streamErrorFailure,
  unknownFailure,
  unreadableFailure,
} from './model-failure.ts';
import { SharedLanguageModel } from './shared-language-model.ts';
import { ExchangeFailedError, WireExchange } from './wire-exchange.ts';

export interface WireModelSettings {
  /** `anthropic`, or the name under `models.providers`. */
  readonly provider: string;
  readonly model: string;
  /** The address with the version and without a slash at the end: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Headers that are added while sending. They are treated as secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest time without any byte of the answer. The default is two minutes. */
  readonly timeoutMs?: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly contextWindowSource?: Model['contextWindowSource'];
  readonly prices?: ModelPrices | undefined;
  /** The most tokens of one answer, when a request sets no limit. */
  readonly maxTokens?: number | undefined;
  /** The current time. It is needed because a `retry-after` may be a date. */
  readonly now: () => number;
}

/** The parts of one provider's package that are used here. */
export interface WireDialect {
  readonly api: Model['api'];
  readonly events: EventDialect;
  /** The header that carries the key. */
  keyHeader(apiKey: string): Readonly<Record<string, string>>;
  languageModel(settings: WireModelSettings & { readonly fetch: typeof fetch }): Promise<LanguageModel>;
  /** May throw; `prepare` turns that into a ModelRequestError. */
  callOptions(request: ModelRequest, settings: WireModelSettings): CallOptions;
}

export type LanguageModel = ReturnType<AnthropicProvider['messages']>;
export type CallOptions = Parameters<LanguageModel['doStream']>[0];
type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

export const DEFAULT_IDLE_MS = 120_000;

/** An answer becomes history and is sent with every later request, so a longer answer is a fault. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export function createWireModel(given: WireModelSettings, dialect: WireDialect): Model {
  const { settings, secretHeaders } = separateSecrets(given, dialect);
  const context: FailureContext = { provider: settings.provider, secrets: secretTexts(secretHeaders, given) };
  const origin = new URL(settings.baseUrl).origin;
  const model = new SharedLanguageModel((fetch) => dialect.languageModel({ ...settings, fetch }));
  return {
    provider: settings.provider,
    model: settings.model,
    api: dialect.api,
    contextWindow: settings.contextWindow,
    contextWindowSource: settings.contextWindowSource,
    prices: settings.prices,

    prepare: (request) => record(request, settings, dialect, model),

    async *stream(wire, signal) {
      const exchange = new WireExchange(wire, {
        secretHeaders,
        idleMs: settings.timeoutMs ?? DEFAULT_IDLE_MS,
        mender: new EventMender(dialect.events),
        now: settings.now,
        context,
      });
      const abort = () => exchange.close();
      signal.addEventListener('abort', abort);
      let end: ModelEnd;
      try {
        if (signal.aborted) end = ended('aborted', exchange);
        else if (originOf(wire.url) !== origin)
          end = ended('error', exchange, { error: elsewhere(wire, origin, context) });
        else end = yield* readEvents(exchange, model, context, signal);
      } catch (error) {
        const failure =
          exchange.failure ?? (error instanceof ExchangeFailedError ? undefined : failureOf(error, context));
        end = signal.aborted
          ? ended('aborted', exchange)
          : ended('error', exchange, { error: failure ?? unknownFailure('the connection was closed', context) });
      } finally {
        signal.removeEventListener('abort', abort);
        exchange.close();
      }
      yield end;
    },
  };
}

async function record(
  request: ModelRequest,
  settings: WireModelSettings,
  dialect: WireDialect,
  model: SharedLanguageModel,
): Promise<WireRequest> {
  let recorded: WireRequest | undefined;
  let failure: unknown;
  const recordingFetch = async (url: unknown, init?: { headers?: unknown; body?: unknown }): Promise<Response> => {
    recorded = {
      url: String(url),
      headers: wireHeaders(init?.headers as Record<string, string>),
      body: String(init?.body),
    };
    throw new ExchangeFailedError();
  };
  try {
    await model.doStream(dialect.callOptions(request, settings), recordingFetch as typeof fetch);
  } catch (error) {
    failure = error;
  }
  if (recorded) return recorded;
  throw new ModelRequestError(
    { provider: settings.provider, problem: errorText(failure) },
    {
      cause: failure,
    },
  );
}

async function* readEvents(
  exchange: WireExchange,
  model: SharedLanguageModel,
  context: FailureContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, ModelEnd> {
  const { stream } = await model.doStream(STAND_IN, () => exchange.open());
  const reader = (stream as ReadableStream<StreamPart>).getReader();
  const toolCalls: Extract<ModelEvent, { type: 'tool-call' }>[] = [];
  let begunCalls = 0;
  let characters = 0;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (signal.aborted) return ended('aborted', exchange);
      if (done) break;
      if (part.type === 'tool-input-start') begunCalls += 1;
      if (begunCalls > MOST_TOOL_CALLS || toolCalls.length > MOST_TOOL_CALLS) {
        const error = malformedFailure(`asked for more than ${MOST_TOOL_CALLS} tool calls in one answer`, context);
        return ended('error', exchange, { error });
      }
      if ('delta' in part) characters += part.delta.length;
      if (characters > MOST_CHARACTERS) {
        const error = malformedFailure(`said more than ${MOST_CHARACTERS / 1024 / 1024} MiB in one answer`, context);
        return ended('error', exchange, { error });
      }
      switch (part.type) {
        case 'text-delta':
          if (part.delta) yield { type: 'text-delta', text: part.delta };
          break;
        case 'reasoning-delta':
          if (part.delta) yield { type: 'reasoning-delta', text: part.delta };
          break;
        case 'tool-call':
          // Calls are told at the end, so that a stream that breaks off does not have half of its calls run.
          if (!part.providerExecuted) {
            toolCalls.push({ type: 'tool-call', id: part.toolCallId, name: part.toolName, input: part.input || '{}' });
          }
          break;
        case 'error':
          return ended('error', exchange, { error: exchange.failure ?? streamErrorFailure(part.error, context) });
        case 'finish': {
          if (exchange.failure) return ended('error', exchange, { error: exchange.failure });
          exchange.finish();
          const isCutShort = part.finishReason.unified === 'length';
          const whole = isCutShort ? toolCalls.filter(({ input }) => isJson(input)) : toolCalls;
          yield* whole;
          return ended(stopOf(part.finishReason.unified, whole.length), exchange, { usage: usageOf(part.usage) });
        }
      }
      if (signal.aborted) return ended('aborted', exchange);
    }
    const failure = exchange.failure ?? malformedFailure('ended its answer without saying why', context);
    return ended('error', exchange, { error: failure });
  } finally {
    reader.cancel().catch(() => {});
  }
}

const STAND_IN: CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: '-' }] }] };

type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason']['unified'];

/** Some servers say `stop` although they call tools, and some say that they call tools but do not. */
function stopOf(reason: FinishReason, toolCallCount: number): ModelEnd['stop'] {
  if (reason === 'length') return 'length';
  if (reason === 'content-filter') return 'refusal';
  return toolCallCount > 0 ? 'tool-calls' : 'stop';
}

function usageOf({ inputTokens, outputTokens }: Extract<StreamPart, { type: 'finish' }>['usage']): Usage {
  return {
    input: tokenCount(inputTokens.total),
    output: tokenCount(outputTokens.total),
    cacheRead: tokenCount(inputTokens.cacheRead),
    cacheWrite: tokenCount(inputTokens.cacheWrite),
  };
}

/** A higher count is not plausible. The limit leaves room to add up the calls of years. */
const MOST_TOKENS = 1_000_000_000;

/** A provider may report any number. An impossible count must not make its answer unusable, nor a cost negative. */
function tokenCount(told: number | undefined): number {
  if (told === undefined || !(told > 0)) return 0;
  return Math.min(MOST_TOKENS, Math.round(told));
}

function ended(
  stop: ModelEnd['stop'],
  exchange: WireExchange,
  facts: { readonly usage?: Usage; readonly error?: ModelFailure } = {},
): ModelEnd {
  return {
    type: 'end',
    stop,
    usage: facts.usage ?? NO_USAGE,
    ...(facts.error ? { error: facts.error } : {}),
    ...(exchange.requestId === undefined ? {} : { requestId: exchange.requestId }),
    responseBytes: exchange.bytes,
  };
}

/** When an error event comes first, the provider's package throws it, with the event as the body of a response. */
function failureOf(error: unknown, context: FailureContext): ModelFailure {
  const body = isJsonObject(error) && typeof error.responseBody === 'string' ? error.responseBody : undefined;
  if (body === undefined) return unknownFailure(error, context);
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    return unknownFailure(error, context);
  }
  const isParserError = isJsonObject(event) && typeof event.name === 'string' && event.name.startsWith('AI_');
  return isParserError ? unreadableFailure(event, context) : streamErrorFailure(event, context);
}

function elsewhere(wire: WireRequest, origin: string, context: FailureContext): ModelFailure {
  return badRequestFailure(
    `The request was written down for ${originOf(wire.url)} and ${context.provider} is at ${origin} now`,
    context,
  );
}

/**
 * The versions of the package and of the runtime are removed: a provider does not need them, and they differ between
 * machines.
 */
function wireHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !PACKAGE_HEADERS.has(name));
  return { ...Object.fromEntries(kept), 'user-agent': `atrium/${VERSION}` };
}

const PACKAGE_HEADERS: ReadonlySet<string> = new Set(['user-agent', 'authorization', 'x-api-key']);

/** A name and password in the address would be recorded with it, so they are sent as a header instead. */
function separateSecrets(
  given: WireModelSettings,
  dialect: WireDialect,
): { settings: WireModelSettings; secretHeaders: Readonly<Record<string, string>> } {
  const url = new URL(given.baseUrl);
  const login =
    url.username || url.password
      ? `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      : undefined;
  url.username = '';
  url.password = '';
  const { apiKey, headers, ...rest } = given;
  const own = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    settings: { ...rest, baseUrl: url.toString().replace(/\/+$/, '') },
    secretHeaders: {
      ...(login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      ...(apiKey === undefined ? {} : dialect.keyHeader(apiKey)),
      ...Object.fromEntries(own),
    },
  };
}

function secretTexts(secretHeaders: Readonly<Record<string, string>>, { apiKey }: WireModelSettings): string[] {
  return [...Object.values(secretHeaders), ...(apiKey === undefined ? [] : [apiKey])];
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
