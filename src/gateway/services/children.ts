// The children of sessions, for people, commands and plugins: listed as a tree with what they used, stopped together
// with their descendants, ended when their time is over, and removed when their session was not to be kept.
//
// A child that is to be ended is marked first, in one commit with its descendants; then its runs are stopped, and the
// commit that ends the last of them ends the child. After a crash the next process goes on with those that are marked.
// Errors: a child that does not exist is an UnknownChildError.

import { readChildRuns } from '../../agent/subagents/child-runs.ts';
import { type ChildEndParts, describeEnding, planChildEnd } from '../../agent/subagents/end-child.ts';
import type { ChildView } from '../../protocol/child-view.ts';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { errorText } from '../../protocol/one-line.ts';
import { isSubagentSessionKey } from '../../protocol/session-key.ts';
import { within } from '../../protocol/time-limit.ts';
import { DueClock } from '../../store/due-clock.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { ChildOutcome, ChildRow } from '../../store/tables.ts';
import { readDescendants } from './descendants.ts';
import { type ChildrenQuery, findChildByName, listChildren, showChild } from './read-children.ts';

export interface ChildrenParts {
  readonly childEnd: ChildEndParts;
  /** Stops the runs of a session and does the work before another one begins. */
  readonly withoutRuns: (
    sessionKey: string,
    stopping: { readonly stop: 'all'; readonly reason: string },
    work: () => Promise<void>,
  ) => Promise<void>;
  readonly deleteSession: (sessionKey: string) => Promise<unknown>;
  readonly subscribe: (listener: (event: LiveEvent) => void) => () => void;
  /** Only what happens on this node. */
  readonly subscribeHere: (listener: (event: LiveEvent) => void) => () => void;
  /** Set where several nodes share the store: whether this one ends children that take too long. */
  readonly isMine?: (() => boolean) | undefined;
  readonly warn: (sentence: string) => void;
}

/** A child that ended in one of these ways takes its descendants along. */
const TAKES_ALONG: ReadonlySet<ChildOutcome> = new Set(['killed', 'timeout', 'reset', 'deleted']);

export class Children {
  readonly #parts: ChildrenParts;
  readonly #clock: DueClock<ChildRow>;
  #undo: readonly (() => void)[] = [];
  /** The sessions that may have children which are not to be kept. */
  readonly #parents = new Set<string>();
  /** Work that was begun and is not waited for by its caller. */
  readonly #pending = new Set<Promise<void>>();

  constructor(parts: ChildrenParts) {
    this.#parts = parts;
    const { childEnd, warn } = parts;
    this.#clock = new DueClock({
      isMine: parts.isMine,
      overdue: async (now, limit) =>
        (await this.#limited())
          .filter(({ dueAt }) => dueAt <= now)
          .map(({ child }) => child)
          .slice(0, limit),
      nextAt: async () => (await this.#limited())[0]?.dueAt,
      expire: async (child) => {
        const marked = await this.#mark(child, 'timeout');
        this.#later(this.#finish(marked));
      },
      trouble: 'Children whose time is over could not be ended yet',
      now: childEnd.now,
      warn,
    });
  }

  async open(): Promise<void> {
    const { subscribe, subscribeHere } = this.#parts;
    this.#undo = [
      subscribe(({ type, sessionKey }) => {
        if (type === 'run-start' && isSubagentSessionKey(sessionKey)) void this.#clock.look();
      }),
      // The node at which a child has ended does what follows.
      subscribeHere((event) => this.#look(event)),
    ];
    await this.#clock.open();
  }

  /** Ends those that take too long, where this is for this node to do. */
  look(): Promise<void> {
    return this.#clock.look();
  }

  /** Goes on with what a process that is gone has begun. Rejects with the errors of the store. */
  async goOn(): Promise<void> {
    const store = this.#store;
    const active = await store.select('children', { where: { endedAt: null } });
    await this.#finish(active.filter(({ ending }) => ending !== null).map(({ childKey }) => childKey));
    const parents = [...new Set(active.map(({ parentKey }) => parentKey))].filter(isSubagentSessionKey);
    for (const parentKey of parents) {
      const [parent] = await store.select('children', { where: { childKey: parentKey }, limit: 1 });
      if (parent?.outcome && TAKES_ALONG.has(parent.outcome)) await this.#endDescendants(parentKey);
    }
    const unkept = await store.select('children', { where: { cleanup: 'delete' } });
    for (const { parentKey } of unkept) this.#parents.add(parentKey);
    await this.#cleanUp({});
  }

  /** The same as `goOn` without being waited for; a failure is a warning. */
  goOnLater(): void {
    this.#later(this.goOn());
  }

