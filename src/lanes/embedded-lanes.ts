// Lanes within one process. The inbox is the queue; memory has an entry only for keys that run, wait for a slot or
// pause after a failure, so a million idle sessions cost nothing and a crash loses nothing.
//
// Promise: one turn at a time per key; turns of different keys in the order in which they asked for a slot. This class
// does not know what a run does, and it learns the outcome of a run only from the store. Where several nodes share the
// inbox, each of them has these lanes for what it runs itself, and `ClusterLanes` says which keys those are.

import { RunInterruptedError, RunStoppedError } from '../protocol/errors.ts';
import type { Say } from '../protocol/log.ts';
import { errorText } from '../protocol/one-line.ts';
import { within } from '../protocol/time-limit.ts';
import { isStoreError, NodeExpelledError, PreconditionFailedError } from '../store/errors.ts';
import type { Store, Write } from '../store/store.ts';
import type { RunRow } from '../store/tables.ts';
import { keysWith } from './keys-with.ts';
import type { LaneSharing } from './lane-sharing.ts';
import type { Lanes, LaneWork, RunningLane } from './lanes.ts';
import { loadNextTrigger, type NextTrigger } from './next-trigger.ts';
import { planClaim } from './plan-claim.ts';

export interface EmbeddedLanesOptions {
  readonly store: Store;
  /** How many keys may run at once. */
  readonly limit: number;
  /**
   * Keys with slots of their own: how many of them may run at once, besides the others. Without it all keys share the
   * same slots. They begin a few at a time, because what a run does before it waits for a model takes the processor
   * from the others, and a hundred may be asked for at once.
   */
  readonly aside?:
    | {
        readonly isMeant: (sessionKey: string) => boolean;
        readonly limit: number;
        /** A run that takes longer to begin keeps no other from beginning: it may wait for a handler. */
        readonly longestBeginningMs?: number | undefined;
      }
    | undefined;
  readonly now: () => number;
  readonly warn: Say;
  /** The pause after the first failure of a trigger. Each further failure doubles it. */
  readonly firstPauseMs?: number | undefined;
  /** Without it no other process works on the same inbox. */
  readonly sharing?: LaneSharing | undefined;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** How many keys with slots of their own begin a run at the same time. */
const BEGINNING_ASIDE = 2;

const LONGEST_BEGINNING_MS = 100;

/** So often in a row a claim may be refused without being a failure: another node was faster each time. */
const MOST_REFUSALS = 3;

/** How long runs that a shutdown has aborted may take to finish. */
const GRACE_MS = 1_000;

export class EmbeddedLanes implements Lanes {
  readonly #store: Store;
  readonly #pools: Readonly<Record<PoolName, Pool>>;
  readonly #isAside: (sessionKey: string) => boolean;
  readonly #longestBeginningMs: number;
  readonly #now: () => number;
  readonly #warn: Say;
  readonly #firstPauseMs: number;
  readonly #sharing: LaneSharing | undefined;
  /** A key without an entry has nothing to do, or is suspended. */
  readonly #lanes = new Map<string, Lane>();
  /** How many callers hold a key. Keys that are not held have no entry. */
  readonly #holds = new Map<string, number>();
  /** One promise per slot in use. */
  readonly #turns = new Set<Promise<void>>();
  #work: LaneWork | undefined;
  #isClosed = false;

  constructor({ store, limit, aside, now, warn, firstPauseMs = FIRST_PAUSE_MS, sharing }: EmbeddedLanesOptions) {
    this.#store = store;
    this.#pools = { common: newPool(limit), aside: newPool(aside?.limit ?? 1, BEGINNING_ASIDE) };
    this.#isAside = aside?.isMeant ?? (() => false);
    this.#longestBeginningMs = aside?.longestBeginningMs ?? LONGEST_BEGINNING_MS;
    this.#now = now;
    this.#warn = warn;
    this.#firstPauseMs = firstPauseMs;
    this.#sharing = sharing;
  }

