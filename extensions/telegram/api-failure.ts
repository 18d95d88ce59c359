// What went wrong with a request to Telegram, in the few kinds that the channel tells apart. The words are Telegram's own
// where it has answered. No address is ever shown, because the token is a part of every address.

import { GrammyError, HttpError } from 'grammy/web';
import { ANOTHER_NODE } from '../../src/channels/require-account.ts';
import { oneLine } from '../../src/protocol/one-line.ts';

export type ApiFailure =
  /** The token is wrong or was taken back. */
  | { readonly kind: 'revoked'; readonly words: string }
  /** Another program fetches the updates of this bot, or they go to a webhook. */
  | { readonly kind: 'conflict'; readonly words: string }
  | { readonly kind: 'limited'; readonly words: string; readonly afterMs: number }
  /** The group has become a supergroup with this id. */
  | { readonly kind: 'moved'; readonly words: string; readonly chatId: number }
  | { readonly kind: 'refused'; readonly words: string }
  /** Telegram did not answer, or not in its own form. */
  | { readonly kind: 'unreachable'; readonly words: string; readonly mayHaveArrived: boolean };

/** With these, the request has not left this machine. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  ANOTHER_NODE,
]);

export function readApiFailure(error: unknown): ApiFailure {
  if (error instanceof GrammyError) return readRefusal(error);
  const cause: unknown = error instanceof HttpError ? error.error : error;
  if (cause instanceof SyntaxError) {
    return { kind: 'unreachable', words: 'Telegram did not answer in its own form', mayHaveArrived: true };
  }
  const code = codeOf(cause);
  if (code !== undefined && NOT_SENT.has(code)) {
    return { kind: 'unreachable', words: `Telegram could not be reached (${code})`, mayHaveArrived: false };
  }
  const words = code === undefined ? 'Telegram did not answer' : `The connection to Telegram broke (${code})`;
  return { kind: 'unreachable', words, mayHaveArrived: true };
}

/** Whether Telegram refused the markup of a text, or the length that the markup gave it. */
export function isMarkupRefused(error: unknown): boolean {
  return isRefusal(error, /can't parse entities|is too long|text is empty|must be non-empty/i);
}

export function isRefusal(error: unknown, words: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && words.test(error.description);
}

function readRefusal({ error_code: status, description, parameters, method }: GrammyError): ApiFailure {
  const words = withoutToken(oneLine(description.replace(/^(Bad Request|Forbidden|Conflict|Unauthorized): /, '')));
  // Telegram answers 404 to a token that it cannot read at all.
  if (status === 401 || (status === 404 && method === 'getMe')) return { kind: 'revoked', words };
  if (status === 409) return { kind: 'conflict', words };
  if (status === 429) return { kind: 'limited', words, afterMs: Math.max(1, parameters.retry_after ?? 1) * 1_000 };
  if (parameters.migrate_to_chat_id !== undefined) {
    return { kind: 'moved', words, chatId: parameters.migrate_to_chat_id };
  }
  if (status >= 500) return { kind: 'unreachable', words: `Telegram has a problem: ${words}`, mayHaveArrived: true };
  return { kind: 'refused', words };
}

/** A failed request names the cause of its failure in its own cause. */
function codeOf(error: unknown): string | undefined {
  for (let each = error, depth = 0; typeof each === 'object' && each !== null && depth < 4; depth++) {
    const { code, cause } = each as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string') return code.slice(0, 40);
    each = cause;
  }
  return undefined;
}

/** A safeguard: Telegram does not repeat a token, but something between might. */
function withoutToken(words: string): string {
  return words.replace(/\d+:[\w-]{10,}/g, '<token>');
}
