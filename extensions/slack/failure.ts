// What Slack answers when it does not do what it was asked, as a value with a sentence. The sentence has Slack's own word
// for the error and never a token or the words of a message.

import { ErrorCode } from '@slack/web-api';
import type { SendOutcome } from '../../src/channels/channel.ts';
import type { ActionOutcome } from '../../src/channels/channel-capabilities.ts';
import { NEVER_LEFT } from '../../src/channels/never-left.ts';

export type SlackFailure =
  /** Slack asked to wait. */
  | { readonly kind: 'limited'; readonly method: string; readonly afterMs: number }
  /** No answer, or an answer that says nothing about the request. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly mayHaveArrived: boolean }
  | {
      readonly kind: 'refused';
      readonly method: string;
      /** Slack's word for it, such as `channel_not_found`. */
      readonly error: string;
      /** The scope that is missing, when that is the error. */
      readonly needed?: string | undefined;
    };

/** Slack's words for "try again", under which the request may have been done in part. */
const PASSING: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

/** Reads what the client library throws. */
export function failureOf(method: string, error: unknown): SlackFailure {
  const thrown = (typeof error === 'object' && error !== null ? error : {}) as ThrownError;
  switch (thrown.code) {
    case ErrorCode.RateLimitedError:
      return { kind: 'limited', method, afterMs: Math.max(1, thrown.retryAfter ?? 1) * 1_000 };
    case ErrorCode.PlatformError: {
      const word = /^[\w.-]{1,80}$/.exec(String(thrown.data?.error))?.[0] ?? 'unknown_error';
      if (word === 'ratelimited') return { kind: 'limited', method, afterMs: 1_000 };
      if (PASSING.has(word)) return unreachable(`Slack answered ${word}.`, true);
      const { needed } = thrown.data ?? {};
      return { kind: 'refused', method, error: word, ...(typeof needed === 'string' && { needed }) };
    }
    case ErrorCode.HTTPError: {
      const status = thrown.statusCode ?? 0;
      if (status >= 500) return unreachable(`Slack answered with the HTTP status ${status}.`, true);
      return { kind: 'refused', method, error: `HTTP status ${status}` };
    }
    case ErrorCode.RequestError: {
      const code = networkCode(thrown.original);
      return unreachable(`Slack could not be reached (${code}).`, !NEVER_LEFT.has(code));
    }
    default:
      return unreachable('Slack gave no answer that could be read.', true);
  }
}

export function sentenceOf(failure: SlackFailure): string {
  switch (failure.kind) {
    case 'limited':
      return `Slack asks to wait ${Math.ceil(failure.afterMs / 1_000)} s before the next ${failure.method}.`;
    case 'unreachable':
      return failure.reason;
    case 'refused': {
      const scope = failure.needed === undefined ? '' : `; the scope ${failure.needed} is missing`;
      return `Slack refused ${failure.method}: ${failure.error}${scope}.`;
    }
  }
}

export function asSendOutcome(failure: SlackFailure): SendOutcome {
  const reason = sentenceOf(failure);
  if (failure.kind === 'limited') return { outcome: 'retry', reason, afterMs: failure.afterMs };
  if (failure.kind === 'refused') return { outcome: 'failed', reason };
  return { outcome: 'retry', reason, ...(failure.mayHaveArrived && { mayHaveArrived: true }) };
}

export function asActionOutcome<Value>(failure: SlackFailure): ActionOutcome<Value> {
  return { outcome: failure.kind === 'refused' ? 'failed' : 'retry', reason: sentenceOf(failure) };
}

export function unreachable(reason: string, mayHaveArrived: boolean): SlackFailure {
  return { kind: 'unreachable', reason, mayHaveArrived };
}

interface ThrownError {
  readonly code?: string;
  readonly retryAfter?: number;
  readonly statusCode?: number;
  readonly data?: { readonly error?: unknown; readonly needed?: unknown };
  readonly original?: unknown;
}

/** `fetch failed` says nothing; the code stands in one of its causes. */
function networkCode(error: unknown): string {
  let at = error as { readonly code?: unknown; readonly name?: unknown; readonly cause?: unknown } | undefined;
  for (let depth = 0; at && depth < 5; depth += 1) {
    if (typeof at.code === 'string') return at.code;
    if (at.name === 'TimeoutError') return 'no answer in time';
    at = at.cause as typeof at;
  }
  return 'no connection';
}
