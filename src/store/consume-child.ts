// The end of a child is owed to its parent once. This file knows how the debt is written down and how it is paid, so that
// the run that reads a completion event and the tool that waits for a child pay it in the same way.

import type { Write } from './store.ts';
import type { ChildRow } from './tables.ts';

/** Under this key the parent's trigger for the end of a child is in the inbox. */
export function completionKeyOf(childKey: string): string {
  return JSON.stringify(['completion', childKey]);
}

/** After these writes the parent is owed nothing more, and a completion event that waits in its lane is not run. */
export function consumeChild({ childKey }: Pick<ChildRow, 'childKey'>): readonly Write[] {
  return [
    { update: 'children', where: { childKey, isAnswered: false }, set: { isAnswered: true } },
    { update: 'inbox', where: { dedupeKey: completionKeyOf(childKey), status: 'queued' }, set: { status: 'done' } },
  ];
}
