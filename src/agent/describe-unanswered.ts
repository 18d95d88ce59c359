// The sentence by which people learn that a run failed, before its reason. What was to be answered is not always the
// message of a person.

import type { TriggerKind, TriggerPayload } from '../store/tables.ts';

export function describeUnanswered(run: {
  readonly kind: TriggerKind;
  /** The results of children that the run was told. */
  readonly results: readonly TriggerPayload[];
}): string {
  if (run.kind === 'webhook') return 'What a webhook sent could not be answered.';
  if (run.kind !== 'completion') return 'This message could not be answered.';
  return run.results.length > 1
    ? 'Subagents have ended, but their results could not be told here.'
    : 'A subagent has ended, but its result could not be told here.';
}
