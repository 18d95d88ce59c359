// Decides what happens to a final answer: `finalize` wins over `revise`, and `revise` over `continue`. Every handler is
// asked. The reasons of all handlers that want a revision are joined, and every retry is kept, so that the run can try
// the next one when one is used up.

import { InvalidHandlerResult } from '../../protocol/handler.ts';
import type { FinalizeRetry } from '../agent-hooks.ts';
import { type AnswerFields, answerFieldsOf, fieldOf } from './answer-shape.ts';
import { collect, strictest } from './combinators.ts';
import type { Asked, Combined } from './combine.ts';

const LEVELS = ['continue', 'revise', 'finalize'] as const;
type Action = (typeof LEVELS)[number];

export function combineAgentFinalize(before: AnswerFields, answer: unknown, _asked: Asked): Combined {
  const given = answerFieldsOf(answer);
  if (!given) return { result: before };
  const action = actionOf(given);
  const reason = fieldOf(given, 'reason');
  const earlier = before.action as Action | undefined;
  if (action === undefined) return { result: earlier === undefined && reason !== undefined ? { reason } : before };

  const winner = strictest(LEVELS, earlier, action);
  // An earlier, stricter answer is kept; of two answers that force the end, the first is kept.
  if (winner !== action || (earlier === 'finalize' && action === 'finalize')) return { result: before };
  if (action !== 'revise') return { result: reason === undefined ? { action } : { action, reason }, decides: true };

  const revision = earlier === 'revise' ? before : {};
  const retry = retryOf(given);
  const candidates = [...((revision.retryCandidates as FinalizeRetry[] | undefined) ?? []), ...(retry ? [retry] : [])];
  return {
    result: {
      ...revision,
      action,
      ...(collect(revision.reason, reason) === undefined ? {} : { reason: collect(revision.reason, reason) }),
      ...(candidates.length === 0 ? {} : { retry: candidates[0], retryCandidates: candidates }),
    },
    decides: earlier !== 'revise',
  };
}

function actionOf(given: AnswerFields): Action | undefined {
  const { action } = given;
  if (action === undefined || action === null) return undefined;
  const known = LEVELS.find((level) => level === action);
  if (!known) throw new InvalidHandlerResult('answered with an action that is neither continue, revise nor finalize');
  return known;
}

/** A retry without an instruction is ignored. */
function retryOf(given: AnswerFields): FinalizeRetry | undefined {
  const retry = fieldOf(given, 'retry') as Partial<FinalizeRetry> | undefined;
  if (typeof retry?.instruction !== 'string' || retry.instruction.trim() === '') return undefined;
  const { idempotencyKey, maxAttempts } = retry;
  return {
    instruction: retry.instruction.trim(),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    ...(typeof maxAttempts === 'number' && Number.isFinite(maxAttempts) ? { maxAttempts } : {}),
  };
}
