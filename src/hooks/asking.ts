// What the handlers of one hook have answered so far, while they are asked: the combined result, the event as the next
// one sees it, who decided, and whether it is settled. It calls nobody; the runner does, and hands the answers in.

import type { HookName } from './catalog.ts';
import { changedFields, diffOfCall } from './change-of-call.ts';
import type { AnswerFields } from './combine/answer-shape.ts';
import { type Combine, combineOf, nextEventOf, refusedResult } from './combine/combine.ts';
import type { FieldChange } from './field-change.ts';
import type { HookCallRecord } from './hook-call-record.ts';
import type { HandlerName, HookContribution, HookRefusal } from './runner.ts';

/** What an answer did to the result. */
export interface TakenAnswer {
  readonly changed: readonly string[];
  /** Worked out when somebody wants to know; undefined when nothing changed. */
  readonly diff: (() => readonly FieldChange[]) | undefined;
}

export class Asking {
  readonly calls: HookCallRecord[] = [];
  /** Ids of the handlers that were not asked because only pure ones were wanted. */
  readonly skipped: string[] = [];
  readonly contributions: HookContribution[] = [];
  result: AnswerFields = {};
  decidedBy: HandlerName | undefined;
  refusal: HookRefusal | undefined;
  /** The event, with what was rewritten. */
  seen: AnswerFields;
  /** Nobody else is asked. */
  isOver = false;
  readonly #hook: HookName;
  readonly #event: AnswerFields;
  readonly #combine: Combine;
  readonly #derive: ((event: AnswerFields) => AnswerFields) | undefined;

  /** `derive` says what of the event follows from the rest of it, after a handler rewrote something. */
  constructor(hook: HookName, event: AnswerFields, derive?: (event: AnswerFields) => AnswerFields) {
    this.#hook = hook;
    this.#event = event;
    this.#combine = combineOf(hook);
    this.#derive = derive;
    this.seen = event;
  }

  /** Combines one more answer. Throws InvalidHandlerResult, and leaves everything as it was, when it makes no sense. */
  take({ id, owner, ephemeral = false }: HandlerName & { readonly ephemeral?: boolean }, answer: unknown): TakenAnswer {
    const hook = this.#hook;
    const { result: before, seen: event } = this;
    const { result, contributed = {}, decides, refusal, ends } = this.#combine(before, answer, { owner, event });
    this.result = result;
    for (const field of Object.keys(contributed)) {
      this.contributions.push({ field, value: contributed[field], id, owner, ephemeral });
    }
    if (decides) this.decidedBy = { id, owner };
    if (refusal !== undefined) this.refusal = { id, owner, reason: refusal, cause: 'decision' };
    if (ends) this.isOver = true;
    else if (result !== before) this.seen = this.#rewritten(nextEventOf(hook, this.#event, result));
    const changed = changedFields(before, result);
    const diff = changed.length > 0 ? () => diffOfCall(hook, changed, { event, before }, result) : undefined;
    return { changed, diff };
  }

  /** A gate that failed, or that cannot be asked, is closed. */
  refuse({ id, owner }: HandlerName, reason: string): void {
    this.result = refusedResult(this.#hook, this.result, reason);
    this.decidedBy = { id, owner };
    this.refusal = { id, owner, reason, cause: 'failure' };
    this.isOver = true;
  }

  #rewritten(event: AnswerFields): AnswerFields {
    return this.#derive ? this.#derive(event) : event;
  }
}
