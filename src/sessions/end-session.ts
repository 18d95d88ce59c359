// How a session ends. This is the one way for every reason: a person's /new or /reset, the API, an idle or a daily end, a
// deletion. The order is the same for all of them: who wants to save something before a reset is told first, while the
// session is still open; then the end is committed; then everybody is told of it. A process that stops tells the same
// without a commit, because its sessions go on with the next one.
//
// A session whose end was committed and not told, because the process was killed in between, says so in its row
// (`endToTell`); the next process tells it, marked as recovered.

import type { SessionEndReason } from '../protocol/live-event.ts';
import type { Message } from '../protocol/message.ts';
import type { Store, Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

/** Who is told of a session's life. No function rejects; what it waits for is its own affair. */
export interface SessionTelling {
  /** A person wants a new session, and the old one is still there. */
  resetting(fact: {
    readonly session: SessionRow;
    readonly reason: 'new' | 'reset';
    readonly messages: readonly Message[];
  }): Promise<unknown>;
  /** A person asked for a new session. Gives what hook packs want said about it. */
  commanded(fact: {
    readonly command: 'new' | 'reset';
    readonly sessionKey: string;
    /** The session that follows, where there is one already. */
    readonly session?: SessionRow | undefined;
    readonly previous?: SessionRow | undefined;
  }): Promise<readonly string[]>;
  ended(fact: EndedSession): Promise<unknown>;
  started(fact: { readonly session: SessionRow; readonly resumedFrom: string | null }): Promise<unknown>;
}

export interface EndedSession {
  /** As it was before it ended. */
  readonly session: SessionRow;
  readonly reason: SessionEndReason;
  readonly messageCount: number;
  readonly durationMs: number;
  readonly nextSessionId?: string | undefined;
  /** The process stops, and the session goes on with the next one. */
  readonly goesOn?: true | undefined;
}

export interface SessionEnd {
  readonly session: SessionRow;
  readonly reason: SessionEndReason;
  readonly endedAt: number;
  /** The session that takes its place in the same commit. */
  readonly next?: SessionRow | undefined;
}

/** Whether a person asked for the end in so many words. */
function isReset(reason: SessionEndReason): reason is 'new' | 'reset' {
  return reason === 'new' || reason === 'reset';
}

/**
 * Whether a session ends because somebody wanted to start over. What plugins kept and queued for it then goes with it; a
 * session that merely ran out of time hands it on to the next one.
 */
export function startsOver(reason: SessionEndReason | undefined): boolean {
  return reason === 'new' || reason === 'reset' || reason === 'deleted';
}

/**
 * Ends the session and tells it; gives what hook packs want said. Rejects with PreconditionFailedError when another
 * caller has ended the session meanwhile, and with whatever else the commit rejects with; then nothing has ended.
 */
export async function endSession(
  parts: {
    readonly store: Store;
    readonly telling: SessionTelling;
    /** Commits at the site `session`; a run adds its claim. */
    readonly commit: (writes: readonly Write[]) => Promise<unknown>;
  },
  end: SessionEnd,
): Promise<readonly string[]> {
  const { store, telling, commit } = parts;
  const { session, reason, endedAt, next } = end;
  const { sessionId } = session;
  if (isReset(reason)) {
    const entries = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
    await telling.resetting({ session, reason, messages: entries.map(({ message }) => message) });
  }
  await commit([
    ...planSessionEnd(session, reason, endedAt),
    ...(next ? [{ insert: 'sessions', row: next } as const] : []),
  ]);
  return tellSessionEnd(store, telling, end);
}

/** What follows the commit. The record that it was told is written without waiting for it. */
export async function tellSessionEnd(
  store: Store,
  telling: SessionTelling,
  { session, reason, endedAt, next }: SessionEnd,
): Promise<readonly string[]> {
  const { sessionId, sessionKey, startedAt } = session;
  const messageCount = await store.count('transcript', { sessionId });
  const said = isReset(reason)
    ? await telling.commanded({ command: reason, sessionKey, session: next, previous: session })
    : [];
  const durationMs = endedAt - startedAt;
  await telling.ended({ session, reason, messageCount, durationMs, nextSessionId: next?.sessionId });
  if (next) void telling.started({ session: next, resumedFrom: sessionId });
  // Without this record, as when the store is closing, the next process tells it again.
  void store
    .commit([{ update: 'sessions', where: { sessionId }, set: { endToTell: false } }], { site: 'observed', lazy: true })
    .catch(() => {});
  return said;
}

/** Nothing to write when it has ended already; a commit that comes second to another one fails. */
export function planSessionEnd(session: SessionRow, reason: SessionEndReason, now: number): readonly Write[] {
  if (session.endedAt !== null) return [];
  const where = { sessionId: session.sessionId, endedAt: null };
  return [
    { update: 'sessions', where, set: { endedAt: now, endReason: reason, endToTell: true }, expect: 1 },
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
