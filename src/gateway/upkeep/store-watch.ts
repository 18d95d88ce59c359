// Knows whether the store takes commits. When it refuses one, that is said once, however many commits and their retries
// follow, and once more when it takes them again. Everything that commits uses the store that is handed out here.

import { errorText } from '../../protocol/one-line.ts';
import { delegateStore } from '../../store/delegate-store.ts';
import { isStoreError, StoreClosedError } from '../../store/errors.ts';
import type { CommitResult, Store, Write } from '../../store/store.ts';

export interface StoreWatchParts {
  readonly store: Store;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  /** Called with what was written, after each commit, in the order of the commits. */
  readonly committed?: ((writes: readonly Write[], result: CommitResult) => void) | undefined;
}

/** Right after a refusal the store is not asked again, because a small commit may succeed where a message does not. */
const REFUSAL_LASTS_MS = 5_000;
/** Only who was let in may make the store write; the health of the gateway is asked by anybody. */
const PROBE_LASTS_MS = 1_000;
/** Retries come at least this often, so a store that has refused nothing for so long has recovered. */
const QUIET_MS = 60_000;

export class StoreWatch {
  readonly store: Store;
  readonly #parts: StoreWatchParts;
  /** What is wrong, from the first refusal until the store has recovered. */
  #trouble: Trouble | undefined;
  #probe: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;

  constructor(parts: StoreWatchParts) {
    this.#parts = parts;
    this.store = this.#watched();
  }

  /** Says why no message can be accepted now; undefined when one can. */
  async problem(): Promise<string | undefined> {
    const trouble = this.#trouble;
    const now = this.#parts.now();
    if (trouble && !trouble.isOver && now - trouble.lastAt < REFUSAL_LASTS_MS) return trouble.problem;
    if (!this.#probe || now - this.#probe.at >= PROBE_LASTS_MS)
      this.#probe = { at: now, problem: this.#note(this.#parts.store.probe()).then(none, errorText) };
    return this.#probe.problem;
  }

  /** The warnings that the status of the gateway shows. */
  get warnings(): readonly string[] {
    return this.#trouble && !this.#trouble.isOver ? [this.#trouble.problem] : [];
  }

  #watched(): Store {
    const { store, committed } = this.#parts;
    return delegateStore(store, {
      commit: async (writes, options) => {
        const result = await this.#note(store.commit(writes, options));
        committed?.(writes, result);
        return result;
      },
      probe: () => this.#note(store.probe()),
      select: (table, query) => this.#noteRead(store.select(table, query)),
      count: (table, where) => this.#noteRead(store.count(table, where)),
    });
  }

  async #note<Result>(commit: Promise<Result>): Promise<Result> {
    try {
      const result = await commit;
      if (this.#trouble) this.#recovered(this.#trouble);
      return result;
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  /** A read that succeeds says nothing about commits, because a full store can be read. */
  async #noteRead<Result>(read: Promise<Result>): Promise<Result> {
    try {
      return await read;
    } catch (error) {
      this.#noteFailure(error);
      throw error;
    }
  }

  #noteFailure(error: unknown): void {
    if (isStoreError(error) && !(error instanceof StoreClosedError)) this.#refused(errorText(error));
  }

  #refused(problem: string): void {
    const { now, warn } = this.#parts;
    this.#trouble ??= { problem, refusals: 0, lastAt: 0, isOver: false, said: new Set() };
    const trouble = this.#trouble;
    Object.assign(trouble, { problem, lastAt: now(), isOver: false });
    trouble.refusals += 1;
    if (trouble.said.has(problem)) return;
    trouble.said.add(problem);
    warn(problem);
  }

  #recovered(trouble: Trouble): void {
    trouble.isOver = true;
    this.#probe = undefined;
    if (this.#parts.now() - trouble.lastAt < QUIET_MS) return;
    this.#trouble = undefined;
    this.#parts.warn(`The store takes commits again, after it had refused ${trouble.refusals}.`);
  }
}

interface Trouble {
  problem: string;
  refusals: number;
  lastAt: number;
  /** The last commit succeeded. It may have been a small one, so the store has not recovered yet. */
  isOver: boolean;
  readonly said: Set<string>;
}

function none(): undefined {}
