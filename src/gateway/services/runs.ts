// The runs of a gateway, for clients, commands and plugins: found, waited for, and stopped. How a run works is in
// `agent/run.ts`.
// Errors: `wait` and `findRun` reject with UnknownRunError.

import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_GONE } from '../../agent/client-gone.ts';
import { type ChildEndParts, planChildEndOfRun } from '../../agent/subagents/end-child.ts';
import type { Tell } from '../../facts/facts.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store } from '../../store/store.ts';
import {
  type HandedCall,
  type InboxRow,
  RESUMING_KINDS,
  type RunRow,
  type TriggerPayload,
} from '../../store/tables.ts';
import { UnknownRunError } from '../errors.ts';
import type { LiveEvents } from '../live-events.ts';
import type { EndedRuns } from '../sharing/ended-runs.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { AwaitedEnds, KnownEnd } from './awaited-ends.ts';
import { handedCalls } from './client-calls.ts';
import type { Suspensions } from './suspensions.ts';

export interface RunsParts {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'hold' | 'running' | 'stop'>;
  readonly suspensions: Pick<Suspensions, 'cancel'>;
  readonly live: Pick<LiveEvents, 'expect'>;
  readonly awaitedEnds: Pick<AwaitedEnds, 'expect'>;
  /** Set where runs go on at other nodes, whose events may be lost. */
  readonly ended?: EndedRuns | undefined;
  /** Does work again that was cut short because this node was expelled. */
  readonly again: Sharing['again'];
  readonly tell: Tell;
  readonly childEnd: ChildEndParts;
  readonly now: () => number;
}

/** A run that waits in its lane has no row of its own yet, and is reported as `queued`. */
export type FoundRun = Omit<RunRow, 'status'> & { readonly status: RunRow['status'] | 'queued' };

interface Stopping {
  readonly stop: 'all' | 'begun';
  readonly reason: string;
}

/** Runs that are stopped because their session ends have this long to end. */
const STOP_ALL_MS = 5_000;

