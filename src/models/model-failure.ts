// Turns everything that can go wrong with a model call into a ModelFailure: its kind, whether another attempt can help,
// and one line for people. Texts of providers are not trusted and may repeat a key, so every message is bounded, has no
// control characters, and is redacted. This file knows no sockets.

import { isJsonObject } from '../protocol/json.ts';
import { errorText, oneLine } from '../protocol/one-line.ts';
import { shownUrl } from '../protocol/shown-url.ts';
import type { ModelFailure } from './model.ts';

/** The provider and model that are called, and the secrets that no message may contain. */
export interface FailureContext {
  readonly provider: string;
  /** The values of headers that carry keys. */
  readonly secrets: readonly string[];
}

/** An answer that is neither a stream of events nor an answer in one piece: an error status, or a success in another form. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body. */
  readonly body: string;
  /** The time in milliseconds. It is needed because a `retry-after` may be a date. */
  readonly now: number;
}

export function responseFailure(response: RefusedResponse, context: FailureContext): ModelFailure {
  const { status, headers, body } = response;
  const told = readBody(body);
  const isPage = /^\s*<(?:!doctype|html)/i.test(body);
  if (status < 300) {
    if (told.isError) return { ...errorFailure(told, context), status };
    if (isPage)
      return failure('malformed', `${context.provider} answered with a web page. Check its baseUrl.`, context, {
        status,
      });
    if (!told.isJson) return { ...malformedFailure('sent an answer that is no whole JSON', context), status };
    const words = told.message === '' ? '' : `: ${told.message.replace(/[.\s]+$/, '')}`;
    const sentence = `${context.provider} answered with something else than an answer${words}. Check its baseUrl.`;
    return failure('malformed', sentence, context, { status });
  }
  if (status < 400) {
    const location = headers.location && shownUrl(headers.location);
    const target = location ? ` to ${location}` : '';
    return failure(
      'bad-request',
      `${context.provider} redirects${target}. Put the final address into its baseUrl.`,
      context,
      { status },
    );
  }
  const kind = kindOfStatus(status, told);
  return failure(
    kind,
    `${context.provider} answered ${status}${isPage || !told.message ? '' : `: ${told.message}`}`,
    context,
    {
      status,
      retryAfterMs: retryAfterMs(headers, response.now),
      retryable: isRetryable(kind, told),
    },
  );
}

/** Makes the failure for an error that the provider sent inside a stream that had begun well. */
export function streamErrorFailure(error: unknown, context: FailureContext): ModelFailure {
  return errorFailure(readError(error), context);
}

export function networkFailure(error: unknown, context: FailureContext): ModelFailure {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const reason = typeof code === 'string' ? (NETWORK_REASONS[code] ?? code) : String(message ?? 'it failed');
  return failure('network', `${context.provider} cannot be reached: ${reason}`, context);
}

/** Makes the failure for a connection that ended before the answer did. */
export function cutFailure(context: FailureContext): ModelFailure {
  return failure('network', `The connection to ${context.provider} ended in the middle of the answer`, context);
}

export function timeoutFailure(silentMs: number, context: FailureContext): ModelFailure {
  return failure('timeout', `${context.provider} was silent for ${silentMs / 1000} seconds`, context);
}

export function malformedFailure(what: string, context: FailureContext): ModelFailure {
  return failure('malformed', `${context.provider} ${what}`, context);
}

/** Makes the failure for errors of unknown kinds, so that a stream does not have to throw. */
export function unknownFailure(error: unknown, context: FailureContext): ModelFailure {
  const message = errorText(error);
  return failure('unknown', `The call to ${context.provider} failed: ${message}`, context);
}

export function badRequestFailure(message: string, context: FailureContext): ModelFailure {
  return failure('bad-request', message, context);
}

type FailureKind = ModelFailure['kind'];

const RETRYABLE: ReadonlySet<FailureKind> = new Set([
  'rate-limit',
  'overloaded',
  'network',
  'timeout',
  'malformed',
  'server',
]);

/** An account without credit has none a second later either. */
function isRetryable(kind: FailureKind, { code, type }: ToldError): boolean {
  return RETRYABLE.has(kind) && code !== 'insufficient_quota' && type !== 'insufficient_quota';
}

const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  EPIPE: 'the connection was closed (EPIPE)',
  ENOTFOUND: 'its name is not known (ENOTFOUND)',
  EAI_AGAIN: 'its name could not be looked up (EAI_AGAIN)',
  ETIMEDOUT: 'the connection timed out (ETIMEDOUT)',
  EHOSTUNREACH: 'there is no way to it (EHOSTUNREACH)',
};

/** A longer message of a provider does not help a reader. */
const LONGEST_MESSAGE = 300;

