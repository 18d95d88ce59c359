// How a handler failed, in data. What a handler throws may be anything at all, and looking at it may throw again.

import { type HandlerOutcome, InvalidHandlerResult } from '../protocol/handler.ts';
import { DeadlineExceeded } from './deadline.ts';

export interface HandlerFailure {
  readonly outcome: Exclude<HandlerOutcome, 'done'>;
  /** One line, bounded: a handler's error text is untrusted and ends up in reports and terminals. */
  readonly error: string;
}

export function handlerFailureOf(error: unknown): HandlerFailure {
  return { outcome: outcomeOf(error), error: messageOf(error) };
}

function outcomeOf(error: unknown): HandlerFailure['outcome'] {
  try {
    if (error instanceof DeadlineExceeded) return 'timed-out';
    return error instanceof InvalidHandlerResult ? 'invalid' : 'threw';
  } catch {
    return 'threw';
  }
}

function messageOf(error: unknown): string {
  let text: string;
  try {
    text = String(error instanceof Error ? error.message : error);
  } catch {
    text = 'an error that cannot be shown';
  }
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 500);
}