  /** What is not done within this time is done by the next process. */
  async close(budgetMs: number): Promise<void> {
    for (const undo of this.#undo) undo();
    await this.#clock.close();
    await within(budgetMs, Promise.all(this.#pending));
  }

  /** The children of a session, in the order in which they were spawned, each with its own. */
  list(query: ChildrenQuery): Promise<readonly ChildView[]> {
    return listChildren(this.#store, query, this.#parts.childEnd.now());
  }

  /** A child of a session, or one that came from them, by any of its names. Rejects with UnknownChildError. */
  async show(parentKey: string, name: string): Promise<ChildView> {
    const child = await findChildByName(this.#store, name, parentKey);
    return showChild(this.#store, child, this.#parts.childEnd.now());
  }

  /**
   * Stops a child of a session, or one that came from them, by any of its names, or `all` that have not ended; each with
   * its descendants. Gives the names of those that it stopped, which are none when they were over already. Rejects with
   * UnknownChildError.
   */
  async stop(parentKey: string, name: string): Promise<readonly string[]> {
    const isAll = name.trim() === 'all';
    const children = isAll
      ? await this.#store.select('children', { where: { parentKey, endedAt: null }, orderBy: [['seq', 'asc']] })
      : [await findChildByName(this.#store, name, parentKey)];
    const stopped = await Promise.all(
      children.map(async (child) =>
        (await this.kill(child.childKey)) ? [child.label ?? child.taskName ?? child.childKey] : [],
      ),
    );
    return stopped.flat();
  }

  /** Stops a child with all its descendants. False when it was over already. */
  async kill(childKey: string): Promise<boolean> {
    const [child] = await this.#store.select('children', { where: { childKey }, limit: 1 });
    if (!child || child.endedAt !== null) return false;
    await this.#finish(await this.#mark(child, 'killed'));
    return true;
  }

  /** Ends a child with all its descendants, before its session is reset or deleted. False when there is none to end. */
  async end(sessionKey: string, outcome: 'reset' | 'deleted'): Promise<boolean> {
    if (!isSubagentSessionKey(sessionKey)) return false;
    const [child] = await this.#store.select('children', { where: { childKey: sessionKey, endedAt: null }, limit: 1 });
    if (!child) return false;
    await this.#finish(await this.#mark(child, outcome));
    return true;
  }

  get #store() {
    return this.#parts.childEnd.store;
  }

  /** Says in one commit that these are to be ended. The child is first, its descendants follow. */
  async #mark(child: ChildRow, outcome: ChildOutcome): Promise<readonly string[]> {
    const [, ...descendants] = await readDescendants(this.#store, [child]);
    const keys = descendants.filter(({ endedAt }) => endedAt === null).map(({ childKey }) => childKey);
    const where = { endedAt: null, ending: null };
    await this.#store.commit(
      [
        { update: 'children', where: { ...where, childKey: child.childKey }, set: { ending: outcome } },
        { update: 'children', where: { ...where, childKey: { in: keys } }, set: { ending: 'killed' } },
      ],
      { site: 'child-end', waits: true },
    );
    return [child.childKey, ...keys];
  }

  /** Stops the runs of children that are marked, and ends those that no run has ended. */
  async #finish(childKeys: readonly string[]): Promise<void> {
    const reason = 'its task was stopped';
    await Promise.all(
      childKeys.map((childKey) =>
        this.#parts.withoutRuns(childKey, { stop: 'all', reason }, () => this.#endNow(childKey)),
      ),
    );
  }

  async #endNow(childKey: string): Promise<void> {
    const store = this.#store;
    const [child] = await store.select('children', { where: { childKey, endedAt: null }, limit: 1 });
    if (!child?.ending) return;
    const [session] = await store.select('sessions', {
      where: { sessionKey: childKey },
      orderBy: [['startedAt', 'desc']],
      limit: 1,
    });
    const end = await planChildEnd(this.#parts.childEnd, child, {
      outcome: child.ending,
      runs: await readChildRuns(store, childKey),
      error: describeEnding(child, child.ending),
      sessionId: session?.sessionId ?? '',
      runId: child.runId,
    });
    try {
      await store.commit(end.writes, { site: 'child-end' });
    } catch (error) {
      // A run has ended it meanwhile.
      if (error instanceof PreconditionFailedError) return;
      throw error;
    }
    end.tell();
  }

  #look(event: LiveEvent): void {
    if (event.type === 'child-end' && TAKES_ALONG.has(event.outcome)) {
      this.#later(this.#endDescendants(event.childKey));
    }
    // A result is consumed when a run of the parent has ended; a child that owes none may go at once.
    if (event.type === 'child-start') this.#parents.add(event.sessionKey);
    if (event.type === 'child-end') this.#later(this.#cleanUp({ childKey: event.childKey }));
    if (event.type === 'run-end' && this.#parents.has(event.sessionKey))
      this.#later(this.#cleanUp({ parentKey: event.sessionKey }));
  }

  async #endDescendants(childKey: string): Promise<void> {
    for (const child of await this.#store.select('children', { where: { parentKey: childKey, endedAt: null } })) {
      await this.kill(child.childKey);
    }
  }

  /** Removes the sessions of children that were not to be kept and whose result was consumed. */
  async #cleanUp(where: { readonly childKey?: string; readonly parentKey?: string }): Promise<void> {
    const over = await this.#store.select('children', { where: { ...where, cleanup: 'delete', isAnswered: true } });
    for (const { childKey, endedAt } of over) {
      if (endedAt !== null) await this.#parts.deleteSession(childKey);
    }
  }

  /** Those with a limit that have started, the one that is due next first. */
  async #limited(): Promise<readonly { readonly child: ChildRow; readonly dueAt: number }[]> {
    const store = this.#store;
    const children = await store.select('children', {
      where: { endedAt: null, ending: null, runTimeoutMs: { not: null } },
    });
    const runIds = children.map(({ runId }) => runId);
    const runs = runIds.length === 0 ? [] : await store.select('runs', { where: { runId: { in: runIds } } });
    const starts = new Map(runs.map(({ runId, startedAt }) => [runId, startedAt]));
    return children
      .flatMap((child) => {
        const startedAt = starts.get(child.runId);
        return startedAt === undefined ? [] : [{ child, dueAt: startedAt + (child.runTimeoutMs ?? 0) }];
      })
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  #later(work: Promise<void>): void {
    const done = work.catch((error: unknown) =>
      this.#parts.warn(`Children could not be ended or removed yet: ${errorText(error)}`),
    );
    this.#pending.add(done);
    void done.then(() => this.#pending.delete(done));
  }
}
