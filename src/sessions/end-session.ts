// How a session ends. This is the one way for every reason: a person's /new or /reset, the API, an idle or a daily end,
// a deletion. The order is the same for all of them: plugins that want to save something before a reset are told first,
// while the session is still open; then the end is committed; then every listener is told of it. A process that stops
// tells the same without a commit, because its sessions go on with the next process.
// A session whose end was committed and not told, because the process was killed in between, says so in its row
// (`endToTell`); the next process tells it, marked as recovered.

import type { SessionChange, SessionEndReason } from '../protocol/live-event.ts';
import type { Store, Write } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';

/** Tells the listeners of a session's life. No function rejects, and each decides itself what it waits for. */
export interface SessionTelling {
  /** A person wants a new session, and the old one is still there. */
  resetting(fact: {
    readonly session: SessionRow;
    readonly reason: 'new' | 'reset';
    readonly messages: readonly Pick<TranscriptRow, 'message' | 'at'>[];
  }): Promise<unknown>;
  /** A person asked for a new session. Gives the messages that hook packs push about it. */
  commanded(fact: {
    readonly command: 'new' | 'reset';
    readonly sessionKey: string;
    /** The session that follows, when it exists already. */
    readonly session?: SessionRow | undefined;
    readonly previous?: SessionRow | undefined;
  }): Promise<readonly string[]>;
  ended(fact: EndedSession): Promise<unknown>;
  /** Something about a session is other than before, without a run. */
  changed(fact: { readonly session: SessionRow; readonly what: SessionChange }): Promise<unknown>;
  started(fact: { readonly session: SessionRow; readonly resumedFrom: string | null }): Promise<unknown>;
}

export interface EndedSession {
  /** The row as it was before the session ended. */
  readonly session: SessionRow;
  readonly reason: SessionEndReason;
  readonly messageCount: number;
  readonly durationMs: number;
  readonly nextSessionId?: string | undefined;
  /** The process stops, and the session goes on with the next process. */
  readonly goesOn?: true | undefined;
}

export interface SessionEnd {
  readonly session: SessionRow;
  readonly reason: SessionEndReason;
  readonly endedAt: number;
  /** The session that replaces it in the same commit. */
  readonly next?: SessionRow | undefined;
}

/** Whether a person explicitly asked for the end. */
function isReset(reason: SessionEndReason): reason is 'new' | 'reset' {
  return reason === 'new' || reason === 'reset';
}

/**
 * Whether a session ends because a person wanted to start over. Then the values that plugins kept and queued for it are
 * removed with it; a session that ended by time hands them on to the next one.
 */
export function startsOver(reason: SessionEndReason | undefined): boolean {
  return reason === 'new' || reason === 'reset' || reason === 'deleted';
}

/**
 * Ends the session and tells it; gives the messages that hook packs push. Rejects with PreconditionFailedError when
 * another caller has ended the session meanwhile, and with any other error of the commit; in both cases the session has
 * not been ended by this call.
 */
export async function endSession(
  parts: {
    readonly store: Store;
    readonly telling: SessionTelling;
    /** Commits at the site `session`; a run adds the precondition that it still holds its claim. */
    readonly commit: (writes: readonly Write[]) => Promise<unknown>;
  },
  end: SessionEnd,
): Promise<readonly string[]> {
  const { store, telling, commit } = parts;
  const { session, reason, endedAt, next } = end;
  const { sessionId } = session;
  if (isReset(reason)) {
    const entries = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
    await telling.resetting({ session, reason, messages: entries });
  }
  await commit([
    ...planSessionEnd(session, reason, endedAt),
    ...(next ? [{ insert: 'sessions', row: next } as const] : []),
  ]);
  return tellSessionEnd(store, telling, end);
}

/** Tells what follows the commit. The record that the end was told is written without waiting for it. */
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
  // If this record cannot be written, for example because the store is closing, the next process tells the end again.
  void store
    .commit([{ update: 'sessions', where: { sessionId }, set: { endToTell: false } }], { site: 'observed', lazy: true })
    .catch(() => {});
  return said;
}

/** Plans no write when the session has ended already. Of two commits that end the same session, the second fails. */
export function planSessionEnd(session: SessionRow, reason: SessionEndReason, now: number): readonly Write[] {
  if (session.endedAt !== null) return [];
  const where = { sessionId: session.sessionId, endedAt: null };
  return [
    { update: 'sessions', where, set: { endedAt: now, endReason: reason, endToTell: true }, expect: 1 },
    ...(startsOver(reason) ? planPluginForgetting(session.sessionKey, now) : []),
  ];
}

/** Values that plugins write while the session is ending are for the next session, so they are kept. */
function planPluginForgetting(sessionKey: string, now: number): readonly Write[] {
  return [
    { remove: 'pluginState', where: { sessionKey, updatedAt: { lt: now } } },
    { remove: 'injections', where: { sessionKey, createdAt: { lt: now } } },
  ];
}
