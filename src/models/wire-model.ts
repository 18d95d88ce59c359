// What the HTTP providers have in common. A request is written down once, by the serialiser of its protocol, and later
// exactly those bytes are sent. So a preview always shows what goes over the wire. The answer is read by the reader of the
// same protocol.
//
// Secrets are added while sending, only for the host that they were configured for, and are not part of the record.

import type { AnswerWishes, WishName } from '../protocol/answer-wishes.ts';
import type { AttachmentSource } from '../protocol/attachment.ts';
import type { ModelPrices } from '../protocol/model-prices.ts';
import { errorText } from '../protocol/one-line.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import { VERSION } from '../protocol/version.ts';
import { Answer } from './answer.ts';
import { AnswerReader, type EventProtocol } from './answer-reader.ts';
import { ModelRequestError } from './errors.ts';
import type { Model, ModelEnd, ModelFailure, ModelRequest, WireRequest } from './model.ts';
import {
  badRequestFailure,
  type FailureContext,
  malformedFailure,
  shownWords,
  streamErrorFailure,
  unknownFailure,
} from './model-failure.ts';
import { addOwnTuning, takeWishes, type WishGap } from './take-wishes.ts';
import { WireExchange } from './wire-exchange.ts';
import { fillImages, imagesFor, nameImages, type ShowImages } from './wire-images.ts';

export interface WireModelSettings {
  /** `anthropic`, or the name under `models.providers`. */
  readonly provider: string;
  readonly model: string;
  /** The address with the version and without a slash at the end: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Set when the key is sent as `Authorization: Bearer`, whatever the protocol has for it. */
  readonly sendsBearer?: true | undefined;
  /** Headers that are added while sending. They are treated as secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The longest time without any byte of the answer. The default is two minutes. */
  readonly timeoutMs?: number | undefined;
  /** How long the rest of an answer may take after it gave the reason of its end. The default is five seconds. */
  readonly afterReasonMs?: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly contextWindowSource?: Model['contextWindowSource'];
  readonly prices?: ModelPrices | undefined;
  /** Whether the model reads images. The default is false. */
  readonly takesImages?: boolean | undefined;
  /** The images' bytes. Without it no image can be sent. */
  readonly attachments?: AttachmentSource | undefined;
  /** The most tokens of one answer, when a request sets no limit. */
  readonly maxTokens?: number | undefined;
  /** How freely the model chooses its words, as the agent has it. What a model does not take is left out. */
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** The current time. It is needed because a `retry-after` may be a date. */
  readonly now: () => number;
}

/** How one protocol writes requests and reads answers. */
export interface WireDialect {
  readonly api: Model['api'];
  /** Where requests go, below the base URL. */
  path(settings: WireModelSettings): string;
  /** The most bytes of one image that the provider takes. */
  readonly maxImageBytes: number;
  readonly events: EventProtocol;
  /** Why a model cannot be told a wish of an API client; undefined when it can. See `WishGap`. */
  gap(
    wish: WishName,
    wishes: AnswerWishes,
    settings: WireModelSettings,
    tools: ModelRequest['tools'],
  ): string | undefined;
  /** The header that carries the key. */
  keyHeader(apiKey: string): Readonly<Record<string, string>>;
  /** The headers that only this protocol has. */
  headers(request: ModelRequest, settings: WireModelSettings): Readonly<Record<string, string>>;
  /** The request has only wishes without a gap. May throw; `prepare` turns that into a ModelRequestError. */
  body(request: ModelRequest, settings: WireModelSettings, show: ShowImages): string;
}

const DEFAULT_IDLE_MS = 120_000;
const DEFAULT_AFTER_REASON_MS = 5_000;

export function createWireModel(given: WireModelSettings, dialect: WireDialect): Model {
  const { settings, secretHeaders } = separateSecrets(given, dialect);
  const context: FailureContext = { provider: settings.provider, secrets: secretTexts(secretHeaders, given) };
  const origin = new URL(settings.baseUrl).origin;
  return {
    provider: settings.provider,
    model: settings.model,
    api: dialect.api,
    contextWindow: settings.contextWindow,
    contextWindowSource: settings.contextWindowSource,
    takesImages: settings.takesImages === true,
    maxImageBytes: dialect.maxImageBytes,
    maxTokens: settings.maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    prices: settings.prices,

    checkWishes: (asked) => void takeWishes(asked, settings, gapOf(asked, settings, dialect)),

    prepare: (request) => writeDown(request, settings, dialect),

    // One generator, because every generator that another one hands on from costs three promises for each event.
    async *stream(wire, signal) {
      const answer = new Answer();
      const filled = await filledBody(wire, settings.attachments);
      const exchange = new WireExchange('gone' in filled ? wire : { ...wire, body: filled.body }, {
        secretHeaders,
        idleMs: settings.timeoutMs ?? DEFAULT_IDLE_MS,
        afterReasonMs: settings.afterReasonMs ?? DEFAULT_AFTER_REASON_MS,
        reader: new AnswerReader(answer, dialect.events),
        now: settings.now,
        context,
      });
      const abort = () => exchange.close();
      signal.addEventListener('abort', abort);
      let failure = originOf(wire.url) === origin ? undefined : elsewhere(wire, origin, context);
      if ('gone' in filled) failure ??= imageGone(filled.gone, context);
      try {
        if (!signal.aborted && !failure) {
          await exchange.open();
          for (let isOpen = true; isOpen && !signal.aborted; ) {
            isOpen = await exchange.more();
            for (const piece of answer.takeSaid()) {
              if (signal.aborted) break;
              yield piece;
            }
          }
          failure = exchange.failure ?? failureOf(answer, context);
          if (!failure) exchange.finish();
          // Calls are told at the end, so that a stream that breaks off does not have half of its calls run.
          if (!failure && !signal.aborted) for (const call of answer.toolCalls) yield call;
        }
      } catch (error) {
        failure = exchange.failure ?? unknownFailure(error, context);
      } finally {
        signal.removeEventListener('abort', abort);
        exchange.close();
      }
      yield endOf(exchange, answer, signal.aborted ? 'aborted' : failure, context);
    },
  };
}

