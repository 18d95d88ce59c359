// Lanes over several nodes that share one store. Each node has lanes of its own (`EmbeddedLanes`) for what it runs. A
// wake stays on its node when there is room; otherwise it becomes a job for whatever node has some (`LaneJobs`).
//
// Promise: as `Lanes` says, over all nodes together. It rests on rows alone. A claim names the member that made it, and its preconditions let
// one of two simultaneous claims succeed; a run is taken up by another node only when its member is gone; a hold is a row
// that a claim cannot pass; a stop is written on the run's row. Messages and jobs only save time: every node looks for
// forgotten work when it opens and when a member is gone, and one of them does so every few seconds.
//
// A wake need not be told to another node where the lane is busy: that node looks at its lane again after each run, and
// the trigger was committed before the waking node saw that run.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, MemberChange } from '../cluster/cluster.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Say } from '../protocol/log.ts';
import { newId } from '../protocol/new-id.ts';
import { errorText } from '../protocol/one-line.ts';
import { isStoreError, PreconditionFailedError } from '../store/errors.ts';
import { DEFAULT_SCHEMA } from '../store/postgres/describe-place.ts';
import type { Store, Write } from '../store/store.ts';
import type { RunRow } from '../store/tables.ts';
import { EmbeddedLanes, type EmbeddedLanesOptions, type PoolName } from './embedded-lanes.ts';
import { keysWith } from './keys-with.ts';
import { LaneJobs } from './lane-jobs.ts';
import type { Lanes, LaneWork, RunningLane } from './lanes.ts';

export interface ClusterLanesOptions extends Omit<EmbeddedLanesOptions, 'sharing'> {
  readonly cluster: Cluster;
  /** The database of the store, and the schema that its tables are in. */
  readonly url: string;
  readonly schema?: string | undefined;
  /** The only node on which a session may run, by its name. Undefined when any node may. */
  readonly nodeOf?: ((sessionKey: string) => string | undefined) | undefined;
  /** How often forgotten work is looked for. */
  readonly lookMs?: number | undefined;
}

const LOOK_MS = 5_000;
/** More forgotten lanes are left to the next look. */
const MOST_IN_LOOK = 1_000;
const RETRY_MS = 250;

const POOLS = ['common', 'aside'] as const satisfies readonly PoolName[];

export class ClusterLanes implements Lanes {
  readonly #options: ClusterLanesOptions;
  readonly #store: Store;
  readonly #cluster: Cluster;
  readonly #warn: Say;
  readonly #here: EmbeddedLanes;
  readonly #jobs: LaneJobs;
  readonly #closing = new AbortController();
  readonly #leave: (() => unknown)[] = [];
  /** The functions that wake those who wait for room. */
  readonly #waiters = new Set<() => void>();
  #isDraining = false;

