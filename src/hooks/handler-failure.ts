// How a handler failed, in data. What a handler throws may be anything at all, and looking at it may throw again.

import { type HandlerOutcome, InvalidHandlerResult } from '../protocol/handler.ts';
import { oneLine } from '../protocol/one-line.ts';
import { DeadlineExceeded } from './deadline.ts';

export interface HandlerFailure {
  readonly outcome: Exclude<HandlerOutcome, 'done'>;
  /** One line, bounded: a handler's error text is untrusted and ends up in reports and terminals. */
  readonly error: string;
}

export function handlerFailureOf(error: unknown): HandlerFailure {
  // The contract has the first 500 characters without a mark, so that the mark of a longer text is cut off again.
  const text = oneLine(error, LONGEST_ERROR + 1).slice(0, LONGEST_ERROR);
  return { outcome: outcomeOf(error), error: text || 'an error that cannot be shown' };
}

const LONGEST_ERROR = 500;

/** In our words: people and models read this, and what a handler throws is for the operator. */
export function refusalReason(who: FailedHandler, { outcome }: Pick<HandlerFailure, 'outcome'>): string {
  const what = {
    threw: 'it threw an error',
    'timed-out': `it did not answer within ${who.timeoutMs} ms`,
    invalid: 'its answer made no sense',
  }[outcome];
  return `The handler ${who.id} of ${who.owner} on ${who.hook} failed: ${what}. What it guards stays closed.`;
}

/** The same for a handler that is not called any more. */
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
