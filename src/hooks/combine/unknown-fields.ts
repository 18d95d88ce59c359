// The fields of an answer that its hook does not know, such as `blok` for `block`. Plugins answer with the whole event, or
// with fields of newer versions, so an unknown field alone is only told. At a gate it may be a decision that was
// misspelt; there an answer that decides nothing else, or that nearly names a known field, is invalid.

import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { HookRow } from '../catalog.ts';
import type { AnswerFields } from './answer-shape.ts';

/** Fields that the runner fills in itself, and the context that it adds to an event. */
const ALWAYS_KNOWN = ['alsoAsked', 'retryCandidates', 'context'];
/** The fields that decide at a gate; the others only explain. */
const DECIDING = [
  'block',
  'requireApproval',
  'params',
  'outcome',
  'cancel',
  'content',
  'findings',
  'message',
  'payload',
  'text',
  'handled',
];

/** Throws InvalidHandlerResult at a gate. */
export function unknownFields(
  { combine }: HookRow,
  event: AnswerFields,
  answer: unknown,
  isGate: boolean,
): readonly string[] {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return NONE;
  let unknown: string[] | undefined;
  for (const field in answer) {
    if (!Object.hasOwn(answer, field)) continue;
    if (Object.hasOwn(combine, field) || Object.hasOwn(event, field) || ALWAYS_KNOWN.includes(field)) continue;
    unknown = [...(unknown ?? []), field];
  }
  if (!unknown) return NONE;
  const [first = ''] = unknown;
  if (!isGate) return unknown;
  const known = Object.keys(combine);
  const meant = unknown.map((field) => nearMatch(field, known)).find((field) => field !== undefined);
  const decides = DECIDING.some((field) => (answer as AnswerFields)[field] !== undefined);
  if (decides && meant === undefined) return unknown;
  const hint = meant === undefined ? '' : `; did it mean ${meant}?`;
  throw new InvalidHandlerResult(`answered with the unknown field ${first.slice(0, 100)}${hint}`);
}

const NONE: readonly string[] = Object.freeze([]);
