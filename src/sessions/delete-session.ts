// Plans the writes that remove the sessions of a key: what was said in them, as far as the store keeps it, and what
// belongs to the key. The rows of the sessions stay, ended and without content, so that references to them still
// resolve. A run that still goes on is not touched; the caller hands in the runs that are over.

import { planForgetWords } from '../store/plan-forget-words.ts';
import type { Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

/** One condition names at most this many runs, because databases limit the length of a condition. */
const NAMES_PER_WRITE = 500;

/** All `sessions` must have ended. */
export function planSessionDeletion(
  sessionKey: string,
  sessions: readonly SessionRow[],
  endedRunIds: readonly string[],
): readonly Write[] {
  return [
    ...sessions.flatMap(({ sessionId }): readonly Write[] => [
      {
        update: 'sessions',
        where: { sessionId },
        set: { surface: null, state: {}, title: null, endReason: 'deleted' },
      },
      { remove: 'transcript', where: { sessionId } },
      ...planForgetWords({ sessionId }),
    ]),
    ...chunksOf(endedRunIds, NAMES_PER_WRITE).flatMap((runIds): readonly Write[] => {
      const runId = { in: runIds };
      return [
        { remove: 'journal', where: { runId } },
        { remove: 'captures', where: { runId } },
        { remove: 'hookRecords', where: { runId } },
        { remove: 'approvals', where: { runId } },
        { remove: 'waits', where: { runId } },
        // Answers that wait for delivery are removed too, because they were said in this session.
        { remove: 'outbox', where: { runId } },
        { update: 'inbox', where: { runId, status: { in: ['done', 'dead'] } }, set: { payload: null } },
        { update: 'runs', where: { runId }, set: { outcome: null } },
      ];
    }),
    { remove: 'promptReceipts', where: { sessionKey } },
    { remove: 'promptPieces', where: { scope: sessionKey } },
    { remove: 'deadLetters', where: { sessionKey } },
    { remove: 'injections', where: { sessionKey } },
    { remove: 'pluginState', where: { sessionKey } },
    { remove: 'processes', where: { sessionKey } },
    // The rows of children stay, because other rows refer to them; what was said in the session is removed from them.
    { update: 'children', where: { childKey: sessionKey }, set: FORGOTTEN_CHILD },
    {
      update: 'children',
      where: { parentKey: sessionKey, endedAt: { not: null } },
      set: { task: '', label: null, result: null, error: null },
    },
  ];
}

const FORGOTTEN_CHILD = {
  task: '',
  label: null,
  result: null,
  error: null,
  boundTo: null,
  boundId: null,
  cleanup: 'keep',
} as const;

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