  async open(work: LaneWork): Promise<void> {
    for (const status of ['claimed', 'queued'] as const) {
      for (const sessionKey of await keysWith(this.#store, status)) this.wake(sessionKey);
    }
    this.begin(work);
  }

  /** Begins to work on what is woken, without looking for it first. */
  begin(work: LaneWork): void {
    this.#work = work;
    for (const pool of Object.values(this.#pools)) this.#fillSlots(pool);
  }

  resize(limit: number, asideLimit: number): void {
    const { common, aside } = this.#pools;
    common.limit = Math.max(1, limit);
    aside.limit = Math.max(1, asideLimit);
    for (const pool of [common, aside]) this.#fillSlots(pool);
    this.#sharing?.freed();
  }

  wake(sessionKey: string): void {
    if (this.#isClosed) return;
    const lane = this.#lanes.get(sessionKey);
    if (lane !== undefined) {
      lane.isWoken = true;
      return;
    }
    const pool = this.#pools[this.poolOf(sessionKey)];
    const woken: Lane = { sessionKey, pool, isWoken: false, turns: 0, failures: 0, refusals: 0 };
    this.#lanes.set(sessionKey, woken);
    pool.ready.add(woken);
    this.#fillSlots(pool);
  }

  /** Which slots a key uses. */
  poolOf(sessionKey: string): PoolName {
    return this.#isAside(sessionKey) ? 'aside' : 'common';
  }

  /** How many more lanes could have a slot at once. */
  freeSlots(name: PoolName): number {
    const { limit, inUse, ready } = this.#pools[name];
    return Math.max(0, limit - inUse - ready.size);
  }

  /** Whether the key runs here, waits for a slot here or pauses here. Then a wake is enough. */
  has(sessionKey: string): boolean {
    return this.#lanes.has(sessionKey);
  }

  /** Aborts everything that runs, because this node may no longer write. What was begun is tried again after `retry`. */
  interrupt(): void {
    for (const { attempt } of this.#lanes.values()) {
      if (attempt && attempt.outcome === undefined) attempt.controller.abort(new RunInterruptedError());
    }
  }

  /** Ends every pause. */
  retry(): void {
    for (const lane of this.#lanes.values()) this.#endPause(lane);
  }

  async stop(sessionKey: string, reason: string, runId?: string): Promise<boolean> {
    return this.stopHere(sessionKey, reason, runId);
  }

  /** Stops a run of this process at once. */
  stopHere(sessionKey: string, reason: string, runId?: string): boolean {
    const lane = this.#lanes.get(sessionKey);
    if (!lane?.attempt || lane.attempt.outcome === 'resolved') return false;
    if (runId !== undefined && lane.attempt.runId !== runId) return false;
    const error = new RunStoppedError({ reason });
    lane.stopped = { runId: lane.attempt.runId, error };
    lane.attempt.controller.abort(error);
    this.#endPause(lane);
    return true;
  }

  async hold(sessionKey: string): Promise<() => void> {
    this.#holds.set(sessionKey, (this.#holds.get(sessionKey) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const others = (this.#holds.get(sessionKey) ?? 1) - 1;
      if (others > 0) {
        this.#holds.set(sessionKey, others);
        return;
      }
      this.#holds.delete(sessionKey);
      this.wake(sessionKey);
    };
  }

  get running(): readonly RunningLane[] {
    return [...this.#lanes.values()].flatMap(({ sessionKey, attempt }) =>
      attempt && attempt.outcome !== 'resolved' ? [{ sessionKey, runId: attempt.runId, since: attempt.since }] : [],
    );
  }

  waiting(): Promise<number> {
    return this.#store.count('inbox', { status: 'queued' });
  }

  async close(budgetMs: number): Promise<void> {
    this.#isClosed = true;
    for (const { ready } of Object.values(this.#pools)) ready.clear();
    for (const { sessionKey, pause } of this.#lanes.values()) {
      if (pause === undefined) continue;
      clearTimeout(pause);
      this.#lanes.delete(sessionKey);
    }
    if (await this.#settles(budgetMs)) return;
    for (const { attempt } of this.#lanes.values()) attempt?.controller.abort(new RunInterruptedError());
    await this.#settles(GRACE_MS);
  }

  #settles(timeoutMs: number): Promise<boolean> {
    return within(timeoutMs, Promise.all(this.#turns));
  }

  #fillSlots(pool: Pool): void {
    const work = this.#work;
    if (work === undefined || this.#isClosed) return;
    for (const lane of pool.ready) {
      if (pool.inUse >= pool.limit || pool.beginning >= pool.beginningLimit) return;
      pool.ready.delete(lane);
      pool.inUse++;
      const begun = this.#begin(pool);
      const turn = this.#takeTurn(lane, work, begun).finally(() => {
        this.#turns.delete(turn);
        pool.inUse--;
        begun();
        this.#fillSlots(pool);
        this.#sharing?.freed();
      });
      this.#turns.add(turn);
    }
  }

  /** Counts a turn as one that begins until the function that is returned was called, or for a short time. */
  #begin(pool: Pool): () => void {
    if (pool.beginningLimit === Number.POSITIVE_INFINITY) return () => {};
    pool.beginning++;
    let isBeginning = true;
    const begun = () => {
      clearTimeout(timer);
      if (!isBeginning) return;
      isBeginning = false;
      pool.beginning--;
      this.#fillSlots(pool);
    };
    const timer = setTimeout(begun, this.#longestBeginningMs);
    return begun;
  }

  /** Runs at most one trigger and what is handled with it, so that a key with many triggers cannot keep others waiting. Never rejects. */
  async #takeTurn(lane: Lane, work: LaneWork, begun: () => void): Promise<void> {
    lane.isWoken = false;
    lane.turns++;
    try {
      const outcome = await this.#advance(lane, work, begun);
      if (this.#isClosed || (outcome === 'idle' && !lane.isWoken)) this.#lanes.delete(lane.sessionKey);
      else lane.pool.ready.add(lane);
    } catch (error) {
      if (this.#isClosed && error instanceof RunInterruptedError) await this.#forgive(lane);
      this.#pause(lane, error);
    }
  }

  /** An attempt that a shutdown interrupted says nothing about its run, so the next process does not count it. */
  async #forgive({ attempt }: Lane): Promise<void> {
    if (!attempt) return;
    const { runId, claim } = attempt;
    const write: Write = { update: 'runs', where: { runId }, set: { progressClaim: claim } };
    // If this commit fails, the attempt is counted like one whose process was killed, which is acceptable.
    await failureOf(this.#store.commit([write], { site: 'claim', claim: { runId, claim } }));
  }

  async #advance(lane: Lane, work: LaneWork, begun: () => void): Promise<'idle' | 'advanced'> {
    const sharing = this.#sharing;
    // The error pauses the lane until this node is a member again.
    if (sharing?.memberId === null) throw new NodeExpelledError({ store: this.#store.description });
    const expectsRun = lane.failures > 0 || lane.refusals > 0;
    const next = await loadNextTrigger(this.#store, lane.sessionKey, expectsRun, work.joining);
    if (this.#isClosed) return 'idle';
    const isSameRun = next.kind === 'open' && next.trigger.runId === lane.attempt?.runId;
    if (!isSameRun) forgetAttempt(lane);
    switch (next.kind) {
      case 'none':
        return 'idle';
      case 'suspended':
        // The stop was asked for on another node at the moment in which the run was suspended here.
        if (next.run.stopReason !== null) await work.cancel?.(next.run.runId, next.run.stopReason);
        return 'idle';
      case 'over': {
        const { seq } = next.trigger;
        await this.#store.commit([{ update: 'inbox', where: { seq }, set: { status: 'done' } }], { site: 'claim' });
        return 'advanced';
      }
      case 'open':
        if (next.run === undefined && this.#holds.has(lane.sessionKey)) return 'idle';
        if (isSameRun && next.run?.status === 'running') {
          if (next.run.claim !== lane.attempt?.claim) return this.#letGo(lane, next.run);
          if (lane.attempt.outcome === 'resolved') throw new Error('its handler returned before it had ended');
        }
        if (sharing && next.run?.status === 'running' && sharing.isElsewhere(next.run)) return 'idle';
        if (sharing && next.run === undefined && lane.turns > 1 && sharing.mustGiveWay(lane.sessionKey)) {
          sharing.handBack(lane.sessionKey);
          return 'idle';
        }
        return this.#run(lane, work, next, begun);
    }
  }

  async #run(
    lane: Lane,
    work: LaneWork,
    { trigger, run, joined }: OpenTrigger,
    begun: () => void,
  ): Promise<'idle' | 'advanced'> {
    const sharing = this.#sharing;
    const since = this.#now();
    const { claim, writes, isLast } = planClaim(trigger, run, since, {
      isForgiven: lane.forgiven === trigger.runId,
      joined,
      node: sharing?.memberId ?? null,
      guards: run === undefined ? sharing?.guardsOf(lane.sessionKey) : undefined,
    });
    const controller = new AbortController();
    if (lane.stopped?.runId === claim.runId) controller.abort(lane.stopped.error);
    else if (run && run.stopReason !== null) controller.abort(new RunStoppedError({ reason: run.stopReason }));
    const attempt: Attempt = { ...claim, since, controller, outcome: undefined };
    lane.attempt = attempt;

    const claiming = failureOf(this.#store.commit(writes, { site: 'claim', lazy: true }), (error) =>
      controller.abort(error),
    );
    // Commits keep their order, so what the run commits comes after its claim. Only a claim that another process may
    // also hold has to be awaited.
    const isContested = run !== undefined || lane.failures > 0 || sharing?.isContested === true;
    const isRefused = isContested && (await claiming) !== undefined;
    const { signal } = controller;
    const claimed = {
      ...{ trigger: { ...trigger, status: 'claimed' as const }, claim, attempt: claim.claim },
      ...{ claimedAt: since, signal, begun },
    };
    const handle = async () => (isLast ? work.giveUp(claimed) : work.run(claimed));
    const failure = isRefused ? undefined : await failureOf(handle());

    const refusal = await claiming;
    if (refusal) {
      // Without its claim this attempt did not happen; the next attempt reads the store again.
      lane.attempt = undefined;
      if (sharing && refusal.error instanceof PreconditionFailedError && lane.refusals++ < MOST_REFUSALS)
        return (await sharing.isHeld(lane.sessionKey)) ? 'idle' : 'advanced';
      throw refusal.error;
    }
    lane.refusals = 0;
    if (failure) throw failure.error;
    attempt.outcome = 'resolved';
    return 'advanced';
  }

  /** Another process has claimed the run since, so the run and its lane belong to that process now. */
  #letGo(lane: Lane, run: RunRow): 'idle' {
    this.#warn(`The run ${run.runId} of ${lane.sessionKey} was taken over by another process, which goes on with it.`, {
      runId: run.runId,
      sessionKey: lane.sessionKey,
    });
    forgetAttempt(lane);
    return 'idle';
  }

  /** Keeps the lane, so that no later trigger overtakes, and gives the slot back. */
  #pause(lane: Lane, error: unknown): void {
    if (this.#isClosed) {
      this.#lanes.delete(lane.sessionKey);
      return;
    }
    lane.failures++;
    if (lane.attempt) {
      lane.attempt.outcome = 'rejected';
      // A failure of the store says nothing about the run, even if it lasts long; nor does an end of this node's membership.
      const isForgiven = isStoreError(error) || error instanceof RunInterruptedError;
      lane.forgiven = isForgiven ? lane.attempt.runId : undefined;
    }
    const pauseMs = Math.min(this.#firstPauseMs * 2 ** (lane.failures - 1), LONGEST_PAUSE_MS);
    const what = lane.attempt
      ? `The run ${lane.attempt.runId} of ${lane.sessionKey}`
      : `The lane of ${lane.sessionKey}`;
    const why = errorText(error);
    // A store that refuses is told by the part that watches it; a line for each lane would only repeat it.
    if (why !== lane.why && !isStoreError(error) && !(error instanceof RunInterruptedError))
      this.#warn(`${what} could not go on and is tried again in ${pauseMs} ms: ${why}`, {
        runId: lane.attempt?.runId,
        sessionKey: lane.sessionKey,
      });
    lane.why = why;
    lane.pause = setTimeout(() => this.#endPause(lane), pauseMs);
  }

  #endPause(lane: Lane): void {
    if (lane.pause === undefined || this.#isClosed) return;
    clearTimeout(lane.pause);
    lane.pause = undefined;
    lane.pool.ready.add(lane);
    this.#fillSlots(lane.pool);
  }
}

type OpenTrigger = Extract<NextTrigger, { readonly kind: 'open' }>;

/** The keys with slots of their own, and all others. */
export type PoolName = 'common' | 'aside';

/** Slots, and the lanes that share them. */
interface Pool {
  limit: number;
  inUse: number;
  /** How many may begin at the same time, and how many begin now. */
  readonly beginningLimit: number;
  beginning: number;
  /** The lanes that wait for a slot; the one that has waited longest is first. Each of them is known and has no turn. */
  readonly ready: Set<Lane>;
}

function newPool(limit: number, beginningLimit: number = Number.POSITIVE_INFINITY): Pool {
  return { limit: Math.max(1, limit), inUse: 0, beginningLimit, beginning: 0, ready: new Set() };
}

interface Lane {
  readonly sessionKey: string;
  readonly pool: Pool;
  /** A row was committed since the turn began, so a look-up that found no row must be repeated. */
  isWoken: boolean;
  /** How many turns it has had since it was woken. */
  turns: number;
  /** The number of claims in a row that others have prevented. */
  refusals: number;
  /** The number of failures in a row of the next trigger. */
  failures: number;
  /** The reason of the last failure. It is said again only when it changes, because retries go on for ever. */
  why?: string | undefined;
  /** The run whose last claim failed because of the store. */
  forgiven?: string | undefined;
  attempt?: Attempt | undefined;
  /** A run that was stopped stays stopped: a further attempt starts with an aborted signal. */
  stopped?: { readonly runId: string; readonly error: RunStoppedError } | undefined;
  pause?: NodeJS.Timeout | undefined;
}

interface Attempt {
  readonly runId: string;
  readonly claim: number;
  readonly since: number;
  readonly controller: AbortController;
  outcome: 'resolved' | 'rejected' | undefined;
}

function forgetAttempt(lane: Lane): void {
  if (!lane.attempt) return;
  lane.attempt = undefined;
  lane.stopped = undefined;
  lane.failures = 0;
  lane.why = undefined;
}

async function failureOf(
  promise: Promise<unknown>,
  tell?: (error: unknown) => void,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    tell?.(error);
    return { error };
  }
}