  constructor(options: ClusterLanesOptions) {
    const { store, cluster, warn, url, schema = DEFAULT_SCHEMA } = options;
    this.#options = options;
    this.#store = store;
    this.#cluster = cluster;
    this.#warn = warn;
    this.#jobs = new LaneJobs({
      url,
      schema,
      node: cluster.node,
      full: () => this.#whileFull(),
      take: (sessionKey) => this.#here.wake(sessionKey),
      warn,
    });

    this.#here = new EmbeddedLanes({
      ...options,
      sharing: {
        get memberId() {
          return cluster.memberId;
        },
        get isContested() {
          return cluster.members.length > 1;
        },
        isElsewhere: (run) => this.#isElsewhere(run),
        guardsOf: (sessionKey) => [notHeld(sessionKey)],
        isHeld: async (sessionKey) => (await store.count('laneHolds', { sessionKey })) > 0,
        mustGiveWay: (sessionKey) => this.#mustGiveWay(sessionKey),
        handBack: (sessionKey) => this.#hint(sessionKey),
        freed: () => this.#freed(),
      },
    });
  }

  async open(work: LaneWork): Promise<void> {
    const cluster = this.#cluster;
    this.#leave.push(cluster.watchMembers((change) => this.#memberChanged(change)));
    this.#leave.push(cluster.subscribe('lane', (message) => this.#hear(message)));
    await this.#jobs.open(cluster.memberId ?? cluster.node);
    this.#here.begin(work);
    await this.#lookForAll();
    this.#leave.push(cluster.shareDuty('lanes', (signal) => this.#lookAgainAndAgain(signal)));
    void this.#lookForStops();
  }

  wake(sessionKey: string): void {
    if (this.#closing.signal.aborted) return;
    if (this.#here.has(sessionKey) || (this.#mayRunHere(sessionKey) && this.#hasRoom(sessionKey)))
      this.#here.wake(sessionKey);
    else this.#hint(sessionKey);
  }

  async stop(sessionKey: string, reason: string, runId?: string): Promise<boolean> {
    if (this.#here.stopHere(sessionKey, reason, runId)) return true;
    const [run] = await this.#store.select('runs', { where: { sessionKey, status: 'running' }, limit: 1 });
    if (!run || (runId !== undefined && run.runId !== runId)) return false;
    const set = { stopReason: reason };
    try {
      const where = { runId: run.runId, status: 'running' };
      await this.#store.commit([{ update: 'runs', where, set, expect: 1 }], { site: 'control', waits: true });
    } catch (error) {
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
    const stop: StopMessage = { sessionKey, runId: run.runId, reason };
    this.#cluster.publish('lane', { ...stop });
    // It may have been taken up here meanwhile.
    this.#here.stopHere(sessionKey, reason, run.runId);
    // Its member may be gone, and then it is taken up in order to be ended.
    if (!this.#isElsewhere(run)) this.wake(sessionKey);
    return true;
  }

  async hold(sessionKey: string): Promise<() => void> {
    const id = newId('hold', this.#options.now());
    const row = { id, sessionKey, node: this.#cluster.memberId ?? this.#cluster.node };
    await this.#store.commit([{ insert: 'laneHolds', row }], { site: 'control' });
    // A node that is alone does not wait for its claims, so it must know its own holds.
    const releaseHere = await this.#here.hold(sessionKey);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      void this.#release(id).finally(releaseHere);
    };
  }

  resize(limit: number, asideLimit: number): void {
    this.#here.resize(limit, asideLimit);
  }

  get running(): readonly RunningLane[] {
    return this.#here.running;
  }

  waiting(): Promise<number> {
    return this.#here.waiting();
  }

  async close(budgetMs: number): Promise<void> {
    this.#closing.abort();
    this.#freed();
    const left = this.#leave.splice(0).map((leave) => leave());
    await Promise.all([...left, this.#jobs.close(), this.#here.close(budgetMs)]);
  }

  #isElsewhere({ node }: RunRow): boolean {
    return node !== null && node !== this.#cluster.memberId && this.#cluster.isAlive(node);
  }

  #mayRunHere(sessionKey: string): boolean {
    if (this.#isDraining) return false;
    const node = this.#options.nodeOf?.(sessionKey);
    return node === undefined || node === this.#cluster.node;
  }

  /** The last free slot is left to lanes that have waited longer. */
  #hasRoom(sessionKey: string): boolean {
    const pool = this.#here.poolOf(sessionKey);
    const free = this.#here.freeSlots(pool);
    return free > 1 || (free === 1 && !this.#jobs.mayWait(pool));
  }

  #mustGiveWay(sessionKey: string): boolean {
    if (!this.#mayRunHere(sessionKey)) return true;
    const pool = this.#here.poolOf(sessionKey);
    return this.#here.freeSlots(pool) === 0 && this.#jobs.mayWait(pool);
  }

  #hint(sessionKey: string): void {
    const node = this.#options.nodeOf?.(sessionKey);
    this.#jobs.add({ sessionKey, pool: this.#here.poolOf(sessionKey), node });
  }

  async #whileFull(): Promise<readonly PoolName[]> {
    for (;;) {
      const isClosed = this.#closing.signal.aborted;
      const full = POOLS.filter((pool) => this.#isDraining || isClosed || this.#here.freeSlots(pool) === 0);
      if (full.length < POOLS.length || isClosed) return full;
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  #freed(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
    if (POOLS.some((pool) => this.#jobs.mayWait(pool))) this.#jobs.look();
  }

  #memberChanged({ change, member }: MemberChange): void {
    const isOwn = member.node === this.#cluster.node;
    if (change === 'draining') {
      this.#isDraining ||= isOwn && member.id === this.#cluster.memberId;
    } else if (isOwn && change === 'joined') {
      if (member.id === this.#cluster.memberId) this.#rejoined(member.id);
    } else if (isOwn && this.#cluster.memberId === null) {
      // What this node has begun, another one goes on with, and it can store nothing more itself.
      if (change === 'expelled') this.#here.interrupt();
    } else if (change === 'left' || change === 'expelled') {
      void this.#trying(() => this.#takeOver(member.id));
    }
  }

  #rejoined(memberId: string): void {
    this.#jobs.setMember(memberId);
    this.#here.retry();
    void this.#trying(() => this.#lookForAll());
  }

  /** Every node does this; a key that several of them hint at is one job. */
  async #takeOver(memberId: string): Promise<void> {
    const runs = await this.#store.select('runs', { where: { node: memberId, status: 'running' } });
    for (const { sessionKey } of runs) this.#spread(sessionKey);
    await this.#removeHolds([memberId]);
    await this.#jobs.unlock(memberId);
    await this.#lookForQueued(await this.#keysElsewhere());
  }

  /** Removes the holds of members that are gone. */
  async #removeHolds(memberIds: readonly string[]): Promise<void> {
    if (memberIds.length === 0) return;
    await this.#store.commit([{ remove: 'laneHolds', where: { node: { in: memberIds } } }], { site: 'control' });
  }

  /** Wakes a lane that every node has found. */
  #spread(sessionKey: string): void {
    if (this.#cluster.members.length > 1 && !this.#here.has(sessionKey)) this.#hint(sessionKey);
    else this.wake(sessionKey);
  }

  /** Finds everything that has work: what this or another process has begun and left, and what is queued. */
  async #lookForAll(): Promise<void> {
    const holds = await this.#store.select('laneHolds');
    await this.#removeHolds(holds.map(({ node }) => node).filter((node) => !this.#cluster.isAlive(node)));
    const elsewhere = await this.#keysElsewhere();
    const suspended = await this.#store.select('runs', { where: { status: 'suspended' } });
    // A suspended lane is shut until a trigger is queued for it.
    const shut = new Set(suspended.filter(({ stopReason }) => stopReason === null).map(({ sessionKey }) => sessionKey));
    for (const sessionKey of await keysWith(this.#store, 'claimed')) {
      if (!elsewhere.has(sessionKey) && !shut.has(sessionKey)) this.wake(sessionKey);
    }
    await this.#lookForQueued(elsewhere);
  }

  async #lookForQueued(elsewhere: ReadonlySet<string>): Promise<void> {
    const forgotten = (await keysWith(this.#store, 'queued')).filter((key) => !elsewhere.has(key));
    for (const sessionKey of forgotten.slice(0, MOST_IN_LOOK)) {
      // What was waiting for so long may have no job that works, so any free slot is good.
      const isFree = this.#mayRunHere(sessionKey) && this.#here.freeSlots(this.#here.poolOf(sessionKey)) > 0;
      if (isFree || this.#here.has(sessionKey)) this.#here.wake(sessionKey);
      else this.#hint(sessionKey);
    }
  }

  /** The keys of what runs on nodes that are alive; those nodes look at the lanes themselves. */
  async #keysElsewhere(): Promise<ReadonlySet<string>> {
    const running = await this.#store.select('runs', { where: { status: 'running' } });
    return new Set(running.filter((run) => this.#isElsewhere(run)).map(({ sessionKey }) => sessionKey));
  }

  async #lookAgainAndAgain(signal: AbortSignal): Promise<void> {
    while (await this.#pause(signal)) {
      await this.#trying(async () => {
        const running = await this.#store.select('runs', { where: { status: 'running' } });
        const elsewhere = running.filter((run) => this.#isElsewhere(run)).map(({ sessionKey }) => sessionKey);
        for (const run of running) {
          if (!this.#isElsewhere(run) && !this.#here.has(run.sessionKey)) this.wake(run.sessionKey);
        }
        await this.#lookForQueued(new Set(elsewhere));
      });
    }
  }

  /** A stop that another node has written while its message was lost. */
  async #lookForStops(): Promise<void> {
    while (await this.#pause(this.#closing.signal)) {
      if (this.#here.running.length === 0) continue;
      await this.#trying(async () => {
        const where = { status: 'running', stopReason: { not: null } } as const;
        for (const { sessionKey, runId, stopReason } of await this.#store.select('runs', { where }))
          this.#here.stopHere(sessionKey, stopReason ?? '', runId);
      });
    }
  }

  /** False when the wait is over because of the signal. */
  async #pause(signal: AbortSignal): Promise<boolean> {
    await sleep(this.#options.lookMs ?? LOOK_MS, undefined, { signal }).catch(() => {});
    return !signal.aborted && !this.#closing.signal.aborted;
  }

  #hear(message: JsonValue): void {
    const { sessionKey, reason, runId } = (message ?? {}) as Partial<StopMessage>;
    if (sessionKey && runId) this.#here.stopHere(sessionKey, reason ?? '', runId);
  }

  async #release(id: string): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#store.commit([{ remove: 'laneHolds', where: { id } }], { site: 'control' });
        return;
      } catch {
        // When this node is expelled, the others remove the row.
        await sleep(RETRY_MS);
      }
    }
  }

  /** A look that fails because of the store is made again a little later by somebody. */
  async #trying(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (this.#closing.signal.aborted || isStoreError(error)) return;
      this.#warn(`The lanes could not look for work that was left: ${errorText(error)}`);
    }
  }
}

interface StopMessage {
  readonly sessionKey: string;
  readonly runId: string;
  readonly reason: string;
}

/** Fails while the key is held: then there is a row. */
function notHeld(sessionKey: string): Write {
  return { remove: 'laneHolds', where: { sessionKey }, expect: 0 };
}
