// The cluster of the gateways that share a schema of Postgres. One connection holds the lock on the node's name, renews the lease and
// hears the others; another one does what may take longer: telling, taking duties, expelling.
//
// A node that has not heard from the database for the time of its lease does not know whether it is still a member, and `whileMember`
// waits. What it is then, only its next look can tell. After a silence it lets the others come back for the time of a lease before it
// expels anyone, because the silence may have been the database's.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../protocol/json.ts';
import { errorText } from '../protocol/one-line.ts';
import { DEFAULT_SCHEMA, describePlace } from '../store/postgres/describe-place.ts';
import { TABLES_VERSION } from '../store/postgres/migrations.ts';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import { storeErrorFrom } from '../store/postgres/store-error.ts';
import type { Cluster, ClusterTopic, Member, MemberChange, WorkspaceIds } from './cluster.ts';
import { type ClusterLook, ClusterRows } from './cluster-rows.ts';
import { DutyShares } from './duty-shares.ts';
import { NodeNameTakenError, NodeUnknownError } from './errors.ts';
import { BatchReader, encodeBatch, type SentMessage } from './message-batches.ts';
import { findSurplus, planFreeDuties } from './spread-duties.ts';

export interface PostgresClusterOptions {
  readonly url: string;
  readonly schema?: string | undefined;
  readonly node: string;
  /** The version of the program. */
  readonly version: string;
  /** Called with one sentence for the operator. */
  readonly warn: (sentence: string) => void;
  /** How long a member may be silent. */
  readonly leaseMs?: number | undefined;
  /** How often a member renews its lease and looks at the others. */
  readonly renewMs?: number | undefined;
  /** So long a node must be there before others leave duties to it. */
  readonly settleMs?: number | undefined;
  /** Messages that are published within this time travel together. */
  readonly batchMs?: number | undefined;
  /** The clock of this node. */
  readonly now?: (() => number) | undefined;
}

const LEASE_MS = 1_500;
const RENEW_MS = 500;
const BATCH_MS = 4;
const SETTLE_MS = 5_000;
/** A member that is silent is not looked at more often than this. */
const SOONEST_MS = 50;
/** How long a node waits for a connection before it says that there is none. */
const WAIT_MS = 10_000;
/** Between two tries to become a member again. */
const RETRY_MS = 100;
const LEAVE_MS = 2_000;

export class PostgresCluster implements Cluster {
  readonly node: string;
  readonly isShared = true;
  readonly #options: PostgresClusterOptions;
  readonly #leaseMs: number;
  /** The name of the store in error sentences. */
  readonly #store: string;
  readonly #rows: ClusterRows;
  /** Holds the lock on the name, renews the lease and hears the others. */
  readonly #watch: PostgresConnection;
  readonly #work: PostgresConnection;
  readonly #reader = new BatchReader();
  readonly #listeners = new Map<ClusterTopic, Set<TopicListener>>();
  readonly #memberListeners = new Set<(change: MemberChange) => void>();
  readonly #duties: DutyShares;
  readonly #waiting = new Set<() => void>();
  /** How members went away, as far as it was heard. */
  readonly #heardNews = new Map<string, MemberChange['change']>();
  readonly #expelling = new Map<string, Promise<unknown>>();
  #memberId: string | null = null;
  #processId: string | null = null;
  /** Since when each other member is known. */
  readonly #knownSince = new Map<string, number>();
  #members: readonly Member[] = [];
  #holders: ReadonlyMap<string, string> = new Map();
  #lastNumber = 0;
  #url: string | null = null;
  #workspaces: WorkspaceIds = {};
  /** The backend of the connection that holds the lock on the name; undefined while there is none. */
  #backend: number | undefined;
  #lastBackend: number | undefined;
  #renewed: Moment | undefined;
  /** Since when this node has renewed its lease without a gap. */
  #steadySince = 0;
  #isDraining = false;
  /** This process takes no new work for good, whatever the rows say. */
  #isStopping = false;
  #isLeaving = false;
  #living: Promise<void> | undefined;
  #wakeUp: (() => void) | undefined;
  #mustLook = false;
  /** When the lease of another member would end, so that it is noticed at once. */
  #nextEndMs = Number.POSITIVE_INFINITY;
  #unsent: SentMessage[] = [];
  #sendTimer: NodeJS.Timeout | undefined;
  #batches = 0;
  #clockAheadMs = 0;
  #trouble: string | undefined;
  /** The sentence that was told last. */
  #told: string | undefined;
  #lapse: NodeJS.Timeout | undefined;

