// The sessions of a gateway, for clients, commands and plugins: found, listed, ended, deleted, and shown with the
// values that plugins keep for them. How a run opens its session is in open-session.ts.
// Errors: `find` rejects with UnknownSessionError, and with SessionNotBegunError for a child that waits to begin. `reset`
// and `delete` give false when there is nothing to end or delete.

import { buildAgentPeerSessionKey } from '../protocol/build-session-key.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { SessionEndReason } from '../protocol/live-event.ts';
import { oneLine } from '../protocol/one-line.ts';
import { within } from '../protocol/time-limit.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Store, Where, Write } from '../store/store.ts';
import type { AttachmentRow, RunRow, SessionRow } from '../store/tables.ts';
import { planSessionDeletion } from './delete-session.ts';
import { endSession, type SessionTelling, tellSessionEnd } from './end-session.ts';
import { SessionNotBegunError, UnknownBranchPointError, UnknownSessionError } from './errors.ts';
import { readFirstWords } from './first-words.ts';
import { openForNote } from './open-session.ts';
import { type BranchPoint, entriesOfBranch, planBranch } from './plan-branch.ts';
import { withSessionModel } from './session-model.ts';

/** Each time a message was faster. */
const MOST_TRIES = 5;

export interface SessionsParts {
  readonly store: Store;
  readonly now: () => number;
  /** Tells the listeners when no run is at hand. `occasion` distinguishes several events of one session. */
  readonly telling: (occasion: string, isRecovered?: boolean) => SessionTelling;
  /** Whether a plugin listens to the ends of sessions. */
  readonly isEndHeard: () => boolean;
  /** The time at which this process started. */
  readonly upSince: number;
  /** Stops the runs of a session, with those that wait or without them, and does the work before another one begins. */
  readonly withoutRuns: <Value>(
    sessionKey: string,
    stopping: { readonly stop: 'all' | 'begun'; readonly reason: string },
    work: () => Promise<Value>,
  ) => Promise<Value>;
  /** Ends a child, with its descendants, before its session ends, also one that has not begun; false for other sessions. */
  readonly endChild: (sessionKey: string, outcome: 'reset' | 'deleted') => Promise<boolean>;
  /** The writes that remove the stored requests of these runs. */
  readonly planForget: (runIds: readonly string[]) => Promise<readonly Write[]>;
  /** Removes the records of these sessions that are kept outside of the store. */
  readonly forgetRecords: (sessionIds: readonly string[]) => Promise<void>;
  /** Removes the files that these rows named, unless another session names them too. The rows are gone already. */
  readonly forgetAttachments: (rows: readonly AttachmentRow[]) => Promise<void>;
  /** Ends the background commands of a session and removes their stored output. */
  readonly forgetProcesses: (sessionKey: string) => Promise<void>;
  /** Lets plugins release what they hold for a deleted session. */
  readonly releaseSession: (sessionKey: string) => Promise<void>;
  /** The same rows, with the values that plugins show for them. */
  readonly show: (sessions: readonly SessionRow[]) => Promise<readonly ShownSession[]>;
}

/** One value of one plugin, as a session row shows it. */
export interface ShownExtension {
  readonly pluginId: string;
  readonly namespace: string;
  readonly value: JsonValue;
}

export type ShownSession = SessionRow & { readonly pluginExtensions: readonly ShownExtension[] };

/** A session in a list, with the words that stand for its title when a person gave it none. */
export type ListedSession = ShownSession & { readonly firstWords: string | null };

/** What a person changes about a session without saying anything in it. */
export interface SessionMarks {
  /** Null takes the title away. */
  readonly title?: string | null | undefined;
  readonly isArchived?: boolean | undefined;
  /** Everything that is there now has been seen, or nothing has. */
  readonly isSeen?: boolean | undefined;
}

export interface BranchRequest {
  /** The last part of the branch's key. The same name gives the same branch, so asking again is safe. */
  readonly name: string;
  readonly point: BranchPoint;
  /** Null for none, which leaves the first words; without it, the title says whose branch it is. */
  readonly title?: string | null | undefined;
}

