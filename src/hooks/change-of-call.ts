// Computes which fields of the combined result one answer changed, and their new values.

import type { HookName } from './catalog.ts';
import type { AnswerFields } from './combine/answer-shape.ts';
import { type Earlier, earlierValueOf } from './combine/combine.ts';
import { addChanges, type FieldChange } from './field-change.ts';

export function changedFields(before: AnswerFields, after: AnswerFields): readonly string[] {
  let changed = NOTHING;
  if (before === after) return changed;
  // A list of one is the most common answer, and one that is pushed to has room for many.
  for (const field in after)
    if (before[field] !== after[field]) changed = changed === NOTHING ? [field] : [...changed, field];
  for (const field in before) if (!Object.hasOwn(after, field)) changed = [...changed, field];
  return changed;
}

export function diffOfCall(
  hook: HookName,
  changed: readonly string[],
  earlier: Earlier,
  after: AnswerFields,
): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of changed) {
    // The reason for a block may quote what a person said, so it is not stored.
    if (hook === 'before_agent_run' && field !== 'outcome') continue;
    addChanges(changes, field, earlierValueOf(hook, field, earlier), after[field]);
  }
  return REDACTING.has(hook) ? changes.map(withoutOld) : changes;
}

/** The difference of a field that no hook keeps from the records, and that does not travel in the event. */
export function diffOfField(field: string, before: unknown, after: unknown): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  addChanges(changes, field, before, after);
  return changes;
}

/** What a handler takes out of a message before it is kept must not be kept with the record of its call. */
const REDACTING: ReadonlySet<HookName> = new Set(['tool_result_persist', 'before_message_write']);

function withoutOld({ removed: _, before: __, ...change }: FieldChange): FieldChange {
  return change;
}

const NOTHING: readonly string[] = Object.freeze([]);
