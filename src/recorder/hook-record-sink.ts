// Stores which handler was called on which hook and how the call ended. Records are collected and written in batches,
// and no run waits for them.
//
// Promise: recording never fails and never waits. Memory is bounded, and so is the table: when it is full, the oldest
// records are removed.

import type { NewRow, Store } from '../store/store.ts';

export type HookRecord = NewRow<'hookRecords'>;

export interface HookRecordSinkSettings {
  readonly store: Store;
  /** Called once, with one sentence, when records cannot be stored. */
  readonly warn: (message: string) => void;
  readonly maxRows?: number | undefined;
  readonly maxPending?: number | undefined;
  readonly batchSize?: number | undefined;
  /** How long the first record of a batch may wait. */
  readonly delayMs?: number | undefined;
}

const MAX_ROWS = 50_000;

export class HookRecordSink {
  readonly #settings: Required<Omit<HookRecordSinkSettings, 'maxRows'>>;
  #maxRows: number;
  #pending: HookRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #sincePrune = 0;
  #warned = false;
  #dropped = 0;

  constructor({ store, warn, ...limits }: HookRecordSinkSettings) {
    this.#settings = {
      store,
      warn,
      maxPending: limits.maxPending ?? 10_000,
      batchSize: limits.batchSize ?? 500,
      delayMs: limits.delayMs ?? 500,
    };
    this.#maxRows = limits.maxRows ?? MAX_ROWS;
  }

  /** From now on this many records are kept. */
  limit(maxRows: number = MAX_ROWS): void {
    this.#maxRows = maxRows;
  }

  /** The number of records that were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  record(record: HookRecord): void {
    const { maxPending, batchSize, delayMs } = this.#settings;
    if (this.#pending.length >= maxPending) {
      this.#lose(1, 'they come faster than they can be written');
      return;
    }
    this.#pending.push(record);
    if (this.#pending.length >= batchSize) {
      this.#flush();
    } else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#flush(), delayMs);
      this.#timer.unref();
    }
  }

  /** Resolves when everything that was recorded before has been written or given up. */
  async drain(): Promise<void> {
    while (this.#pending.length > 0 || this.#writing) await this.#flush();
  }

  /** Writes one batch at a time. Records that come in the meantime are the next batch. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending.slice(0, this.#settings.batchSize);
      this.#pending = this.#pending.slice(batch.length);
      try {
        await this.#write(batch);
      } catch (error) {
        this.#lose(batch.length, error instanceof Error ? error.message : 'the store refused them');
      }
    }
  }

  async #write(batch: readonly HookRecord[]): Promise<void> {
    const { store } = this.#settings;
    const maxRows = this.#maxRows;
    const { seqs } = await store.commit(
      batch.map((row) => ({ insert: 'hookRecords', row })),
      { site: 'hook-records', lazy: true },
    );
    const newest = seqs.at(-1);
    this.#sincePrune += batch.length;
    if (newest === undefined || newest <= maxRows || this.#sincePrune < Math.min(1_000, maxRows)) return;
    this.#sincePrune = 0;
    await store.commit([{ remove: 'hookRecords', where: { seq: { lte: newest - maxRows } } }], { site: 'prune' });
  }

  #lose(count: number, reason: string): void {
    this.#dropped += count;
    if (this.#warned) return;
    this.#warned = true;
    this.#settings.warn(`Records of hook calls are left out: ${reason}.`);
  }
}
