// Sends what the outbox holds. One surface is served in the order of its rows, and a part never overtakes an earlier
// one; different surfaces are served side by side. It reads rows, asks a channel, and writes down what came of it; it
// does not know what a run is.
//
// Errors: nothing it does rejects, except `open` when the store cannot be read. A channel that breaks its contract is
// treated as one that did not answer; a store that refuses a receipt is asked again until it takes it.
// Rules: a row is sent again only after the outcome of the try before is stored. A row whose try may have arrived is
// looked for first. Nothing is sent after its time-to-live; what is given up becomes a dead letter in the same commit.
// When it fires: after `open`, on `wake`, and when a wait is over. After `close` nothing more is sent.

import type { Channel, OutboundPart, SendOutcome } from '../channels/channel.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import { newId } from '../protocol/new-id.ts';
import { oneLine } from '../protocol/one-line.ts';
import { LONGEST_TIMER_MS } from '../protocol/time-limit.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Store, Write } from '../store/store.ts';
import type { OutboxRow } from '../store/tables.ts';

export interface OutboxSettings {
  readonly store: Store;
  readonly channels: (id: string) => Channel | undefined;
  readonly now: () => number;
  /** Told of every part that is over, one after the other. */
  readonly ended: (delivery: EndedDelivery) => Promise<void>;
  readonly maxAttempts: number;
  /** For operators: what went wrong and is being mended or given up. */
  readonly warn: (sentence: string) => void;
  /** The wait after the try of this number, where the channel names none. */
  readonly backOffMs?: ((attempt: number) => number) | undefined;
  /** A channel that takes longer counts as one that did not answer. Default a minute. */
  readonly sendTimeoutMs?: number | undefined;
}

/** What became of one part of an answer. */
export interface EndedDelivery extends Pick<OutboxRow, 'runId' | 'sessionKey' | 'seq' | 'part' | 'text' | 'surface'> {
  readonly outcome: 'sent' | 'dead' | 'suppressed';
  /** What the platform calls the message, where it says so. */
  readonly messageId?: string | undefined;
  /** Why it did not arrive. */
  readonly error?: string | undefined;
  readonly suppressed?: (LiveEvent & { readonly type: 'delivery-end' })['suppressed'];
}

/** A row in memory, with what only this process knows about it. */
interface Pending {
  row: OutboxRow;
  /** An earlier try may have arrived: look before sending. */
  uncertain: boolean;
}

type Wait = { readonly untilMs: number };

