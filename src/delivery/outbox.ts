// Sends the rows of the outbox. The rows of one surface are sent in their order, and a part never overtakes an earlier
// one; different surfaces are served side by side. The outbox reads rows, calls a channel, and stores the outcome; it
// does not know what a run is.
//
// Errors: nothing rejects, except `open` when the store cannot be read. A channel that breaks its contract is treated
// like one that did not answer. When the store refuses a receipt, the commit is repeated until it succeeds.
// Rules: a row is sent again only after the outcome of the attempt before is stored. A row whose attempt may have
// arrived is looked for first. Nothing is sent after its time-to-live; what is given up becomes a dead letter in the
// same commit.
// When it fires: after `open`, on `wake`, and when a wait is over. After `close` nothing more is sent.
// Where several nodes share the store, `SharedOutbox` says which rows are for this one, because each row is sent by one
// node only. Then nothing is sent while this node is no member, and what it may not send any more is dropped here.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel, OutboundPart, SendOutcome } from '../channels/channel.ts';
import { readAttachmentRefs } from '../protocol/attachment.ts';
import type { Button } from '../protocol/button.ts';
import type { Surface } from '../protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { LogFields, Say } from '../protocol/log.ts';
import { newId } from '../protocol/new-id.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { Suppression } from '../protocol/suppression.ts';
import { LONGEST_TIMER_MS } from '../protocol/time-limit.ts';
import { whenAborted } from '../protocol/when-aborted.ts';
import type { CommitSite } from '../store/commit-sites.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Store, Write } from '../store/store.ts';
import type { OutboxRow } from '../store/tables.ts';

export interface OutboxSettings {
  readonly store: Store;
  readonly channels: (id: string) => Channel | undefined;
  readonly now: () => number;
  /** Called for every part that is finished, one after the other. */
  readonly ended: (delivery: EndedDelivery) => Promise<void>;
  readonly maxAttempts: number;
  /** Gives the draft that the first part of an answer replaces, if there is one. */
  readonly takeDraft?: ((row: OutboxRow) => Promise<JsonValue | undefined>) | undefined;
  /** Tells operators what went wrong and is being repaired or given up. */
  readonly warn: Say;
  /** Returns the wait after the attempt of this number, where the channel names none. */
  readonly backOffMs?: ((attempt: number) => number) | undefined;
  /** A channel that takes longer counts as one that did not answer. The default is a minute. */
  readonly sendTimeoutMs?: number | undefined;
  /** Set where several nodes share the store: which of the rows this node sends, and when it may send. */
  readonly shared?: RowsOfNode | undefined;
}

/** Finds the rows that this node sends, of a store that others use too. */
export interface RowsOfNode {
  /** Hands over rows with `take` from now on. */
  open(outbox: Pick<Outbox, 'take' | 'drop' | 'isKnown' | 'tellOf'>): Promise<void>;
  close(): void;
  /** Resolves while this node may send; rejects when the signal fires. */
  mayUse(signal: AbortSignal): Promise<void>;
}

/** The outcome of one part of an answer. */
export interface EndedDelivery extends Pick<OutboxRow, 'runId' | 'sessionKey' | 'seq' | 'part' | 'text' | 'surface'> {
  readonly outcome: 'sent' | 'dead' | 'suppressed';
  /** The platform's id of the message, where the platform gives one. */
  readonly messageId?: string | undefined;
  /** Says why the part did not arrive. */
  readonly error?: string | undefined;
  readonly suppressed?: Suppression | undefined;
}

/** A row in memory, with facts that only this process knows. */
interface Pending {
  row: OutboxRow;
  /** An earlier attempt may have arrived, so the channel is asked before the part is sent. */
  uncertain: boolean;
  /** The latest attempt put the part in the place of a draft. */
  isReplacing: boolean;
}