  constructor(options: PostgresClusterOptions) {
    const { url, schema = DEFAULT_SCHEMA, node, leaseMs = LEASE_MS } = options;
    this.node = node;
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#store = describePlace(url, schema);
    this.#rows = new ClusterRows({ schema, leaseMs });
    const settings = { url, schema, waitMs: WAIT_MS, isLazy: true };
    this.#watch = new PostgresConnection({
      ...settings,
      name: 'atrium membership',
      heard: (payload) => this.#hear(payload),
      lost: () => this.#detach(),
    });
    this.#work = new PostgresConnection({ ...settings, name: 'atrium cluster' });
    this.#duties = new DutyShares({
      take: (memberId, name) => this.#rows.takeDuty(this.#ask, memberId, name),
      giveUp: (memberId, name) => this.#rows.giveUpDuty(this.#ask, memberId, name),
      warn: options.warn,
    });
  }

  get memberId(): string | null {
    return this.#memberId;
  }

  get processId(): string | null {
    return this.#processId;
  }

  get clockAheadMs(): number {
    return this.#clockAheadMs;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  get isCertain(): boolean {
    return this.#memberId !== null && this.#renewed !== undefined && !isLongerAgo(this.#renewed, this.#leaseMs);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  isAlive(memberId: string | null): boolean {
    if (memberId === null) return false;
    if (memberId === this.#memberId) return true;
    // A node that joined since the last look is alive, as far as can be known.
    if (numberOf(memberId) > this.#lastNumber) return true;
    return memberId !== this.#memberId && this.#members.some(({ id }) => id === memberId);
  }

  hasProcess(processId: string | null): boolean {
    if (processId === null) return false;
    // A client that waits at this process is here, also while this node is no member.
    if (processId === this.#processId || numberOf(processId) > this.#lastNumber) return true;
    return this.#members.some(({ process }) => process === processId);
  }

  async whileMember(signal?: AbortSignal): Promise<void> {
    while (!this.isCertain) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          this.#waiting.delete(go);
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const stop = () => {
          this.#waiting.delete(go);
          reject(signal?.reason);
        };
        this.#waiting.add(go);
        signal?.addEventListener('abort', stop, { once: true });
      });
    }
  }

  watchMembers(listener: (change: MemberChange) => void): () => void {
    this.#memberListeners.add(listener);
    return () => this.#memberListeners.delete(listener);
  }

  publish(topic: ClusterTopic, message: JsonValue): void {
    if (this.#members.length < 2) return;
    this.#unsent.push({ topic, message });
    this.#sendTimer ??= setTimeout(() => this.#send(), this.#options.batchMs ?? BATCH_MS);
  }

  subscribe(topic: ClusterTopic, listener: TopicListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  shareDuty(name: string, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
    const leave = this.#duties.add(name, work);
    this.#look();
    return leave;
  }

  holderOf(duty: string): Member | undefined {
    const holder = this.#holders.get(duty);
    return this.#members.find(({ id }) => id === holder);
  }

  async join(): Promise<void> {
    try {
      await this.#join();
    } catch (error) {
      await Promise.all([this.#watch.close(), this.#work.close()]);
      throw storeErrorFrom(error, this.#store);
    }
    this.#living = this.#live();
  }

  async listensAt(url: string): Promise<void> {
    this.#url = url;
    if (this.#memberId === null) return;
    await this.#rows.writeUrl(this.#ask, this.#memberId, url).catch(() => undefined);
    this.#look();
  }

  async hasWorkspaces(ids: WorkspaceIds): Promise<void> {
    this.#workspaces = ids;
    if (this.#memberId === null) return;
    await this.#rows.writeWorkspaces(this.#ask, this.#memberId, ids).catch(() => undefined);
  }

  async drain(): Promise<void> {
    this.#isStopping = true;
    await this.#drainHere();
  }

  async #drainHere(): Promise<void> {
    this.#isDraining = true;
    if (this.#memberId !== null) await this.#rows.drain(this.#ask, this.#memberId).catch(() => undefined);
    await this.#duties.endAll();
  }

  async leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    clearTimeout(this.#sendTimer);
    await this.#duties.endAll();
    clearTimeout(this.#lapse);
    this.#send();
    this.#look();
    await this.#living;
    clearTimeout(this.#lapse);
    const memberId = this.#memberId;
    this.#memberId = null;
    this.#renewed = undefined;
    if (memberId !== null) {
      const left = this.#onOne((ask) => this.#rows.leave(ask, memberId)).catch(() => undefined);
      await Promise.race([left, sleep(LEAVE_MS)]);
    }
    await Promise.all([this.#watch.close(), this.#work.close()]);
  }

  async drainNode(node: string): Promise<void> {
    const memberId = await this.#memberNamed(node);
    if (memberId === this.#memberId) await this.#drainHere();
    else await this.#asked(this.#rows.drain(this.#ask, memberId));
  }

  async removeNode(node: string): Promise<void> {
    const memberId = await this.#memberNamed(node);
    await this.#asked(this.#onOne((ask) => this.#rows.remove(ask, memberId)));
    this.#look();
  }

  async #memberNamed(node: string): Promise<string> {
    const memberId = await this.#asked(this.#rows.memberNamed(this.#ask, node));
    if (memberId === undefined) throw new NodeUnknownError({ node });
    return memberId;
  }

  #asked<Answer>(asking: Promise<Answer>): Promise<Answer> {
    return asking.catch((error) => {
      throw storeErrorFrom(error, this.#store);
    });
  }

  readonly #ask: PostgresConnection['ask'] = (statement) => this.#work.ask(statement);

  /** For statements that must go over one and the same connection. */
  async #onOne<Answer>(use: (ask: PostgresConnection['ask']) => Promise<Answer>): Promise<Answer> {
    const held = await this.#work.hold();
    return use((statement) => held.ask(statement));
  }

  /** Renews the lease again and again, and joins again when it was lost. */
  async #live(): Promise<void> {
    while (!this.#isLeaving) {
      try {
        if (this.#memberId === null) await this.#join();
        else await this.#renew(this.#memberId);
        this.#trouble = undefined;
        this.#told = undefined;
        await this.#pause(Math.min(this.#options.renewMs ?? RENEW_MS, this.#nextEndMs));
      } catch (error) {
        this.#trouble = errorText(error);
        this.#say(`This node could not reach the other nodes and tries again: ${this.#trouble}`);
        await this.#pause(RETRY_MS);
      }
    }
  }

  #say(sentence: string): void {
    if (this.#told === sentence || this.#isLeaving) return;
    this.#told = sentence;
    this.#options.warn(sentence);
  }

  /** Waits until it is time to look again, or until something happened. */
  async #pause(ms: number): Promise<void> {
    if (this.#mustLook || this.#isLeaving) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  #look(): void {
    this.#mustLook = true;
    this.#wakeUp?.();
  }

  #detach(): void {
    this.#lastBackend = this.#backend ?? this.#lastBackend;
    this.#backend = undefined;
    this.#look();
  }

  async #join(): Promise<void> {
    const deadline = performance.now() + this.#leaseMs + 1_000;
    while (!(await this.#attach())) {
      if (performance.now() > deadline) throw new NodeNameTakenError({ node: this.node });
      // The one that has the name may be frozen, and there may be no other node to expel it.
      const holder = await this.#rows.memberNamed(this.#ask, this.node);
      if (holder !== undefined) await this.#onOne((ask) => this.#rows.expel(ask, holder));
      await sleep(RETRY_MS);
    }
    // The member that had this name before has no process any more, or no connection.
    const former = await this.#rows.memberNamed(this.#ask, this.node);
    if (former !== undefined) await this.#onOne((ask) => this.#rows.expel(ask, former, { isForced: true }));
    const held = await this.#watch.hold();
    const joining = {
      node: this.node,
      process: this.#processId,
      url: this.#url,
      version: this.#options.version,
      tables: TABLES_VERSION,
      status: this.#isStopping ? 'draining' : 'up',
      backend: this.#backend ?? 0,
      workspaces: this.#workspaces,
    } as const;
    const { id, number, status } = await this.#rows.join((statement) => held.ask(statement), joining);
    this.#isDraining = status === 'draining';
    this.#memberId = id;
    this.#processId ??= id;
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#steadySince = performance.now();
    await this.#renew(id);
  }

  /** Makes a new connection the one of this node. Returns false while another one has the name. */
  async #attach(): Promise<boolean> {
    const held = await this.#watch.hold();
    if (this.#backend !== undefined) return true;
    const ask: PostgresConnection['ask'] = (statement) => held.ask(statement);
    if (this.#lastBackend !== undefined) await this.#rows.endBackend(ask, this.node, this.#lastBackend);
    const backend = await this.#rows.lockName(ask, this.node);
    if (backend === undefined) return false;
    await this.#rows.listen(ask);
    this.#backend = backend;
    // The others may have lost theirs at the same moment, because the server was restarted.
    if (this.#lastBackend !== undefined) this.#steadySince = performance.now();
    return true;
  }

  async #renew(memberId: string): Promise<void> {
    this.#mustLook = false;
    const at = moment();
    const look = await this.#answeredInTime(async () => {
      if (!(await this.#attach())) throw new NodeNameTakenError({ node: this.node });
      const held = await this.#watch.hold();
      return this.#rows.look((statement) => held.ask(statement), memberId, this.#duties.names);
    });
    if (!look.isMember) return this.#expelled(look);
    this.#compareClocks(at, look);
    if (!this.#renewed || isLongerAgo(this.#renewed, this.#leaseMs)) this.#steadySince = performance.now();
    this.#renewed = at;
    this.#guardDuties();
    this.#apply(look);
    this.#duties.compare({
      holders: look.duties,
      memberId,
      lookedAt: at.monotonic,
      mayTake: !this.#isDraining && !this.#isLeaving,
      planned: planFreeDuties({ shares: look.shares, holders: look.duties }),
      surplus: this.#findSurplus(look, memberId),
    });
    for (const go of [...this.#waiting]) go();
    if (performance.now() - this.#steadySince >= this.#leaseMs) for (const id of look.silent) this.#expel(id);
  }

  /** The server looked at its clock at some moment between the question and the answer; in doubt the clocks are the same. */
  #compareClocks({ monotonic }: Moment, { serverNow }: ClusterLook): void {
    if (serverNow === undefined) return;
    const now = (this.#options.now ?? Date.now)();
    const asked = now - (performance.now() - monotonic);
    this.#clockAheadMs = Math.round(asked > serverNow ? asked - serverNow : Math.min(0, now - serverNow));
  }

  /** A node that has just come may be gone again, so nothing is left to it for some seconds. */
  #findSurplus({ shares, duties: holders }: ClusterLook, memberId: string): string | undefined {
    const now = performance.now();
    for (const id of this.#knownSince.keys()) if (!shares.has(id)) this.#knownSince.delete(id);
    for (const id of shares.keys()) if (!this.#knownSince.has(id)) this.#knownSince.set(id, now);
    const settleMs = this.#options.settleMs ?? SETTLE_MS;
    const settled = [...shares].filter(([id]) => now - (this.#knownSince.get(id) ?? now) >= settleMs);
    return findSurplus({ shares: new Map(settled), holders }, memberId);
  }

  /** From the moment in which the others may take over, no duty is done here. The next look begins again what this node still has. */
  #guardDuties(): void {
    clearTimeout(this.#lapse);
    this.#lapse = setTimeout(() => this.#duties.abortAll(), this.#leaseMs);
  }

  /** A connection that does not answer within the lease is given up. */
  async #answeredInTime<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => void this.#watch.drop(), this.#leaseMs);
    try {
      return await ask();
    } finally {
      clearTimeout(timer);
    }
  }

  #expelled(look: ClusterLook): void {
    this.#options.warn(
      'This node was silent for too long, or an operator removed it. It is no member any more, and the others go on with its work. It joins again as a new one.',
    );
    this.#memberId = null;
    this.#renewed = undefined;
    this.#duties.abortAll();
    this.#apply(look);
    this.#mustLook = true;
  }

  #apply(look: ClusterLook): void {
    const before = this.#members;
    this.#members = look.members;
    this.#holders = look.duties;
    this.#nextEndMs = Math.max(SOONEST_MS, (look.nextEndMs ?? Number.POSITIVE_INFINITY) + 5);
    this.#lastNumber = Math.max(this.#lastNumber, look.lastNumber);
    for (const member of before) {
      if (look.members.some(({ id }) => id === member.id)) continue;
      this.#tell({ change: this.#heardNews.get(member.id) === 'left' ? 'left' : 'expelled', member });
      this.#heardNews.delete(member.id);
    }
    for (const member of look.members) {
      const known = before.find(({ id }) => id === member.id);
      if (!known) this.#tell({ change: 'joined', member });
      if (member.status === 'draining' && known?.status !== 'draining') {
        this.#tell({ change: 'draining', member });
        // Somebody else has asked for it.
        if (member.id === this.#memberId && !this.#isDraining) void this.#drainHere();
      }
    }
  }

  #tell(change: MemberChange): void {
    for (const listener of [...this.#memberListeners]) {
      try {
        listener(change);
      } catch (error) {
        this.#options.warn(`A listener to the nodes failed: ${errorText(error)}`);
      }
    }
  }

  #expel(memberId: string): void {
    if (this.#expelling.has(memberId)) return;
    const expelling = this.#onOne((ask) => this.#rows.expel(ask, memberId))
      .catch((error) => this.#say(`A node that is gone could not be expelled and is tried again: ${errorText(error)}`))
      .finally(() => {
        this.#expelling.delete(memberId);
        this.#look();
      });
    this.#expelling.set(memberId, expelling);
  }

  #send(): void {
    this.#sendTimer = undefined;
    const messages = this.#unsent.splice(0);
    if (messages.length === 0 || this.#memberId === null) return;
    this.#batches += 1;
    // What is lost here is found in the rows.
    void this.#rows
      .notify(this.#ask, encodeBatch(this.#memberId, this.#batches, messages))
      .catch((error) => this.#say(`The other nodes were not told at once what is new: ${errorText(error)}`));
  }

  #hear(text: string): void {
    if (text.startsWith('!')) {
      const [news = '', memberId = ''] = splitOnce(text.slice(1));
      if (news === 'left' && memberId !== this.#memberId) this.#heardNews.set(memberId, 'left');
      this.#look();
      return;
    }
    const batch = this.#reader.read(text);
    if (!batch || nodeOf(batch.from) === this.node) return;
    for (const { topic, message } of batch.messages) {
      for (const listener of this.#listeners.get(topic) ?? []) {
        try {
          listener(message, batch.from);
        } catch (error) {
          this.#options.warn(`A listener to "${topic}" failed: ${errorText(error)}`);
        }
      }
    }
  }
}

type TopicListener = (message: JsonValue, from: Member['id']) => void;

/** The second clock goes on while a machine sleeps, the first one is not set by anybody. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

function moment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

function isLongerAgo({ monotonic, wall }: Moment, ms: number): boolean {
  return performance.now() - monotonic >= ms || Date.now() - wall >= ms;
}

function nodeOf(memberId: string): string {
  return memberId.slice(0, memberId.lastIndexOf('#'));
}

function numberOf(memberId: string): number {
  return Number(memberId.slice(memberId.lastIndexOf('#') + 1));
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf(' ');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