export interface SessionsQuery {
  readonly agentId?: string | undefined;
  /** Selects only sessions that have not ended (true) or only those that have (false). */
  readonly isOpen?: boolean | undefined;
  /** Only branches of this session. */
  readonly branchOf?: string | undefined;
  /** Selects only sessions that a person has put away (true) or only the others (false). */
  readonly isArchived?: boolean | undefined;
  /** `began`: those that began last come first. `active`: those in which something was said last come first. */
  readonly order?: 'began' | 'active' | undefined;
  /** Selects only sessions that come behind the session of this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Why a run is stopped whose session is reset. What it was told of its children is told again in the next session. */
export const SESSION_RESET = 'its session was reset';

/** A person goes on with a branch on the page or in a terminal; the page shows it like a conversation of its own. */
const BRANCH_CHANNEL = 'web';
const BRANCH_PREFIX = 'Branch of ';
const LONGEST_TITLE = 200;

/** A description lists at most this many earlier sessions of a key. */
const MAX_EARLIER = 50;

/** At most this many sessions are told of at once when the process stops: fewer than may wait for one plugin. */
const SESSIONS_AT_ONCE = 500;
/**
 * A plugin that is slow with one group of sessions delays the next group by at most this time, for itself and for other
 * plugins.
 */
const SLOW_MS = 1_000;

export class Sessions {
  readonly #parts: SessionsParts;
  /** Sessions that began in an earlier process and go on in this one. */
  readonly #resumed = new Set<string>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  show(sessions: readonly SessionRow[]): Promise<readonly ShownSession[]> {
    return this.#parts.show(sessions);
  }