export class Runs {
  readonly #parts: RunsParts;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with the run when it is over. `isNew` says that its message was accepted just now, and that nothing else was
   * waited for since: its end is then still to come, and need not be looked for first. Where another node may have been
   * quicker than that, its row is looked at from time to time.
   */
  async wait(
    runId: string,
    signal?: AbortSignal,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<RunRow> {
    const end = this.#parts.live.expect((event) => event.type === 'run-end' && event.runId === runId, signal);
    const look = this.#parts.ended?.expect(runId, isOver);
    // The run may be over already, and then this method returns without waiting for the event.
    end.happened.catch(() => {});
    try {
      const before = isNew ? undefined : await this.#row(runId);
      if (before && isOver(before)) return before;
      if (!isNew && !before && (await this.#parts.store.count('inbox', { runId })) === 0)
        throw new UnknownRunError({ runId });
      await (look ? Promise.race([end.happened, look.seen]) : end.happened);
      const after = await this.#row(runId);
      if (!after) throw new UnknownRunError({ runId });
      return after;
    } finally {
      end.leave();
      look?.leave();
    }
  }

  /**
   * Resolves when the run is over, or when it waits for its client to run a tool. `isNew` as for `wait`.
   */
  async turn(
    runId: string,
    signal?: AbortSignal,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<{ readonly run: KnownEnd; readonly calls: readonly HandedCall[] }> {
    const { live, store, awaitedEnds } = this.#parts;
    const end = awaitedEnds.expect(runId);
    const turned = live.expect(
      (event) =>
        event.runId === runId &&
        (event.type === 'run-end' || (event.type === 'wait-start' && event.isForClient === true)),
      signal,
    );
    const look = this.#parts.ended?.expect(runId, async (run) => (await this.#turnOf(run)) !== undefined);
    turned.happened.catch(() => {});
    try {
      const now = isNew ? undefined : await this.#turnNow(runId);
      if (now) return now;
      if (!isNew && (await store.count('inbox', { runId })) === 0) throw new UnknownRunError({ runId });
      await (look ? Promise.race([turned.happened, look.seen]) : turned.happened);
      const run = end.known();
      if (run) return { run, calls: [] };
      const then = await this.#turnNow(runId);
      if (then) return then;
    } finally {
      end.leave();
      turned.leave();
      look?.leave();
    }
    // The result came before the calls could be read.
    return this.turn(runId, signal);
  }

  async #turnNow(runId: string) {
    const run = await this.#row(runId);
    return run && this.#turnOf(run);
  }

  async #turnOf(run: RunRow) {
    if (isOver(run)) return { run, calls: [] };
    const calls = await handedCalls(this.#parts.store, run.runId);
    return calls.length > 0 ? { run, calls } : undefined;
  }

  /**
   * Aborts a run that is going on, or removes a waiting one from its lane. False when it was over already. Without a
   * reason, it is stopped because its client disconnected.
   */
  async stop(runId: string, reason: string = CLIENT_GONE): Promise<boolean> {
    const { store, lanes, suspensions } = this.#parts;
    const [trigger] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
    if (!trigger || trigger.status === 'done' || trigger.status === 'dead') return false;
    if (trigger.status === 'queued' && (await this.#takeOut(runId, trigger.sessionKey, trigger.payload, reason)))
      return true;
    const stopRunning = () => lanes.stop(trigger.sessionKey, reason, runId);
    // A run that is about to suspend counts as running and does not receive the stop; a suspended one may continue
    // meanwhile.
    const wasRunning = await stopRunning();
    return (await suspensions.cancel(runId, reason)) || wasRunning || (await stopRunning());
  }

  /**
   * Stops the runs of a session and does the work before another one begins. `all` also removes the runs that wait in
   * the lane; `begun` leaves them, and they begin after the work. A run that has not ended when the time for it is over
   * does not keep the work from being done. A node that is expelled meanwhile does all of it again, because others may have
   * begun a run since.
   */
  withoutRuns<Value>(sessionKey: string, stopping: Stopping, work: () => Promise<Value>): Promise<Value> {
    return this.#parts.again(() => this.#withoutRuns(sessionKey, stopping, work));
  }

  async #withoutRuns<Value>(
    sessionKey: string,
    { stop, reason }: Stopping,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const release = await this.#parts.lanes.hold(sessionKey);
    try {
      await this.#stopAll(sessionKey, reason, (trigger) => stop === 'all' || this.#hasBegun(trigger));
      return await work();
    } finally {
      release();
    }
  }

  async #stopAll(sessionKey: string, reason: string, isMeant: (trigger: InboxRow) => boolean): Promise<void> {
    const patience = timeLimit(STOP_ALL_MS, () => new Error('The time for stopping runs is over.'));
    const where = { sessionKey, status: { in: ['queued', 'claimed'] } };
    const triggers = await this.#parts.store.select('inbox', { where, orderBy: [['seq', 'desc']] });
    for (const { runId } of triggers.filter(({ kind }) => !RESUMING_KINDS.has(kind)).filter(isMeant)) {
      if (!(await this.stop(runId, reason))) continue;
      await this.wait(runId, patience.signal).catch(() => {});
      // A run still writes something after it has told its end.
      while (this.#isRunning(runId) && !patience.signal.aborted) await sleep(5);
    }
    patience.clear();
  }

  async #row(runId: string): Promise<RunRow | undefined> {
    const [run] = await this.#parts.store.select('runs', { where: { runId }, limit: 1 });
    return run;
  }

  #hasBegun({ runId, status }: InboxRow): boolean {
    return status === 'claimed' || this.#isRunning(runId);
  }

  #isRunning(runId: string): boolean {
    return this.#parts.lanes.running.some((lane) => lane.runId === runId);
  }

  /** Removes a message that no lane has started. False when a lane was faster. */
  async #takeOut(runId: string, sessionKey: string, payload: TriggerPayload | null, reason: string): Promise<boolean> {
    const { store, tell, now, childEnd } = this.#parts;
    const at = now();
    const error = `Stopped before it began: ${reason}.`;
    const end = await planChildEndOfRun(childEnd, {
      ...{ runId, sessionKey, sessionId: '', results: payload?.completionOf === undefined ? [] : [payload] },
      status: 'stopped',
      error,
    });
    try {
      await store.commit(
        [
          { update: 'inbox', where: { runId, status: 'queued' }, set: { status: 'done' }, expect: 1 },
          {
            insert: 'runs',
            row: {
              runId,
              sessionKey,
              agentId: payload?.agentId ?? '',
              sessionId: null,
              status: 'stopped',
              claim: 0,
              progressClaim: 0,
              startedAt: at,
              endedAt: at,
              outcome: { error, errorCode: 'ATRIUM_RUN_STOPPED' },
              observed: true,
              node: null,
              stopReason: null,
            },
          },
          ...end.writes,
        ],
        { site: 'control', waits: true },
      );
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error;
      // Either a lane has started it, or the run before it has ended meanwhile.
      const isWaiting = end.isGuarded && (await store.count('inbox', { runId, status: 'queued' })) > 0;
      return isWaiting ? this.#takeOut(runId, sessionKey, payload, reason) : false;
    }
    void tell('run-ended', { runId, sessionKey, status: 'stopped' });
    end.tell();
    return true;
  }
}

/** Reads only the store, so that it works while no gateway runs. Rejects with UnknownRunError. */
export async function findRun(store: Store, runId: string): Promise<FoundRun> {
  const [row] = await store.select('runs', { where: { runId }, limit: 1 });
  if (row) return row;
  const [waiting] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  if (!waiting) throw new UnknownRunError({ runId: runId.slice(0, 512) });
  return {
    runId,
    sessionKey: waiting.sessionKey,
    agentId: waiting.payload?.agentId ?? '',
    sessionId: null,
    status: 'queued',
    claim: 0,
    progressClaim: 0,
    startedAt: waiting.acceptedAt,
    endedAt: null,
    outcome: null,
    observed: false,
    node: null,
    stopReason: null,
  };
}

export function isOver({ status }: Pick<FoundRun, 'status'>): boolean {
  return status !== 'queued' && status !== 'running' && status !== 'suspended';
}
