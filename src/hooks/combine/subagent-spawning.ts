// Whether a child may be spawned. Every handler is asked, and the first error refuses. Otherwise the thread is ready
// when at least one handler made it ready, and the first origin is used.

import type { AnswerFields } from './answer-shape.ts';
import { answerFieldsOf, fieldOf } from './answer-shape.ts';
import { first, strictest } from './combinators.ts';
import type { Asked, Combined } from './combine.ts';

const LEVELS = ['ok', 'error'] as const;

export function combineSubagentSpawning(before: AnswerFields, answer: unknown, { owner }: Asked): Combined {
  const given = answerFieldsOf(answer);
  if (!given) return { result: before };
  const status = given.status === 'error' ? 'error' : 'ok';
  const earlier = before.status as 'ok' | 'error' | undefined;
  if (strictest(LEVELS, earlier, status) === 'error') {
    if (earlier === 'error') return { result: before };
    const error = String(fieldOf(given, 'error') ?? `Refused by ${owner}.`);
    return { result: { status, error }, decides: true, refusal: error };
  }
  const deliveryOrigin = first(before.deliveryOrigin, fieldOf(given, 'deliveryOrigin'));
  return {
    result: {
      status,
      threadBindingReady: before.threadBindingReady === true || fieldOf(given, 'threadBindingReady') === true,
      ...(deliveryOrigin === undefined ? {} : { deliveryOrigin }),
    },
    decides: before.deliveryOrigin === undefined && deliveryOrigin !== undefined,
  };
}