export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #backOffMs: (attempt: number) => number;
  /** By surface id, in the order of `seq`. Until the outbox closes, whatever is in here is being served. */
  readonly #surfaces = new Map<string, Pending[]>();
  readonly #serving = new Set<Promise<void>>();
  /** Receipts on their way into the store, and what is told of them. */
  readonly #receipts = new Set<Promise<void>>();
  /** Ends waits at once and starts no further send. */
  readonly #closing = new AbortController();
  /** One for each send that is going on. */
  readonly #sending = new Set<AbortController>();
  /** Every row up to this one has been taken up; undefined until the outbox is open. */
  #seen: number | undefined;
  /** Ends of deliveries are told one after the other, although each looks something up first. */
  #telling: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #readAgain = false;

  constructor(settings: OutboxSettings) {
    this.#settings = settings;
    this.#backOffMs = settings.backOffMs ?? defaultBackOffMs;
  }

  /** Takes up what an earlier process left. How far it came with each row is unknown. */
  async open(): Promise<void> {
    const { store } = this.#settings;
    const [last] = await store.select('outbox', { orderBy: [['seq', 'desc']], limit: 1 });
    const upTo = last?.seq ?? 0;
    const rows = await store.select('outbox', {
      where: { status: 'queued', seq: { lte: upTo } },
      orderBy: [['seq', 'asc']],
    });
    this.#seen = upTo;
    for (const row of rows) this.#enqueue({ row, uncertain: true });
    this.wake();
  }

  /** Says that rows were committed. */
  wake(): void {
    if (this.#seen === undefined || this.#closing.signal.aborted) return;
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = this.#readNew()
      .catch((error) => {
        this.#settings.warn(`The outbox could not be read: ${oneLine(error)}`);
        // What was committed is owed, whether or not anybody commits again.
        setTimeout(() => this.wake(), READ_AGAIN_MS).unref();
      })
      .finally(() => {
        this.#reading = undefined;
        if (!this.#readAgain) return;
        this.#readAgain = false;
        this.wake();
      });
  }

  /** Parts that wait or are being sent. */
  get pending(): number {
    return [...this.#surfaces.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Waits until everything is sent or given up and written down, or the time is over; returns how many parts are left. */
  async drain(budgetMs: number): Promise<number> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), budgetMs);
    while (!over.signal.aborted && (this.#reading || this.#serving.size > 0 || this.#receipts.size > 0)) {
      const going = Promise.allSettled([this.#reading, ...this.#serving, ...this.#receipts]);
      await Promise.race([going, aborted(over.signal)]);
    }
    clearTimeout(timer);
    return this.pending;
  }

  /** Starts nothing more, and lets sends that are going on finish within the budget. What is left stays queued. */
  async close(budgetMs: number): Promise<void> {
    // What was committed before this has been asked for, so it gets its first try like a send that is going on.
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), budgetMs);
    while (this.#reading && !over.signal.aborted) await Promise.race([this.#reading, aborted(over.signal)]);
    clearTimeout(timer);
    this.#closing.abort();
    await this.drain(budgetMs);
    for (const send of this.#sending) send.abort();
    await this.drain(Math.min(budgetMs, LAST_GRACE_MS));
  }

  async #readNew(): Promise<void> {
    const { store } = this.#settings;
    for (;;) {
      const rows = await store.select('outbox', {
        where: { seq: { gt: this.#seen ?? 0 } },
        orderBy: [['seq', 'asc']],
        limit: ROWS_A_READ,
      });
      for (const row of rows) {
        this.#seen = row.seq;
        if (row.status === 'queued') this.#enqueue({ row, uncertain: false });
        else if (row.status === 'suppressed') this.#tell(row, 'suppressed');
      }
      if (rows.length < ROWS_A_READ) return;
    }
  }

  #enqueue(pending: Pending): void {
    const id = pending.row.surfaceId;
    const queue = this.#surfaces.get(id);
    if (queue) {
      queue.push(pending);
      return;
    }
    const fresh = [pending];
    this.#surfaces.set(id, fresh);
    const serving = this.#serve(id, fresh).finally(() => this.#serving.delete(serving));
    this.#serving.add(serving);
  }

  async #serve(id: string, queue: Pending[]): Promise<void> {
    const closing = this.#closing.signal;
    for (let pending = queue[0]; pending && !closing.aborted; pending = queue[0]) {
      const wait = await this.#attempt(pending);
      if (wait) await sleep(wait.untilMs - this.#settings.now(), closing);
      else queue.shift();
    }
    // Nothing is pushed to a queue that is no longer found here, so no row can be forgotten in it.
    if (queue.length === 0) this.#surfaces.delete(id);
  }

  /** One try. Undefined when the row is settled, else until when to wait before the next one. */
  async #attempt(pending: Pending): Promise<Wait | undefined> {
    const { channels, now } = this.#settings;
    const { row } = pending;
    if (now() > row.expiresAt) return this.#giveUp(pending, 'it is older than its time-to-live');
    if (row.nextAt > now()) return { untilMs: row.nextAt };
    const channel = channels(row.surface.channel);
    if (!channel) return this.#giveUp(pending, `no channel "${row.surface.channel}" is configured`);
    if (pending.uncertain && !channel.find && channel.guarantee.level === 'at-most-once') {
      return this.#giveUp(pending, 'an earlier try may have arrived, and this surface must not see it twice');
    }
    const outcome = await this.#sendOnce(channel, pending);
    if (outcome.outcome === 'sent') return this.#settle(pending, outcome.receipt);
    if (outcome.outcome === 'failed') return this.#giveUp(pending, oneLine(outcome.reason));
    // Cut off by the closing: how far it came is as unknown as after a crash.
    if (this.#closing.signal.aborted) return { untilMs: row.nextAt };
    return this.#putOff(pending, { ...outcome, reason: oneLine(outcome.reason) });
  }

  /** Looks first where the part may be there already. Never throws, and never waits for ever. */
  async #sendOnce(channel: Channel, { row, uncertain }: Pending): Promise<SendOutcome> {
    const part = partOf(row);
    const sending = new AbortController();
    const { signal } = sending;
    const timer = setTimeout(() => sending.abort(), this.#settings.sendTimeoutMs ?? SEND_TIMEOUT_MS);
    this.#sending.add(sending);
    const ask = async (): Promise<SendOutcome> => {
      if (uncertain && channel.find) {
        const receipt = await channel.find(part, signal);
        if (receipt !== undefined) return { outcome: 'sent', receipt };
      }
      return channel.send(part, signal);
    };
    try {
      return await Promise.race([ask(), aborted(signal).then(() => noAnswer('the channel did not answer in time'))]);
    } catch (error) {
      return noAnswer(oneLine(error));
    } finally {
      clearTimeout(timer);
      this.#sending.delete(sending);
    }
  }

  #settle({ row }: Pending, receipt: JsonValue): undefined {
    const write: Write = {
      update: 'outbox',
      where: { seq: row.seq, status: 'queued' },
      set: { status: 'sent', attempts: row.attempts + 1, receipt, error: null },
      expect: 1,
    };
    // Nobody waits for it: this process will not send the row again, and the next one looks first.
    const stored = this.#commit([write], 'receipt').then((done) => {
      this.#receipts.delete(stored);
      if (done) this.#tell(row, 'sent', { receipt });
    });
    this.#receipts.add(stored);
    return undefined;
  }

  async #putOff(pending: Pending, outcome: SendOutcome & { outcome: 'retry' }): Promise<Wait | undefined> {
    const { row } = pending;
    const attempts = row.attempts + 1;
    const tried = { ...row, attempts };
    if (attempts >= this.#settings.maxAttempts) {
      return this.#giveUp({ row: tried }, `${outcome.reason}, after ${attempts} tries`);
    }
    const nextAt = this.#settings.now() + (outcome.afterMs ?? this.#backOffMs(attempts));
    if (nextAt > row.expiresAt) {
      return this.#giveUp({ row: tried }, `${outcome.reason}, and its time-to-live is over before the next try`);
    }
    const set = { attempts, nextAt, error: outcome.reason };
    const done = await this.#commit(
      [{ update: 'outbox', where: { seq: row.seq, status: 'queued' }, set, expect: 1 }],
      'receipt',
    );
    if (!done) return undefined;
    pending.row = { ...row, ...set };
    pending.uncertain = outcome.mayHaveArrived === true;
    return { untilMs: nextAt };
  }

  async #giveUp({ row }: Pick<Pending, 'row'>, reason: string): Promise<undefined> {
    const { now, warn } = this.#settings;
    const { seq, runId, part, sessionKey, surface, text, options, attempts } = row;
    const at = now();
    const writes: Write[] = [
      {
        update: 'outbox',
        where: { seq, status: 'queued' },
        set: { status: 'dead', attempts, error: reason },
        expect: 1,
      },
      {
        insert: 'deadLetters',
        row: {
          id: newId('dead', at),
          direction: 'out',
          runId,
          sessionKey,
          reason,
          createdAt: at,
          payload: { surface: { ...surface, peer: { ...surface.peer } }, text, options, part },
        },
      },
    ];
    if (!(await this.#commit(writes, 'dead-letter'))) return undefined;
    warn(`Part ${part} of ${runId} became a dead letter: ${reason}`);
    this.#tell(row, 'dead', { error: reason });
    return undefined;
  }

  /** True once it is stored; false when the row is no longer ours to settle, or the outbox closed first. */
  async #commit(writes: readonly Write[], site: CommitSite): Promise<boolean> {
    const { store, warn } = this.#settings;
    for (let attempt = 1; ; attempt++) {
      try {
        // A receipt that a power cut takes is found out again by looking, or by the key.
        await store.commit(writes, { site, lazy: site === 'receipt' });
        return true;
      } catch (error) {
        if (error instanceof PreconditionFailedError) return false;
        if (attempt === 1) warn(`The outcome of a delivery could not be stored and is kept: ${oneLine(error)}`);
        if (this.#closing.signal.aborted) return false;
        await sleep(Math.min(100 * 2 ** attempt, 30_000), this.#closing.signal);
      }
    }
  }

  #tell(row: OutboxRow, outcome: EndedDelivery['outcome'], { error, receipt }: SentDetails = {}): void {
    const { runId, sessionKey, seq, part, text, surface } = row;
    const { ended, warn } = this.#settings;
    const how = outcome === 'suppressed' ? suppressionOf(row.receipt) : { messageId: messageIdOf(receipt), error };
    const told = this.#telling
      .then(() => ended({ sessionKey, runId, seq, part, text, surface, outcome, ...how }))
      .catch((failure: unknown) => warn(`The end of a delivery could not be told: ${oneLine(failure)}`))
      .finally(() => this.#receipts.delete(told));
    this.#telling = told;
    this.#receipts.add(told);
  }
}

interface SentDetails {
  readonly receipt?: JsonValue | undefined;
  readonly error?: string | undefined;
}

const SEND_TIMEOUT_MS = 60_000;
const LAST_GRACE_MS = 1_000;
/** How long after a failed read the next one comes. */
const READ_AGAIN_MS = 1_000;
const ROWS_A_READ = 500;

/** A second, then four times as long each time, at most ten minutes: eight tries outlast a short outage. */
function defaultBackOffMs(attempt: number): number {
  return Math.min(1_000 * 4 ** (attempt - 1), 600_000);
}

function partOf({ seq, runId, part, surface, text, options, attempts }: OutboxRow): OutboundPart {
  return { key: `${runId}:${part}`, seq, runId, part, surface, text, options, attempt: attempts + 1 };
}

function noAnswer(reason: string): SendOutcome {
  return { outcome: 'retry', reason, mayHaveArrived: true };
}

/** Who stopped it and why, without the words that were to be sent. */
function suppressionOf(receipt: JsonValue): Pick<LiveEvent & { type: 'delivery-end' }, 'suppressed'> {
  const found = isJsonObject(receipt) ? receipt.suppressed : undefined;
  if (!isJsonObject(found)) return {};
  const { hook, by, reason, cancelReason } = found;
  const told = typeof cancelReason === 'string' ? { cancelReason } : {};
  return { suppressed: { hook: String(hook), by: String(by), reason: String(reason), ...told } };
}

function messageIdOf(receipt: JsonValue | undefined): string | undefined {
  const id = receipt !== undefined && isJsonObject(receipt) ? receipt.messageId : undefined;
  return typeof id === 'string' ? id : undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Resolves when the time is over or the signal says so. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener('abort', done, { once: true });
  });
}
