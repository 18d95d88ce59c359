// Checks a handler's answer field by field and copies it, so that later changes to the handler's own object have no
// effect. A handler's answer is untrusted: reading it may throw, and its types may be wrong.

import { InvalidHandlerResult } from '../../protocol/handler.ts';

/** The fields of an answer, or of several answers combined. */
export type AnswerFields = Readonly<Record<string, unknown>>;

type Shape = 'text' | 'object' | 'list' | 'flag';

/** A field has the same shape in every hook that has it. */
const SHAPES: Readonly<Record<string, Shape>> = {
  prependContext: 'text',
  appendContext: 'text',
  systemPrompt: 'text',
  prependSystemContext: 'text',
  appendSystemContext: 'text',
  modelOverride: 'text',
  providerOverride: 'text',
  content: 'text',
  text: 'text',
  reason: 'text',
  blockReason: 'text',
  cancelReason: 'text',
  error: 'text',
  params: 'object',
  message: 'object',
  payload: 'object',
  metadata: 'object',
  retry: 'object',
  requireApproval: 'object',
  origin: 'object',
  deliveryOrigin: 'object',
  reply: 'object',
  findings: 'list',
  block: 'flag',
  cancel: 'flag',
  threadBindingReady: 'flag',
};

/** Undefined means that the handler gave no answer; an answer that is not an object is invalid. */
export function answerFieldsOf(answer: unknown): AnswerFields | undefined {
  if (answer === undefined || answer === null) return undefined;
  const odd = typeof answer !== 'object' ? typeof answer : Array.isArray(answer) ? 'list' : builtInName(answer);
  if (odd !== undefined) throw new InvalidHandlerResult(`answered with a ${odd}, not with an object`);
  return answer as AnswerFields;
}

/** Objects that have no fields of their own, so that an answer in one of them would look like no answer. */
const FIELDLESS = [Map, Set, WeakMap, WeakSet, Date, RegExp, Error, ArrayBuffer] as const;

function builtInName(answer: object): string | undefined {
  if (Object.getPrototypeOf(answer) === Object.prototype) return undefined;
  if (ArrayBuffer.isView(answer)) return 'list of bytes';
  return FIELDLESS.find((each) => answer instanceof each)?.name;
}

/** The shape that a field must have; undefined where any value is allowed. */
export function shapeOfField(field: string): Shape | undefined {
  return SHAPES[field];
}

/** The handler's value for one field, checked and copied. Null means the same as undefined. */
export function fieldOf(answer: AnswerFields, field: string, shape = shapeOfField(field)): unknown {
  const value = answer[field];
  if (value === undefined || value === null) return undefined;
  if (shape !== undefined && shape !== shapeOf(value)) {
    throw new InvalidHandlerResult(`answered with a ${field} that is no ${shape}`);
  }
  return shape === 'object' || shape === 'list' ? plainCopy(value, field) : value;
}

/** A copy with JSON values only, because answers are stored, journalled and sent. */
export function plainCopy<Value>(value: Value, what: string): Value {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    throw new InvalidHandlerResult(`answered with a ${what} that cannot be written as JSON`);
  }
  const copy = text === undefined ? undefined : JSON.parse(text);
  if (shapeOf(copy) !== shapeOf(value)) {
    throw new InvalidHandlerResult(`answered with a ${what} that cannot be written as JSON`);
  }
  return copy;
}

function shapeOf(value: unknown): Shape | undefined {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'flag';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'object' : undefined;
}
