// Remembers which parts of captured requests this process has stored a moment ago, so that a commit does not write them
// again. Most parts of a request were part of the request before: system prompt, tools, earlier messages.
//
// Promise: a part is left out of a commit only while it is stored with a date that is at most `USE_GRAIN_MS` older than
// the request. Pruning keeps parts that much longer than requests, so no kept request loses one. It is decided when the
// commit is handed over, never earlier, and `forget` is called before a plan that removes parts by name is made: such a
// plan sees every commit that left parts out before it, and every later commit gives its parts a new date.

import { delegateStore } from '../store/delegate-store.ts';
import type { CommitOptions, CommitResult, Store, Write } from '../store/store.ts';
import { tableOf } from '../store/table-of.ts';

/** The date of a part may be this much older than the youngest request that uses it. */
export const USE_GRAIN_MS = 30_000;

const MOST_PARTS = 8_192;

export interface KnownPartsOptions {
  /**
   * False while other nodes write to the same store. They may remove a part at any moment, so nothing is remembered then
   * and every commit brings its parts along.
   */
  readonly isAlone?: (() => boolean) | undefined;
}

export class KnownParts {
  /** The store that everything uses which commits captures or removes parts. */
  readonly store: Store;
  readonly #inner: Store;
  readonly #isAlone: () => boolean;
  /** The date that a part has at least, by its hash. Only commits that succeeded are in it. */
  #usedAt = new Map<string, number>();

  constructor(inner: Store, { isAlone = () => true }: KnownPartsOptions = {}) {
    this.#inner = inner;
    this.#isAlone = isAlone;
    this.store = delegateStore(inner, { commit: (writes, options) => this.#commit(writes, options) });
  }

  /** What is under way is not learnt either, because it fills the map that is left behind here. */
  forget(): void {
    this.#usedAt = new Map();
  }

  #commit(writes: readonly Write[], options: CommitOptions): Promise<CommitResult> {
    if (!writes.some(isAboutParts)) return this.#inner.commit(writes, options);
    if (writes.some(removesParts) || !this.#isAlone()) {
      this.forget();
      return this.#inner.commit(writes, options);
    }
    return this.#commitUnknown(writes, options);
  }

  async #commitUnknown(writes: readonly Write[], options: CommitOptions): Promise<CommitResult> {
    const usedAt = this.#usedAt;
    const needed = writes.map((write) => withoutFresh(write, usedAt));
    const result = await this.#inner.commit(needed.filter(isWrite), options);
    for (const write of needed) {
      if (write && 'insert' in write && write.insert === 'parts') remember(usedAt, write.row.hash, write.row.usedAt);
    }
    let next = 0;
    const places = needed.map((write) => (write ? next++ : undefined));
    return {
      seqs: places.map((place) => (place === undefined ? undefined : result.seqs[place])),
      changed: places.map((place) => (place === undefined ? 0 : (result.changed[place] ?? 0))),
    };
  }
}

function isAboutParts(write: Write): boolean {
  return tableOf(write) === 'parts';
}

function removesParts(write: Write): boolean {
  return 'remove' in write && write.remove === 'parts';
}

function isWrite(write: Write | undefined): write is Write {
  return write !== undefined;
}

/** Returns undefined for a write that would change nothing. */
function withoutFresh(write: Write, usedAt: ReadonlyMap<string, number>): Write | undefined {
  const isFresh = (hash: string, at: number) => (usedAt.get(hash) ?? Number.NEGATIVE_INFINITY) >= at - USE_GRAIN_MS;
  if ('insert' in write) {
    if (write.insert !== 'parts' || write.onConflict !== 'ignore') return write;
    return isFresh(write.row.hash, write.row.usedAt) ? undefined : write;
  }
  if (!('update' in write) || write.update !== 'parts') return write;
  const { where, set } = write;
  const at = set.usedAt;
  if (at === undefined || typeof where.hash !== 'object' || where.hash === null || !('in' in where.hash)) return write;
  const stale = where.hash.in.filter((hash) => !isFresh(String(hash), at));
  return stale.length === 0 ? undefined : { ...write, where: { ...where, hash: { in: stale } } };
}

/** A part that was learnt again moves to the end, so that the one which is removed is the one unused for longest. */
function remember(usedAt: Map<string, number>, hash: string, at: number): void {
  const known = usedAt.get(hash) ?? at;
  usedAt.delete(hash);
  usedAt.set(hash, Math.max(known, at));
  const [oldest] = usedAt.keys();
  if (usedAt.size > MOST_PARTS && oldest !== undefined) usedAt.delete(oldest);
}
