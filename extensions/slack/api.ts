// The calls of Slack's Web API with one token. The client library's own retries are switched off, because the outbox
// decides when something is tried again; a failure is a value. Every request has an end: its time limit, the caller's
// signal, or the end of the channel.

import { type Logger, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import { requireAccount } from '../../src/channels/require-account.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { timeLimit } from '../../src/protocol/time-limit.ts';
import { failureOf, type SlackFailure, unreachable } from './failure.ts';

export type SlackAnswer<Value = JsonObject> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: SlackFailure };

export interface SlackApiSettings {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  /** Fires when the channel is closed. */
  readonly closing: AbortSignal;
  /** False when nothing may be requested. */
  readonly mayAct?: (() => boolean) | undefined;
  /** Told of every failure, for the state of the account. */
  readonly failed?: ((failure: SlackFailure) => void) | undefined;
}

const REQUEST_LIMIT_MS = 30_000;
/** The largest answer of the Web API that is read. */
const MAX_ANSWER_BYTES = 32 * 1_048_576;

export class SlackApi {
  readonly #settings: SlackApiSettings;
  readonly #client: WebClient;

  constructor(settings: SlackApiSettings) {
    this.#settings = settings;
    this.#client = new WebClient(settings.token, clientOptions(settings));
  }

  async call(method: string, args: JsonObject = {}, signal?: AbortSignal): Promise<SlackAnswer> {
    const { closing } = this.#settings;
    if (closing.aborted) return no(unreachable('The channel is closed.', false));
    if (signal?.aborted) return no(unreachable('It was cancelled before it was sent.', false));
    const answer = await unlessCancelled(this.#ask(method, args), signal);
    if (!answer.ok && !closing.aborted) this.#settings.failed?.(answer.failure);
    return answer;
  }

  /** Calls page after page until one of them is enough, `pages` are read, or there are no more. */
  async callPages(
    method: string,
    args: JsonObject,
    { pages, isEnough = () => false }: { readonly pages: number; readonly isEnough?: (page: JsonObject) => boolean },
    signal?: AbortSignal,
  ): Promise<SlackAnswer<{ readonly pages: readonly JsonObject[]; readonly isComplete: boolean }>> {
    const read: JsonObject[] = [];
    let cursor = '';
    do {
      const answer = await this.call(method, { ...args, ...(cursor !== '' && { cursor }) }, signal);
      if (!answer.ok) return answer;
      read.push(answer.value);
      cursor = nextCursorOf(answer.value);
      if (isEnough(answer.value)) return { ok: true, value: { pages: read, isComplete: true } };
    } while (cursor !== '' && read.length < pages);
    return { ok: true, value: { pages: read, isComplete: cursor === '' } };
  }

  async #ask(method: string, args: JsonObject): Promise<SlackAnswer> {
    try {
      const result: unknown = await this.#client.apiCall(method, args);
      return isJsonObject(result)
        ? { ok: true, value: result }
        : no(unreachable('Slack answered with no object.', true));
    } catch (error) {
      return no(failureOf(method, error));
    }
  }
}

/** The options of both client libraries: they do not retry and do not log, and every request has an end. */
export function clientOptions({
  apiRoot,
  closing,
  mayAct,
}: Pick<SlackApiSettings, 'apiRoot' | 'closing' | 'mayAct'>): WebClientOptions & { readonly logger: Logger } {
  return {
    ...(apiRoot !== undefined && { slackApiUrl: apiRoot }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: SILENT,
    fetch: async (url, init) => {
      requireAccount(mayAct);
      return boundedFetch(url, init, closing);
    },
  };
}

/** Reads the whole answer within the limit, so that a server that stops in the middle does not hold the request. */
async function boundedFetch(
  url: string | URL | Request,
  init: RequestInit | undefined,
  closing: AbortSignal,
): Promise<Response> {
  const limit = timeLimit(REQUEST_LIMIT_MS, timedOut, closing);
  try {
    const response = await fetch(url, { ...init, signal: limit.signal });
    const bytes = await readBounded(response, MAX_ANSWER_BYTES);
    if (!bytes) throw new Error('the answer is too large');
    return new Response(Buffer.from(bytes), { status: response.status, headers: withoutEncoding(response.headers) });
  } finally {
    limit.clear();
  }
}

/** The bytes of a body; undefined when there are more than allowed. */
export async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function timedOut(): Error {
  return Object.assign(new Error('Slack did not answer in time.'), { name: 'TimeoutError' });
}

/** The body was unpacked when it was read. */
function withoutEncoding(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete('content-encoding');
  kept.delete('content-length');
  return kept;
}

function nextCursorOf({ response_metadata }: JsonObject): string {
  const cursor = isJsonObject(response_metadata) ? response_metadata.next_cursor : undefined;
  return typeof cursor === 'string' ? cursor : '';
}

/** The request itself goes on until its limit; the caller learns that nothing is known of it. */
function unlessCancelled(asking: Promise<SlackAnswer>, signal: AbortSignal | undefined): Promise<SlackAnswer> {
  if (!signal) return asking;
  return new Promise((resolve) => {
    const end = () => resolve(no(unreachable('It was cancelled before Slack answered.', true)));
    signal.addEventListener('abort', end, { once: true });
    void asking.then((answer) => {
      signal.removeEventListener('abort', end);
      resolve(answer);
    });
  });
}

function no(failure: SlackFailure): { readonly ok: false; readonly failure: SlackFailure } {
  return { ok: false, failure };
}

/** The library writes addresses and answers into its log; what the operator needs is in the state of the account. */
const SILENT: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};