  /** The latest first; `next` is the id to go on from, or null when there are no more. */
  async list(query: SessionsQuery): Promise<{ sessions: readonly ListedSession[]; next: string | null }> {
    const { agentId, isOpen, isArchived, branchOf, before, limit, order = 'began' } = query;
    const { store } = this.#parts;
    const where: Where<'sessions'> = {
      ...(agentId === undefined ? {} : { agentId }),
      ...(isOpen === undefined ? {} : { endedAt: isOpen ? null : { not: null } }),
      ...(isArchived === undefined ? {} : { archivedAt: isArchived ? { not: null } : null }),
      ...(branchOf === undefined ? {} : { branchOf }),
    };
    const rows = await (order === 'began' ? this.#byStart : this.#byActivity).call(this, where, before, limit + 1);
    const shown = await this.show(rows.slice(0, limit));
    const sessions: ListedSession[] = [];
    for (const session of shown) {
      sessions.push({ ...session, firstWords: await readFirstWords(store, session.sessionId) });
    }
    return { sessions, next: rows.length > limit ? (sessions.at(-1)?.sessionId ?? null) : null };
  }

  #byStart(where: Where<'sessions'>, before: string | undefined, limit: number): Promise<readonly SessionRow[]> {
    const after = before === undefined ? {} : { sessionId: { lt: before } };
    return this.#parts.store.select('sessions', {
      where: { ...where, ...after },
      orderBy: [['sessionId', 'desc']],
      limit,
    });
  }

  /** Sessions that were active at the same moment come in the order of their ids, so that no page leaves one out. */
  async #byActivity(
    where: Where<'sessions'>,
    before: string | undefined,
    limit: number,
  ): Promise<readonly SessionRow[]> {
    const { store } = this.#parts;
    const orderBy = [
      ['activeAt', 'desc'],
      ['sessionId', 'desc'],
    ] as const;
    if (before === undefined) return store.select('sessions', { where, orderBy, limit });
    const { activeAt } = await this.find(before);
    const atOnce = { ...where, activeAt, sessionId: { lt: before } };
    const same = await store.select('sessions', { where: atOnce, orderBy, limit });
    const earlier = { ...where, activeAt: { lt: activeAt } };
    return [...same, ...(await store.select('sessions', { where: earlier, orderBy, limit: limit - same.length }))];
  }

  /** Changes at least one mark. Rejects with UnknownSessionError. Gives the session as it is then. */
  async mark(keyOrId: string, { title, isArchived, isSeen }: SessionMarks): Promise<SessionRow> {
    const { store, now, telling } = this.#parts;
    const { sessionId } = await this.find(keyOrId);
    const set = {
      ...(title === undefined ? {} : { title }),
      ...(isArchived === undefined ? {} : { archivedAt: isArchived ? now() : null }),
      ...(isSeen === undefined ? {} : { seenAt: isSeen ? now() : null }),
    };
    // What is deleted stays without a title, also when both happen at once.
    const where = { sessionId, endReason: { not: 'deleted' } };
    const { changed } = await store.commit([{ update: 'sessions', where, set }], { site: 'session-mark', waits: true });
    if (changed[0] === 0) throw new UnknownSessionError({ session: keyOrId.slice(0, 512) });
    const session = await this.find(sessionId);
    await telling('mark').changed({ session, what: 'marked' });
    return session;
  }

  /**
   * Begins a session with a copy of what was said in another one, up to a run. Rejects with UnknownSessionError, and with
   * UnknownBranchPointError when the branch cannot begin there.
   */
  async branch(keyOrId: string, { name, point, title }: BranchRequest): Promise<SessionRow> {
    const { store, now, telling } = this.#parts;
    const origin = await this.find(keyOrId);
    const { sessionId, sessionKey: originKey, agentId } = origin;
    const sessionKey = buildAgentPeerSessionKey({
      agentId,
      channel: BRANCH_CHANNEL,
      peerId: name,
      dmScope: 'per-channel-peer',
    });
    const [known] = await store.select('sessions', { where: { sessionKey, branchOf: sessionId }, limit: 1 });
    if (known) return known;
    const orderBy = [['position', 'asc']] as const;
    const all = await store.select('transcript', { where: { sessionId }, orderBy });
    const open = await store.select('runs', {
      where: { sessionKey: originKey, status: { in: ['running', 'suspended'] } },
    });
    const files = await store.select('attachments', { where: { sessionKey: originKey } });
    const source = { origin, entries: all, files, openRunIds: new Set(open.map(({ runId }) => runId)) };
    const entries = entriesOfBranch(source, point);
    if (!entries) {
      const runId = point && ('through' in point ? point.through : point.before);
      throw new UnknownBranchPointError({ session: originKey, runId: runId ?? '' });
    }
    const { session, writes } = planBranch(source, entries, {
      sessionKey,
      surface: { channel: BRANCH_CHANNEL, accountId: 'default', peer: { kind: 'direct', id: name } },
      title: title === undefined ? await this.#titleOfBranch(origin) : title,
      now: now(),
    });
    await store.commit(writes, { site: 'branch', waits: true });
    await telling('branch').started({ session, resumedFrom: null });
    await telling('branch').changed({ session, what: 'branched' });
    return session;
  }

  async #titleOfBranch(origin: SessionRow): Promise<string> {
    const called = origin.title ?? (await readFirstWords(this.#parts.store, origin.sessionId)) ?? origin.sessionKey;
    return oneLine(called.startsWith(BRANCH_PREFIX) ? called : `${BRANCH_PREFIX}${called}`, LONGEST_TITLE);
  }

  /**
   * The model for all further messages of a session; undefined goes back to the agent's own. Where nothing was said yet, a
   * session begins with the choice.
   */
  async chooseModel(
    place: { readonly agentId: string; readonly sessionKey: string; readonly surface: Surface },
    model: string | undefined,
  ): Promise<void> {
    const { store, now, telling } = this.#parts;
    for (let tries = 1; ; tries++) {
      const opened = await openForNote(store, { ...place, now: now(), mayOpen: true });
      if (!opened) return;
      const { sessionId } = opened.session;
      const session = { ...opened.session, state: withSessionModel(opened.session, model) };
      const write: Write = opened.isNew
        ? { insert: 'sessions', row: session }
        : { update: 'sessions', where: { sessionId, endedAt: null }, set: { state: session.state }, expect: 1 };
      try {
        await store.commit([write], { site: 'session-model', waits: true });
      } catch (error) {
        // A message has opened or ended the session meanwhile.
        if (!(error instanceof PreconditionFailedError) || tries >= MOST_TRIES) throw error;
        continue;
      }
      if (opened.isNew) void telling('model').started({ session, resumedFrom: session.resumedFrom });
      void telling('model').changed({ session, what: 'model' });
      return;
    }
  }

  /** A key finds the open session, else the latest one. An id finds exactly that session. */
  async find(keyOrId: string): Promise<SessionRow> {
    const { store } = this.#parts;
    const [byId] = await store.select('sessions', { where: { sessionId: keyOrId }, limit: 1 });
    if (byId) return byId;
    const ofKey = await this.#latest({ sessionKey: keyOrId });
    const session = ofKey.find(({ endedAt }) => endedAt === null) ?? ofKey[0];
    if (session) return session;
    if (await this.#isOpenChild(keyOrId)) throw new SessionNotBegunError({ session: keyOrId });
    throw new UnknownSessionError({ session: keyOrId.slice(0, 512) });
  }

  /** The key of a session that is named by its key or its id. A child that has not begun has a key and no session yet. */
  async findKey(keyOrId: string): Promise<string> {
    return (await this.#isOpenChild(keyOrId)) ? keyOrId : (await this.find(keyOrId)).sessionKey;
  }

  /** Whether this is a child that has not ended. Without a session it has not begun either. */
  async #isOpenChild(childKey: string): Promise<boolean> {
    return (await this.#parts.store.count('children', { childKey, endedAt: null })) > 0;
  }

  /** One session as it is shown, the number of its messages, and the other sessions of its key. */
  async describe(keyOrId: string): Promise<{
    session: SessionRow & { readonly firstWords: string | null };
    entries: number;
    earlier: readonly ShownSession[];
  }> {
    const row = await this.find(keyOrId);
    const { sessionId, sessionKey } = row;
    const [session = row] = await this.show([row]);
    const entries = await this.#parts.store.count('transcript', { sessionId });
    const others = await this.#latest({ sessionKey, sessionId: { not: sessionId } });
    const firstWords = await readFirstWords(this.#parts.store, sessionId);
    return { session: { ...session, firstWords }, entries, earlier: await this.show(others) };
  }

  /** Stops the run of the session and ends it. Messages that wait begin the next one. */
  async reset(sessionKey: string): Promise<boolean> {
    const wasChild = await this.#parts.endChild(sessionKey, 'reset');
    const stopping = { stop: 'begun', reason: SESSION_RESET } as const;
    const hasEnded = await this.#parts.withoutRuns(sessionKey, stopping, () => this.#end(sessionKey, 'reset'));
    return hasEnded || wasChild;
  }

  async #end(sessionKey: string, reason: SessionEndReason): Promise<boolean> {
    const { store, now, telling } = this.#parts;
    const endedAt = now();
    const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    if (!session) return false;
    const commit = (writes: readonly Write[]) => store.commit(writes, { site: 'session' });
    try {
      await endSession({ store, telling: telling(reason), commit }, { session, reason, endedAt });
      return true;
    } catch (error) {
      // Another caller has ended it meanwhile.
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
  }

  /** Stops the runs of the session, ends it, and removes what was said under its key. */
  async delete(sessionKey: string): Promise<boolean> {
    const wasChild = await this.#parts.endChild(sessionKey, 'deleted');
    if (!wasChild && (await this.#parts.store.count('sessions', { sessionKey })) === 0) return false;
    const stopping = { stop: 'all', reason: 'its session was deleted' } as const;
    await this.#parts.withoutRuns(sessionKey, stopping, () => this.#delete(sessionKey));
    return true;
  }

  async #delete(sessionKey: string): Promise<void> {
    const { store, telling, planForget, forgetRecords, forgetProcesses, forgetAttachments, releaseSession } =
      this.#parts;
    await this.#end(sessionKey, 'deleted');
    const ended = await store.select('sessions', { where: { sessionKey, endedAt: { not: null } } });
    const runs = await store.select('runs', { where: { sessionKey } });
    const runIds = runs.filter(isOver).map(({ runId }) => runId);
    await forgetRecords(ended.map(({ sessionId }) => sessionId));
    await forgetProcesses(sessionKey);
    const writes = [...(await planForget(runIds)), ...planSessionDeletion(sessionKey, ended, runIds)];
    const files = await this.#filesOf(sessionKey);
    const names = [...new Set(files.map(({ runId }) => runId))];
    const unnamed = names.map((runId): Write => ({ remove: 'attachments', where: { runId, sessionKey } }));
    await store.commit([...writes, ...unnamed], { site: 'session' });
    await forgetAttachments(files);
    await releaseSession(sessionKey);
    const [last] = ended;
    if (last) await telling('deleted').changed({ session: last, what: 'deleted' });
  }

  /** The files of a session, without those of messages that wait for their run. */
  async #filesOf(sessionKey: string): Promise<readonly AttachmentRow[]> {
    const { store } = this.#parts;
    const waiting = await store.select('inbox', { where: { sessionKey, status: { in: ['queued', 'claimed'] } } });
    const open = new Set(waiting.map(({ runId }) => runId));
    const files = await store.select('attachments', { where: { sessionKey } });
    return files.filter(({ runId }) => !open.has(runId));
  }

  /** Tells the ends that were committed by a process which died before it had told them. */
  async tellForgottenEnds({ endedBefore }: { readonly endedBefore?: number | undefined } = {}): Promise<void> {
    const { store, telling } = this.#parts;
    const endedAt = endedBefore === undefined ? undefined : { lt: endedBefore };
    const sessions = await store.select('sessions', { where: { endToTell: true, endedAt } });
    for (const session of sessions) {
      const { sessionId, sessionKey, endedAt, endReason: reason } = session;
      if (endedAt === null || reason === null) continue;
      // A session that began at the same moment replaced it in the same commit.
      const where = { sessionKey, startedAt: endedAt, resumedFrom: sessionId };
      const [next] = await store.select('sessions', { where, limit: 1 });
      await tellSessionEnd(store, telling(reason, true), { session, reason, endedAt, next });
    }
  }

  /** Returns true once for each session that began in an earlier process and goes on in this one. */
  isResumed({ sessionId, startedAt }: SessionRow): boolean {
    if (startedAt >= this.#parts.upSince || this.#resumed.has(sessionId)) return false;
    this.#resumed.add(sessionId);
    return true;
  }

  /**
   * The process stops: plugins that keep something for a session are told that nothing more will come for now. The
   * sessions go on with the next process. All are told at the same time, so that no plugin waits for another one;
   * sessions that are not told when the budget is over are left out.
   */
  async tellStop(reason: 'shutdown' | 'restart', budgetMs: number): Promise<void> {
    const { store, now, isEndHeard } = this.#parts;
    if (!isEndHeard()) return;
    const deadline = now() + budgetMs;
    const telling = this.#parts.telling(reason);
    let before: string | undefined;
    for (let left = budgetMs; left > 0; left = deadline - now()) {
      const where = { endedAt: null, ...(before === undefined ? {} : { sessionId: { lt: before } }) };
      const orderBy = [['sessionId', 'desc']] as const;
      const open = await store.select('sessions', { where, orderBy, limit: SESSIONS_AT_ONCE });
      const told = open.map(async (session) => {
        const { sessionId, startedAt } = session;
        const messageCount = await store.count('transcript', { sessionId });
        return telling.ended({ session, reason, messageCount, durationMs: now() - startedAt, goesOn: true });
      });
      const isLast = open.length < SESSIONS_AT_ONCE;
      await within(isLast ? left : Math.min(left, SLOW_MS), Promise.all(told));
      if (isLast) return;
      before = open.at(-1)?.sessionId;
    }
  }

  #latest(where: Where<'sessions'>): Promise<readonly SessionRow[]> {
    return this.#parts.store.select('sessions', { where, orderBy: [['sessionId', 'desc']], limit: MAX_EARLIER });
  }
}

function isOver({ status }: RunRow): boolean {
  return status !== 'running' && status !== 'suspended';
}
