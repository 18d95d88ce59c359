// The state of one hook while its handlers are asked: the combined result so far, the event as the next handler sees
// it, which handler decided, and whether the result is final. This class calls no handler; the runner calls them and
// hands the answers in.

import type { HookName } from './catalog.ts';
import { changedFields, diffOfCall, diffOfField } from './change-of-call.ts';
import type { AnswerFields } from './combine/answer-shape.ts';
import { collect } from './combine/combinators.ts';
import { type Combine, combineOf, nextEventOf, refusedResult } from './combine/combine.ts';
import { onlyTextField, type TextFields, textFieldsOf } from './combine/text-fields.ts';
import type { FieldChange } from './field-change.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HandlerName, HookContribution, HookRefusal } from './runner.ts';

/** What one answer changed in the result. */
export interface TakenAnswer {
  readonly changed: readonly string[];
  /** Computes the difference; undefined when nothing changed. */
  readonly diff: (() => readonly FieldChange[]) | undefined;
}

/** The handler whose answer is combined. */
interface Answering extends HandlerName {
  readonly ephemeral: boolean;
}

/** Most handlers look on and answer nothing. */
export const NO_CHANGE: TakenAnswer = Object.freeze({ changed: Object.freeze([]), diff: undefined });

export class Asking {
  readonly calls: HookCallRecord[] = [];
  /** Ids of the handlers that were not asked because the caller wanted only pure ones. */
  readonly skipped: string[] = [];
  readonly contributions: HookContribution[] = [];
  result: AnswerFields = {};
  decidedBy: HandlerName | undefined;
  refusal: HookRefusal | undefined;
  /** The event, with the fields that handlers rewrote. */
  seen: AnswerFields;
  /** No further handler is asked. */
  isOver = false;
  readonly #hook: HookName;
  readonly #event: AnswerFields;
  readonly #combine: Combine;
  readonly #textFields: TextFields;
  readonly #derive: ((event: AnswerFields) => AnswerFields) | undefined;
  /** The result, where it was made for gathered texts alone and no difference refers to it. */
  #gathered: Record<string, unknown> | undefined;

  /** `derive` computes the event fields that depend on other fields, after a handler rewrote one of those. */
  constructor(hook: HookName, event: AnswerFields, derive?: (event: AnswerFields) => AnswerFields) {
    this.#hook = hook;
    this.#event = event;
    this.#combine = combineOf(hook);
    this.#textFields = textFieldsOf(hook);
    this.#derive = derive;
    this.seen = event;
  }

  /**
   * Combines an answer that has one text and nothing else, for a field that gathers texts. Undefined for any other answer.
   * What comes of it is the same as with `take`.
   */
  takeText({ id, owner, ephemeral }: Answering, answer: unknown): TakenAnswer | undefined {
    if (typeof answer !== 'object' || answer === null || this.#derive) return undefined;
    const known = onlyTextField(this.#textFields, answer);
    if (known === undefined) return undefined;
    const { field, alone } = known;
    const value = (answer as AnswerFields)[field];
    if (typeof value !== 'string') return undefined;
    this.contributions.push({ field, value, id, owner, ephemeral });
    const before = this.result[field];
    const after = collect(before, value);
    if (after === before) return NO_CHANGE;
    this.#gathered ??= { ...this.result };
    this.#gathered[field] = after;
    this.result = this.#gathered;
    return { changed: alone, diff: () => diffOfField(field, before, after) };
  }

  /** Combines one more answer. Throws InvalidHandlerResult, and changes nothing, when the answer is not valid. */
  take({ id, owner, ephemeral }: Answering, answer: unknown): TakenAnswer {
    if (answer === undefined) return NO_CHANGE;
    const { result: before, seen: event } = this;
    const { result, contributed, decides, refusal, ends } = this.#combine(before, answer, { owner, event });
    for (const field in contributed) {
      this.contributions.push({ field, value: contributed[field], id, owner, ephemeral });
    }
    if (decides) this.decidedBy = { id, owner };
    if (refusal !== undefined) this.refusal = { id, owner, reason: refusal, cause: 'decision' };
    if (ends) this.isOver = true;
    if (result === before) return NO_CHANGE;
    this.result = result;
    this.#gathered = undefined;
    if (!ends) this.seen = this.#rewritten(nextEventOf(this.#hook, this.#event, result));
    const changed = changedFields(before, result);
    if (changed.length === 0) return NO_CHANGE;
    return { changed, diff: () => diffOfCall(this.#hook, changed, { event, before }, result) };
  }

  /** A gate that failed, or that cannot be asked, refuses. */
  refuse({ id, owner }: HandlerName, reason: string): void {
    this.result = refusedResult(this.#hook, this.result, reason);
    this.#gathered = undefined;
    this.decidedBy = { id, owner };
    this.refusal = { id, owner, reason, cause: 'failure' };
    this.isOver = true;
  }

  #rewritten(event: AnswerFields): AnswerFields {
    return this.#derive ? this.#derive(event) : event;
  }
}