/** The rows of one surface, in the order of `seq`. */
interface Queue {
  readonly surface: Surface;
  readonly rows: Pending[];
  /** Fires when another node sends to this surface from now on. */
  readonly dropped: AbortController;
  served: Promise<void>;
}

type Wait = { readonly untilMs: number };

export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #backOffMs: (attempt: number) => number;
  /** The rows by surface id. Until the outbox closes, each queue in here is being served. */
  readonly #surfaces = new Map<string, Queue>();
  /** Queues that were dropped while a row of them was being sent. A new queue of the same surface waits for it. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** The numbers of rows that wait or are being sent, and of the latest that were settled. */
  readonly #known = new KnownRows();
  readonly #serving = new Set<Promise<void>>();
  /** The receipts that are being stored, and what is told after them. */
  readonly #receipts = new Set<Promise<void>>();
  /** Ends waits at once and prevents further sends. */
  readonly #closing = new AbortController();
  /** One controller for each active send. */
  readonly #sending = new Set<AbortController>();
  /** Every row up to this one has been read. It is undefined until the outbox is open. */
  #seen: number | undefined;
  /** The ends of deliveries are told one after the other, although each first looks something up. */
  #telling: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #readAgain = false;

  constructor(settings: OutboxSettings) {
    this.#settings = settings;
    this.#backOffMs = settings.backOffMs ?? defaultBackOffMs;
  }

  /** Reads the rows that an earlier process left. It is unknown how far each of them came. */
  async open(): Promise<void> {
    const { store, shared } = this.#settings;
    if (shared) return shared.open(this);
    const [last] = await store.select('outbox', { orderBy: [['seq', 'desc']], limit: 1 });
    const upTo = last?.seq ?? 0;
    const rows = await store.select('outbox', {
      where: { status: 'queued', seq: { lte: upTo } },
      orderBy: [['seq', 'asc']],
    });
    this.#seen = upTo;
    for (const row of rows) this.#enqueue({ row, uncertain: true, isReplacing: false });
    this.wake();
  }

  /**
   * Says that rows were committed. They are read a moment later, when the run that committed them has told its end: a
   * caller that waits for that end need not wait for the reading, and the rows of runs that end together are read together.
   */
  wake(): void {
    if (this.#seen === undefined || this.#closing.signal.aborted) return;
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = nextTurn()
      .then(() => {
        this.#readAgain = false;
        return this.#readNew();
      })
      .catch((error) => {
        this.#settings.warn(`The outbox could not be read: ${oneLine(error)}`);
        // Committed rows must be sent, even if no further commit wakes the outbox.
        setTimeout(() => this.wake(), READ_AGAIN_MS).unref();
      })
      .finally(() => {
        this.#reading = undefined;
        if (!this.#readAgain) return;
        this.#readAgain = false;
        this.wake();
      });
  }

  /**
   * Sends this row, after those of its surface that were taken before. `isUncertain` means that an earlier attempt may have
   * arrived. A row that is known is not taken again.
   */
  take(row: OutboxRow, { isUncertain }: { readonly isUncertain: boolean }): void {
    if (this.#closing.signal.aborted || this.#known.has(row.seq)) return;
    this.#known.add(row.seq);
    this.#enqueue({ row, uncertain: isUncertain, isReplacing: false });
  }

  /** Whether this row waits, is being sent, or was settled here a moment ago. */
  isKnown(seq: number): boolean {
    return this.#known.has(seq);
  }

  /** Tells the end of a row that was written with it: another node must not tell it too. */
  tellOf(row: OutboxRow): void {
    if (row.status === 'suppressed') this.#tell(row, 'suppressed');
    // The commit handed it over.
    else if (row.status === 'sent') this.#tell(row, 'sent', { receipt: row.receipt });
  }

  /**
   * Sends nothing more to these surfaces. The rows stay queued for the node that sends to them from now on. Resolves when
   * a send that is going on has ended and its outcome is stored, or after a short time. With `isLost`, that node may be
   * sending already, so that a send that goes on here is given up at once.
   */
  async drop(isMeant: (surface: Surface) => boolean, { isLost = false } = {}): Promise<void> {
    const going: Promise<void>[] = [];
    for (const [id, queue] of this.#surfaces) {
      if (!isMeant(queue.surface)) continue;
      this.#surfaces.delete(id);
      queue.dropped.abort(isLost ? LOST : undefined);
      const left = queue.served.then(() => {
        for (const { row } of queue.rows) this.#known.forget(row.seq);
        if (this.#leaving.get(id) === left) this.#leaving.delete(id);
      });
      this.#leaving.set(id, left);
      going.push(left);
    }
    await Promise.race([Promise.all(going), pause(DROP_MS)]);
  }

  /** The number of parts that wait or are being sent. */
  get pending(): number {
    return [...this.#surfaces.values()].reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /**
   * Waits until everything is sent or given up and stored, or until the time is over. Returns how many parts are left.
   */
  async drain(budgetMs: number): Promise<number> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), budgetMs);
    while (!over.signal.aborted && (this.#reading || this.#serving.size > 0 || this.#receipts.size > 0)) {
      const going = Promise.allSettled([this.#reading, ...this.#serving, ...this.#receipts]);
      await Promise.race([going, whenAborted(over.signal)]);
    }
    clearTimeout(timer);
    return this.pending;
  }

  /** Starts nothing more, and lets active sends finish within the budget. The rest stays queued. */
  async close(budgetMs: number): Promise<void> {
    // Rows that were committed before this still get their first attempt, like an active send.
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), budgetMs);
    while (this.#reading && !over.signal.aborted) await Promise.race([this.#reading, whenAborted(over.signal)]);
    clearTimeout(timer);
    this.#settings.shared?.close();
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
        if (row.status === 'queued') this.#enqueue({ row, uncertain: false, isReplacing: false });
        else this.tellOf(row);
      }
      if (rows.length < ROWS_A_READ) return;
    }
  }

  #enqueue(pending: Pending): void {
    const { surfaceId: id, surface } = pending.row;
    const queue = this.#surfaces.get(id);
    if (queue) {
      queue.rows.push(pending);
      return;
    }
    const fresh: Queue = { surface, rows: [pending], dropped: new AbortController(), served: Promise.resolve() };
    this.#surfaces.set(id, fresh);
    const before = this.#leaving.get(id);
    const serving = (before ? before.then(() => this.#serve(id, fresh)) : this.#serve(id, fresh)).finally(() =>
      this.#serving.delete(serving),
    );
    fresh.served = serving;
    this.#serving.add(serving);
  }

  async #serve(id: string, queue: Queue): Promise<void> {
    const closing = this.#closing.signal;
    const dropped = queue.dropped.signal;
    const { rows } = queue;
    for (let pending = rows[0]; pending && !closing.aborted && !dropped.aborted; pending = rows[0]) {
      const wait = await this.#attempt(pending, dropped);
      if (wait) await sleep(wait.untilMs - this.#settings.now(), closing, dropped);
      else {
        rows.shift();
        this.#known.settled(pending.row.seq);
      }
    }
    // Nothing is pushed to a queue that is no longer in the map, so no row can be forgotten in it.
    if (rows.length === 0 && !dropped.aborted) this.#surfaces.delete(id);
  }

  /** Makes one attempt. Returns undefined when the row is settled, else the time of the next attempt. */
  async #attempt(pending: Pending, dropped: AbortSignal): Promise<Wait | undefined> {
    const { channels, now } = this.#settings;
    const { row } = pending;
    if (now() > row.expiresAt) return this.#giveUp(pending, 'it is older than its time-to-live');
    if (row.nextAt > now()) return { untilMs: row.nextAt };
    const channel = channels(row.surface.channel);
    if (!channel) return this.#giveUp(pending, `no channel "${row.surface.channel}" is configured`);
    if (pending.uncertain && !channel.find && channel.guarantee.level === 'at-most-once') {
      return this.#giveUp(pending, 'an earlier try may have arrived, and this surface must not see it twice');
    }
    if (!(await this.#mayUse(dropped))) return { untilMs: row.nextAt };
    const outcome = await this.#sendOnce(channel, pending, dropped);
    if (outcome.outcome === 'sent') {
      const stored = this.#settle(pending, outcome.receipt);
      // Another node looks at the row when this one has let it go, so its outcome must be stored by then.
      if (dropped.aborted) await stored;
      return undefined;
    }
    // The closing or another node interrupted the send, so it is unknown how far it came, as after a crash.
    if (this.#closing.signal.aborted || dropped.aborted) return { untilMs: row.nextAt };
    if (outcome.outcome === 'failed') return this.#giveUp(pending, oneLine(outcome.reason));
    return this.#putOff(pending, { ...outcome, reason: oneLine(outcome.reason) });
  }

  /** A node that is no member sends nothing until it is one again. False when it must not send this row any more. */
  async #mayUse(dropped: AbortSignal): Promise<boolean> {
    const { shared } = this.#settings;
    if (!shared) return true;
    const closing = this.#closing.signal;
    const isFree = shared.mayUse(AbortSignal.any([closing, dropped])).then(
      () => true,
      () => false,
    );
    return (await isFree) && !closing.aborted && !dropped.aborted;
  }

  /** Asks the channel first where the part may have arrived already. Never throws, and never waits for ever. */
  async #sendOnce(channel: Channel, pending: Pending, dropped: AbortSignal): Promise<SendOutcome> {
    const { row, uncertain } = pending;
    const { takeDraft } = this.#settings;
    const sending = new AbortController();
    const { signal } = sending;
    const timer = setTimeout(() => sending.abort(), this.#settings.sendTimeoutMs ?? SEND_TIMEOUT_MS);
    this.#sending.add(sending);
    // A send that goes on may end, but the next node does not wait long for it.
    const hurry = () =>
      dropped.reason === LOST ? sending.abort() : setTimeout(() => sending.abort(), LAST_GRACE_MS).unref();
    dropped.addEventListener('abort', hurry, { once: true });
    const ask = async (): Promise<SendOutcome> => {
      const replaces = hasDraft(channel, row) ? await takeDraft?.(row) : undefined;
      pending.isReplacing = replaces !== undefined;
      const part = { ...partOf(row), ...(replaces !== undefined && { replaces }) };
      // A part that replaces a draft has no effect when it is sent again, and is not found before it has replaced it.
      if (uncertain && channel.find && replaces === undefined) {
        const receipt = await channel.find(part, signal);
        if (receipt !== undefined) return { outcome: 'sent', receipt };
      }
      return channel.send(part, signal);
    };
    try {
      return await Promise.race([
        ask(),
        whenAborted(signal).then(() => noAnswer('the channel did not answer in time')),
      ]);
    } catch (error) {
      return noAnswer(oneLine(error));
    } finally {
      clearTimeout(timer);
      dropped.removeEventListener('abort', hurry);
      this.#sending.delete(sending);
    }
  }

  #settle({ row, isReplacing }: Pending, receipt: JsonValue): Promise<void> {
    const write: Write = {
      update: 'outbox',
      where: { seq: row.seq, status: 'queued' },
      set: { status: 'sent', attempts: row.attempts + 1, receipt, error: null },
      expect: 1,
    };
    // A draft that this part did not replace is still to be withdrawn, so its row stays.
    const replaced: readonly Write[] = isReplacing ? [{ remove: 'drafts', where: { runId: row.runId } }] : [];
    // This is not awaited: this process will not send the row again, and the next process asks the channel first.
    const stored = this.#commit([write, ...replaced], 'receipt').then((done) => {
      this.#receipts.delete(stored);
      if (done) this.#tell(row, 'sent', { receipt });
    });
    this.#receipts.add(stored);
    return stored;
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
    warn(`Part ${part} of ${runId} became a dead letter: ${reason}`, idsOf(row));
    this.#tell(row, 'dead', { error: reason });
    return undefined;
  }

  /** Returns true when it is stored, and false when another process settles the row or the outbox closed first. */
  async #commit(writes: readonly Write[], site: CommitSite): Promise<boolean> {
    const { store, warn } = this.#settings;
    for (let attempt = 1; ; attempt++) {
      try {
        // When a power cut loses a receipt, the channel finds the part again by asking or by its key.
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
      .catch((failure: unknown) => warn(`The end of a delivery could not be told: ${oneLine(failure)}`, idsOf(row)))
      .finally(() => this.#receipts.delete(told));
    this.#telling = told;
    this.#receipts.add(told);
  }
}

interface SentDetails {
  readonly receipt?: JsonValue | undefined;
  readonly error?: string | undefined;
}

/** The numbers of rows that must not be taken again. A read that was slow may still show a row that is settled by now. */
class KnownRows {
  readonly #pending = new Set<number>();
  readonly #settled = new Set<number>();

  has(seq: number): boolean {
    return this.#pending.has(seq) || this.#settled.has(seq);
  }

  add(seq: number): void {
    this.#pending.add(seq);
  }

  settled(seq: number): void {
    if (!this.#pending.delete(seq)) return;
    this.#settled.add(seq);
    const [oldest] = this.#settled;
    if (this.#settled.size > MOST_SETTLED && oldest !== undefined) this.#settled.delete(oldest);
  }

  forget(seq: number): void {
    this.#pending.delete(seq);
  }
}

/** The reason of a signal: another node sends to the surface, and this one did not hand it over. */
const LOST = 'lost';
const MOST_SETTLED = 10_000;
const SEND_TIMEOUT_MS = 60_000;
const LAST_GRACE_MS = 1_000;
/** So long a node that gives surfaces away waits for a send that goes on. */
const DROP_MS = 2_000;
/** The pause after a failed read. */
const READ_AGAIN_MS = 1_000;
const ROWS_A_READ = 500;

/**
 * One second, then four times as long each time, at most ten minutes: eight attempts last longer than a short outage.
 */
function defaultBackOffMs(attempt: number): number {
  return Math.min(1_000 * 4 ** (attempt - 1), 600_000);
}

function partOf({ seq, runId, part, surface, text, options, attempts }: OutboxRow): OutboundPart {
  const buttons = buttonsOf(options);
  const attachments = readAttachmentRefs(options.attachments);
  return {
    key: `${runId}:${part}`,
    seq,
    runId,
    part,
    surface,
    text,
    options,
    ...(buttons.length > 0 && { buttons }),
    ...(attachments.length > 0 && { attachments }),
    attempt: attempts + 1,
  };
}

/** Only the first part takes the place of a draft. */
function hasDraft(channel: Channel, { part }: OutboxRow): boolean {
  return channel.drafts !== undefined && part === 1;
}

function buttonsOf({ buttons }: JsonObject): readonly Button[] {
  if (!Array.isArray(buttons)) return [];
  return buttons.flatMap((button: JsonValue) => {
    const { label, value } = isJsonObject(button) ? button : {};
    return typeof label === 'string' && typeof value === 'string' ? [{ label, value }] : [];
  });
}

function noAnswer(reason: string): SendOutcome {
  return { outcome: 'retry', reason, mayHaveArrived: true };
}

/** Says which handler stopped the part and why, without the words of the answer. */
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** Resolves when the time is over or one of the signals fires. */
function sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  if (signals.some(({ aborted }) => aborted) || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
    for (const signal of signals) signal.addEventListener('abort', done, { once: true });
  });
}

function idsOf({ runId, sessionKey, part, surface }: OutboxRow): LogFields {
  const { channel, accountId } = surface;
  return { runId, sessionKey, channel, accountId, delivery: `${runId}/${part}` };
}
