// The messages before a run, in the form that a plugin's handler is given. The list is built only for a hook that a
// handler listens to.

import type { HookName } from '../hooks/catalog.ts';
import { type HookMessage, hookMessageOf } from '../hooks/hook-message.ts';
import type { RunSubject } from './draft-request.ts';
import type { DraftParts } from './run-parts.ts';

export function toldHistory(
  hooks: DraftParts['hooks'],
  hook: HookName,
  { past, startedAt }: Pick<RunSubject, 'past' | 'startedAt'>,
): readonly HookMessage[] {
  if (!hooks.has(hook)) return NOTHING;
  return past.map(({ message, at = startedAt }) => hookMessageOf(message, at));
}

const NOTHING: readonly HookMessage[] = [];