/** Words of a provider that are no failure, in the form in which they may be kept and shown. */
export function shownWords(words: string, { secrets }: FailureContext): string {
  return oneLine(redact(words, secrets), LONGEST_MESSAGE);
}

function failure(
  kind: FailureKind,
  message: string,
  context: FailureContext,
  facts: Partial<Pick<ModelFailure, 'status' | 'retryAfterMs' | 'retryable'>> = {},
): ModelFailure {
  const { status, retryAfterMs, retryable = RETRYABLE.has(kind) } = facts;
  return {
    kind,
    message: oneLine(redact(message, context.secrets), LONGEST_MESSAGE),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    retryable,
  };
}

interface ToldError {
  readonly isJson: boolean;
  readonly isError: boolean;
  readonly message: string;
  readonly type: string;
  readonly code: string;
}

function readBody(body: string): ToldError {
  try {
    const value: unknown = JSON.parse(body);
    const isError = isJsonObject(value) && value.error != null;
    if (typeof value === 'object') return readError(isError ? value.error : value, isError);
  } catch {
    // Many error bodies are plain text, and long ones were cut before.
  }
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,1000})/.exec(body)?.[1] ?? body;
  return { isJson: false, isError: false, message, type: '', code: '' };
}

function readError(error: unknown, isError = true): ToldError {
  const { type, code }: Record<string, unknown> = isJsonObject(error) ? error : {};
  return { isJson: true, isError, message: reasonIn(error), type: text(type), code: text(code) };
}

/**
 * The words of an error in any of the shapes that servers give it: a text, an object with a message, or a list of what
 * is wrong with which field.
 */
export function reasonIn(error: unknown, depth = 0): string {
  if (depth > DEEPEST_REASON) return '';
  if (Array.isArray(error)) {
    const reasons = error.slice(0, MOST_REASONS).map((each) => reasonIn(each, depth + 1));
    return reasons.filter((reason) => reason !== '').join('; ');
  }
  if (!isJsonObject(error)) return text(error);
  const { message, detail, msg, loc } = error;
  const reason = [message, detail, msg].map((each) => reasonIn(each, depth + 1)).find((each) => each !== '') ?? '';
  return reason !== '' && Array.isArray(loc) ? `${loc.map(text).join('.')}: ${reason}` : reason;
}

const DEEPEST_REASON = 3;
const MOST_REASONS = 5;

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function errorFailure(told: ToldError, context: FailureContext): ModelFailure {
  const kind = kindOfError(told);
  return failure(
    kind,
    `${context.provider} reported an error: ${told.message || told.type || told.code || 'no reason given'}`,
    context,
    { retryable: isRetryable(kind, told) },
  );
}

function kindOfStatus(status: number, told: ToldError): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limit';
  if (status === 503 || status === 529) return 'overloaded';
  if (status === 413 || isContextLength(told)) return 'context-length';
  return status >= 500 || status === 409 ? 'server' : 'bad-request';
}

/** Proxies report the status of the provider behind them as the code of an error. */
function kindOfError(told: ToldError): FailureKind {
  if (/^[45]\d\d$/.test(told.code)) return kindOfStatus(Number(told.code), told);
  const name = `${told.type} ${told.code}`;
  if (/overloaded/.test(name)) return 'overloaded';
  if (/rate_limit|insufficient_quota/.test(name)) return 'rate-limit';
  if (/authentication|permission|invalid_api_key|billing/.test(name)) return 'auth';
  if (/timeout/.test(name)) return 'timeout';
  if (isContextLength(told) || /request_too_large/.test(name)) return 'context-length';
  return /invalid_request|not_found/.test(name) ? 'bad-request' : 'server';
}

const CONTEXT_LENGTH =
  /context[_ -]?(?:length|window|limit|size)|maximum context|(?:prompt|input|request) is too long|too many (?:input )?tokens|reduce the length/i;

function isContextLength({ code, type, message }: ToldError): boolean {
  return CONTEXT_LENGTH.test(`${code} ${type} ${message}`);
}

function retryAfterMs(headers: RefusedResponse['headers'], now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const given = headers['retry-after']?.trim();
  if (!given) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(given)) return Math.ceil(Number(given) * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Text that looks like a key is removed too, because a provider may repeat a key that is not ours. */
function redact(message: string, secrets: readonly string[]): string {
  let safe = message;
  for (const secret of secrets) {
    if (secret.length >= 4) safe = safe.replaceAll(secret, '[redacted]');
  }
  return safe
    .replace(/\b(?:sk|pk|rk|key|xai|gsk)[-_](?=[\w.-]*[\d*])[\w*.-]{8,}/gi, '[redacted]')
    .replace(/\b(Bearer|Basic)\s+[\w*.~+/=-]{6,}/gi, '$1 [redacted]')
    .replace(/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1[redacted]@');
}
