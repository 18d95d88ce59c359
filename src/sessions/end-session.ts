// How a session ends: with a time and a reason. When a person starts over, what plugins kept and queued for it ends in
// the same commit; when its time is over by itself, they keep it. Deleting it also removes what was said in it, as far as
// the store keeps it; a run that still goes on is none of this file's business, so its caller hands in the runs that are over.

import type { SessionEndReason } from '../protocol/live-event.ts';
import type { Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

/**
 * Whether a session ends because somebody wanted to start over. What plugins kept and queued for it then goes with it; a
 * session that merely ran out of time hands it on to the next one.
 */
export function startsOver(reason: SessionEndReason | undefined): boolean {
  return reason === 'new' || reason === 'reset' || reason === 'deleted';
}

/** Nothing to write when it has ended already; a commit that comes second to another one fails. */
export function planSessionEnd(session: SessionRow, reason: SessionEndReason, now: number): readonly Write[] {
  if (session.endedAt !== null) return [];
  const where = { sessionId: session.sessionId, endedAt: null };
  return [
    { update: 'sessions', where, set: { endedAt: now, endReason: reason }, expect: 1 },
    ...(startsOver(reason) ? planPluginForgetting(session.sessionKey, now) : []),
  ];
}

/** What plugins write while the session is ending is for the next one, and stays. */
function planPluginForgetting(sessionKey: string, now: number): readonly Write[] {
  return [
    { remove: 'pluginState', where: { sessionKey, updatedAt: { lt: now } } },
    { remove: 'injections', where: { sessionKey, createdAt: { lt: now } } },
  ];
}

/** So many names in one condition at most; databases have a limit. */
const NAMES_PER_WRITE = 500;

/** The rows of the sessions stay, ended and bare, so that what refers to them still finds them. */
export function planSessionDeletion(
  sessions: readonly SessionRow[],
  endedRunIds: readonly string[],
  now: number,
): readonly Write[] {
  return [
    ...sessions.flatMap((session) => planSessionEnd(session, 'deleted', now)),
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
  ];
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