async function writeDown(asked: ModelRequest, settings: WireModelSettings, dialect: WireDialect): Promise<WireRequest> {
  const { takesImages = false, attachments, baseUrl, provider } = settings;
  const gap = gapOf(asked, settings, dialect);
  const request = addOwnTuning(takeWishes(asked, settings, gap), settings, gap);
  try {
    const show = await imagesFor(request.messages, {
      takesImages,
      maxImageBytes: dialect.maxImageBytes,
      attachments,
    });
    return {
      url: `${baseUrl}${dialect.path(settings)}`,
      headers: {
        ...dialect.headers(request, settings),
        'content-type': 'application/json',
        'user-agent': `atrium/${VERSION}`,
      },
      ...nameImages(dialect.body(request, settings, show), request.messages),
    };
  } catch (error) {
    throw new ModelRequestError({ provider, problem: errorText(error) }, { cause: error });
  }
}

function gapOf({ tools }: Pick<ModelRequest, 'tools'>, settings: WireModelSettings, dialect: WireDialect): WishGap {
  return (wish, wishes) => dialect.gap(wish, wishes, settings, tools);
}

function failureOf({ fault, isOver }: Answer, context: FailureContext): ModelFailure | undefined {
  if (!fault) return isOver ? undefined : malformedFailure('ended its answer without saying why', context);
  return 'reported' in fault ? streamErrorFailure(fault.reported, context) : malformedFailure(fault.what, context);
}

/** The body with its images. An image may be gone, or may no longer be readable. */
async function filledBody(wire: WireRequest, attachments: AttachmentSource | undefined) {
  try {
    return await fillImages(wire, attachments);
  } catch (error) {
    return { gone: errorText(error) };
  }
}

/** It was there when the request was prepared. */
function imageGone(hash: string, context: FailureContext): ModelFailure {
  return badRequestFailure(
    `the image ${hash.slice(0, 80)} of the conversation is no longer kept, so nothing was sent`,
    context,
  );
}

function endOf(
  exchange: WireExchange,
  answer: Answer,
  failure: ModelFailure | 'aborted' | undefined,
  context: FailureContext,
): ModelEnd {
  const { notes, withheld } = answer;
  const stop = failure === 'aborted' ? failure : failure ? 'error' : stopOf(answer);
  return {
    type: 'end',
    stop,
    usage: failure ? NO_USAGE : answer.usage,
    ...(failure && failure !== 'aborted' ? { error: failure } : {}),
    ...(exchange.requestId === undefined ? {} : { requestId: exchange.requestId }),
    responseBytes: exchange.bytes,
    // What the provider said beside the answer, in a form that may be shown.
    ...(notes.length === 0 ? {} : { notes: notes.map((note) => shownWords(note, context)) }),
    ...(stop !== 'refusal' || withheld === undefined ? {} : { withheld: shownWords(withheld, context) }),
  };
}

/** Some servers say `stop` although they call tools, and some say that they call tools but do not. */
function stopOf({ reason, toolCalls }: Answer): ModelEnd['stop'] {
  if (reason !== 'complete') return reason;
  return toolCalls.length > 0 ? 'tool-calls' : 'stop';
}

function elsewhere(wire: WireRequest, origin: string, context: FailureContext): ModelFailure {
  return badRequestFailure(
    `The request was written down for ${originOf(wire.url)} and ${context.provider} is at ${origin} now`,
    context,
  );
}

type AddressSettings = Pick<WireModelSettings, 'baseUrl' | 'apiKey' | 'sendsBearer' | 'headers'>;

/** A name and password in the address would be recorded with it, so they are sent as a header instead. */
export function separateSecrets<Given extends AddressSettings>(
  given: Given,
  dialect: Pick<WireDialect, 'keyHeader'>,
): { settings: Omit<Given, 'apiKey' | 'headers'>; secretHeaders: Readonly<Record<string, string>> } {
  const url = new URL(given.baseUrl);
  const login =
    url.username || url.password
      ? `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      : undefined;
  url.username = '';
  url.password = '';
  const { apiKey, headers, ...rest } = given;
  const keyHeader = given.sendsBearer ? (key: string) => ({ authorization: `Bearer ${key}` }) : dialect.keyHeader;
  const own = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    settings: { ...rest, baseUrl: url.toString().replace(/\/+$/, '') },
    secretHeaders: {
      ...(login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
      ...(apiKey === undefined ? {} : keyHeader(apiKey)),
      ...Object.fromEntries(own),
    },
  };
}

export function secretTexts(
  secretHeaders: Readonly<Record<string, string>>,
  { apiKey }: Pick<AddressSettings, 'apiKey'>,
): string[] {
  return [...Object.values(secretHeaders), ...(apiKey === undefined ? [] : [apiKey])];
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
