// Describes how a handler failed, as data. A handler may throw any value, and even reading that value may throw again.

import { type HandlerOutcome, InvalidHandlerResult } from '../protocol/handler.ts';
import { oneLine } from '../protocol/one-line.ts';
import { DeadlineExceeded } from './deadline.ts';

export interface HandlerFailure {
  readonly outcome: Exclude<HandlerOutcome, 'done'>;
  /** One line of bounded length: a handler's error text is untrusted and is shown in reports and terminals. */
  readonly error: string;
  /** The error repeats nothing that somebody said. */
  readonly isOwnWords?: boolean | undefined;
}

export function handlerFailureOf(error: unknown): HandlerFailure {
  // The contract wants the first 500 characters without a mark, so the mark of a longer text is cut off again.
  const text = oneLine(error, LONGEST_ERROR + 1).slice(0, LONGEST_ERROR);
  return { outcome: outcomeOf(error), error: text || 'an error that cannot be shown' };
}

const LONGEST_ERROR = 500;

/** The reason is in our words, because people and models read it; the text that a handler threw is for the operator. */
export function refusalReason(who: FailedHandler, { outcome }: Pick<HandlerFailure, 'outcome'>): string {
  const what = {
    threw: 'it threw an error',
    'timed-out': `it did not answer within ${who.timeoutMs} ms`,
    invalid: 'its answer made no sense',
  }[outcome];
  return `The handler ${who.id} of ${who.owner} on ${who.hook} failed: ${what}. What it guards stays closed.`;
}

/** The same for a handler that is suspended. */
export function suspendedReason(who: FailedHandler): string {
  return `The handler ${who.id} of ${who.owner} on ${who.hook} is suspended. What it guards stays closed.`;
}

export interface FailedHandler {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  readonly timeoutMs: number;
}

function outcomeOf(error: unknown): HandlerFailure['outcome'] {
  try {
    if (error instanceof DeadlineExceeded) return 'timed-out';
    return error instanceof InvalidHandlerResult ? 'invalid' : 'threw';
  } catch {
    return 'threw';
  }
}
