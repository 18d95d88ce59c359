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

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Channel, OutboundPart, SendOutcome } from '../channels/channel.ts';
import { readAttachmentRefs } from '../protocol/attachment.ts';
import type { Button } from '../protocol/button.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { LogFields, Say } from '../protocol/log.ts';
import { newId } from '../protocol/new-id.ts';
import { oneLine } from '../protocol/one-line.ts';
import type { Suppression } from '../protocol/suppression.ts';
import { LONGEST_TIMER_MS } from '../protocol/time-limit.ts';
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

type Wait = { readonly untilMs: number };

export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #backOffMs: (attempt: number) => number;
  /** The rows by surface id, in the order of `seq`. Until the outbox closes, each queue in here is being served. */
  readonly #surfaces = new Map<string, Pending[]>();
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
    const { store } = this.#settings;
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
   * Says that rows were committed. They are read a moment later, when the run that committed them has told its end: whoever
   * waits for that need not wait for this, and runs that end together are read together.
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

  /** The number of parts that wait or are being sent. */
  get pending(): number {
    return [...this.#surfaces.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /**
   * Waits until everything is sent or given up and stored, or until the time is over. Returns how many parts are left.
   */
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

  /** Starts nothing more, and lets active sends finish within the budget. The rest stays queued. */
  async close(budgetMs: number): Promise<void> {
    // Rows that were committed before this still get their first attempt, like an active send.
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
        if (row.status === 'queued') this.#enqueue({ row, uncertain: false, isReplacing: false });
        else if (row.status === 'suppressed') this.#tell(row, 'suppressed');
        // The commit handed it over.
        else if (row.status === 'sent') this.#tell(row, 'sent', { receipt: row.receipt });
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
    // Nothing is pushed to a queue that is no longer in the map, so no row can be forgotten in it.
    if (queue.length === 0) this.#surfaces.delete(id);
  }

  /** Makes one attempt. Returns undefined when the row is settled, else the time of the next attempt. */
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
    // The closing interrupted the send, so it is unknown how far it came, as after a crash.
    if (this.#closing.signal.aborted) return { untilMs: row.nextAt };
    return this.#putOff(pending, { ...outcome, reason: oneLine(outcome.reason) });
  }

  /** Asks the channel first where the part may have arrived already. Never throws, and never waits for ever. */
  async #sendOnce(channel: Channel, pending: Pending): Promise<SendOutcome> {
    const { row, uncertain } = pending;
    const { takeDraft } = this.#settings;
    const sending = new AbortController();
    const { signal } = sending;
    const timer = setTimeout(() => sending.abort(), this.#settings.sendTimeoutMs ?? SEND_TIMEOUT_MS);
    this.#sending.add(sending);
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
      return await Promise.race([ask(), aborted(signal).then(() => noAnswer('the channel did not answer in time'))]);
    } catch (error) {
      return noAnswer(oneLine(error));
    } finally {
      clearTimeout(timer);
      this.#sending.delete(sending);
    }
  }

  #settle({ row, isReplacing }: Pending, receipt: JsonValue): undefined {
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

const SEND_TIMEOUT_MS = 60_000;
const LAST_GRACE_MS = 1_000;
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Resolves when the time is over or the signal fires. */
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

function idsOf({ runId, sessionKey, part, surface }: OutboxRow): LogFields {
  const { channel, accountId } = surface;
  return { runId, sessionKey, channel, accountId, delivery: `${runId}/${part}` };
}
