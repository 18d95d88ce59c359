// Combines the answers of several handlers into one result, field by field, as the catalog's row says. The functions
// are pure: the result depends on the answers and their order, never on time. A hook whose fields depend on each other
// has a file of its own beside this one.

import { InvalidHandlerResult } from '../../protocol/handler.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from '../catalog.ts';
import { readAnsweredMessage } from '../hook-message.ts';
import { type AnswerFields, answerFieldsOf, fieldOf, plainCopy, shapeOfField } from './answer-shape.ts';
import { combineAgentFinalize } from './before-agent-finalize.ts';
import { combineAgentRun } from './before-agent-run.ts';
import { combineToolCall } from './before-tool-call.ts';
import { chain, chainedEvent, collect, first, isClaim } from './combinators.ts';
import { combineSubagentSpawning } from './subagent-spawning.ts';

/** Takes the result so far and one more answer. Throws InvalidHandlerResult when the answer is not valid. */
export type Combine = (before: AnswerFields, answer: unknown, asked: Asked) => Combined;

export interface Asked {
  readonly owner: string;
  /** The event as this handler saw it. */
  readonly event: AnswerFields;
}

export interface Combined {
  readonly result: AnswerFields;
  /** So far, this handler is the one that decided. */
  readonly decides?: boolean | undefined;
  /** No handler after this one is asked. */
  readonly ends?: boolean | undefined;
  /** The decision is a refusal, and this is its reason. */
  readonly refusal?: string | undefined;
  /**
   * The parts of the result that this handler wrote: its part of collected fields, and the fields that it was the first
   * to set.
   */
  readonly contributed?: AnswerFields | undefined;
}

export function combineOf(hook: HookName): Combine {
  const known = combines.get(hook);
  if (known) return known;
  const combine = SPECIAL[hook] ?? combineByRow(HOOK_CATALOG[hook]);
  combines.set(hook, combine);
  return combine;
}

const combines = new Map<HookName, Combine>();

/** The event that the next handler sees, computed from the result so far. */
export function nextEventOf(hook: HookName, event: AnswerFields, result: AnswerFields): AnswerFields {
  const fields = chainedFieldsOf(hook);
  return fields.length === 0 ? event : chainedEvent(event, result, fields, CHAINED_INTO[hook]);
}

/** The value of a field before this answer: for a field that travels in the event, the value that the handler saw. */
export function earlierValueOf(hook: HookName, field: string, { event, before }: Earlier): unknown {
  if (!chainedFieldsOf(hook).includes(field)) return before[field];
  return event[CHAINED_INTO[hook]?.[field]?.[0] ?? field];
}

export interface Earlier {
  readonly event: AnswerFields;
  readonly before: AnswerFields;
}

function chainedFieldsOf(hook: HookName): readonly string[] {
  const known = chainedFields.get(hook);
  if (known) return known;
  const { combine }: HookRow = HOOK_CATALOG[hook];
  const fields = Object.keys(combine).filter((field) => combine[field] === 'chain');
  chainedFields.set(hook, fields);
  return fields;
}

const chainedFields = new Map<HookName, readonly string[]>();

/** The result of a gate that refuses, so that a caller which reads only the result is refused too. */
export function refusedResult(hook: HookName, before: AnswerFields, reason: string): AnswerFields {
  const { combine }: HookRow = HOOK_CATALOG[hook];
  if (combine.outcome) return { outcome: 'block', reason };
  if (combine.cancel) return { ...before, cancel: true, cancelReason: reason };
  return { ...before, block: true, blockReason: reason };
}

const SPECIAL: { readonly [Hook in HookName]?: Combine } = {
  before_agent_run: combineAgentRun,
  before_agent_finalize: combineAgentFinalize,
  before_tool_call: combineToolCall,
  before_message_write: combineMessageWrite,
  subagent_spawning: combineSubagentSpawning,
};

const CHAINED_INTO: { readonly [Hook in HookName]?: Readonly<Record<string, readonly string[]>> } = {
  before_dispatch: { text: ['content', 'body'] },
};

const writeMessage = combineByRow(HOOK_CATALOG.before_message_write);

/** A message that one handler keeps out is not written, even when others rewrote it; any true value keeps it out. */
function combineMessageWrite(before: AnswerFields, answer: unknown, asked: Asked): Combined {
  const fields = answerFieldsOf(answer);
  if (!fields?.block) return writeMessage(before, fields && { message: fields.message }, asked);
  return { result: { block: true }, decides: true, ends: true, refusal: `Kept out by ${asked.owner}.` };
}

function combineByRow({ combine }: HookRow): Combine {
  const fields = Object.entries(combine).map(([field, combinator]) => ({
    field,
    combinator,
    shape: shapeOfField(field),
  }));
  const fieldsNamed = new Map(fields.map((each) => [each.field, [each]]));
  /** Most answers have a single field; finding it takes less than asking an answer for every field of the row. */
  const fieldsIn = (given: AnswerFields): typeof fields => {
    const only = onlyFieldOf(given);
    return only === undefined ? fields : (fieldsNamed.get(only) ?? []);
  };
  const isPureClaim = fields.every(({ combinator }) => combinator === 'claim');
  const firstOnes = fields.filter(({ combinator }) => combinator === 'first').map(({ field }) => field);
  return (before, answer, { owner, event }) => {
    const given = answerFieldsOf(answer);
    if (!given) return { result: before };
    if (combine.handled && isClaim(given)) {
      for (const { field, shape } of fields) fieldOf(given, field, shape);
      return { result: plainCopy(given, 'claim'), decides: true, ends: true };
    }
    if (isPureClaim) return { result: before };

    const result: Record<string, unknown> = { ...before };
    let contributed: Record<string, unknown> | undefined;
    let decides = false;
    for (const { field, combinator, shape } of fieldsIn(given)) {
      const next = fieldOf(given, field, shape);
      if (next === undefined) continue;
      if (combinator === 'collect') {
        result[field] = collect(before[field], next);
        contributed ??= {};
        contributed[field] = next;
      } else if (combinator === 'chain') {
        result[field] = chain(before[field], checkReplacement(field, event, next));
        decides = true;
      } else if (combinator === 'first') {
        result[field] = first(before[field], next);
        if (before[field] === undefined) {
          contributed ??= {};
          contributed[field] = next;
        }
        decides ||= firstOnes.every((other) => before[other] === undefined);
      } else if (combinator === 'strictest' && next !== false) result[field] = next;
    }
    const refused = result.block === true || result.cancel === true;
    if (!refused) return { result, decides, contributed };
    const refusal = result.blockReason ?? result.cancelReason ?? `Refused by ${owner}.`;
    return { result, decides: true, ends: true, refusal: String(refusal), contributed };
  };
}

/** The name of the single field of a plain object; undefined where there may be others. */
function onlyFieldOf(given: AnswerFields): string | undefined {
  if (Object.getPrototypeOf(given) !== Object.prototype) return undefined;
  let only: string | undefined;
  for (const field in given) {
    if (only !== undefined) return undefined;
    only = field;
  }
  return only;
}

function checkReplacement(field: string, event: AnswerFields, next: unknown): unknown {
  if (field === 'message') return readAnsweredMessage(event.message as AnswerFields, next as AnswerFields);
  const problem = field === 'payload' ? problemOfPayload(next as AnswerFields) : undefined;
  if (problem) throw new InvalidHandlerResult(problem);
  return next;
}

function problemOfPayload({ text }: AnswerFields): string | undefined {
  return text === undefined || typeof text === 'string' ? undefined : 'answered with a payload whose text is no text';
}
