// What is removed when the sessions of a key are deleted: what was said in them, as far as the store keeps it, and what
// belongs to the key. The rows of the sessions stay, ended and bare, so that what refers to them still finds them. A run
// that still goes on is left alone; the caller hands in the runs that are over.

import type { Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

/** So many names in one condition at most; databases have a limit. */
const NAMES_PER_WRITE = 500;

/** `sessions` have ended. */
export function planSessionDeletion(
  sessionKey: string,
  sessions: readonly SessionRow[],
  endedRunIds: readonly string[],
): readonly Write[] {
  return [
    ...sessions.flatMap(({ sessionId }): readonly Write[] => [
      { update: 'sessions', where: { sessionId }, set: { surface: null, state: {}, endReason: 'deleted' } },
      { remove: 'transcript', where: { sessionId } },
    ]),
    ...chunksOf(endedRunIds, NAMES_PER_WRITE).flatMap((runIds): readonly Write[] => {
      const runId = { in: runIds };
      return [
        { remove: 'journal', where: { runId } },
        { remove: 'captures', where: { runId } },
        { remove: 'hookRecords', where: { runId } },
        { remove: 'approvals', where: { runId } },
        // What waits to be delivered goes too: it was said here.
        { remove: 'outbox', where: { runId } },
        { update: 'inbox', where: { runId, status: { in: ['done', 'dead'] } }, set: { payload: null } },
        { update: 'runs', where: { runId }, set: { outcome: null } },
      ];
    }),
    { remove: 'deadLetters', where: { sessionKey } },
    { remove: 'injections', where: { sessionKey } },
    { remove: 'pluginState', where: { sessionKey } },
    { remove: 'processes', where: { sessionKey } },
  ];
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
