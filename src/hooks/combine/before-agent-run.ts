// The gate before the model: its answer is `pass` or `block`. An answer in any other form is an error, and the gate
// then refuses, because a guard that is misunderstood must not let the message through.

import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { type AnswerFields, plainCopy } from './answer-shape.ts';
import { strictest } from './combinators.ts';
import type { Asked, Combined } from './combine.ts';

const LEVELS = ['pass', 'block'] as const;
const BLOCK_FIELDS = ['outcome', 'reason', 'message', 'category', 'metadata'];

export function combineAgentRun(before: AnswerFields, answer: unknown, _asked: Asked): Combined {
  if (answer === undefined) return { result: before };
  const decision = decisionOf(answer);
  if (!decision) throw new InvalidHandlerResult('answered with neither a pass nor a block that has a reason');
  const outcome = strictest(LEVELS, before.outcome as 'pass' | undefined, decision.outcome);
  // Of several that let it pass, the first one is named.
  if (outcome !== 'block') return { result: { outcome }, decides: before.outcome === undefined };
  return { result: decision, decides: true, ends: true, refusal: String(decision.reason) };
}

function decisionOf(answer: unknown): (AnswerFields & { readonly outcome: 'pass' | 'block' }) | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined;
  const { outcome, ...rest } = plainCopy(answer, 'decision') as AnswerFields;
  if (outcome === 'pass') return Object.keys(rest).length === 0 ? { outcome } : undefined;
  if (outcome !== 'block' || !isText(rest.reason)) return undefined;
  if (Object.keys(rest).some((key) => !BLOCK_FIELDS.includes(key))) return undefined;
  if (rest.message !== undefined && !isText(rest.message)) return undefined;
  if (rest.category !== undefined && !isText(rest.category)) return undefined;
  const { metadata } = rest;
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  return metadata === undefined || isObject ? { outcome, ...rest } : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
