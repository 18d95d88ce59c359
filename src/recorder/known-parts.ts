// Remembers which parts of captured requests this process has stored a moment ago, so that a commit does not write them
// again. Most parts of a request were part of the request before: system prompt, tools, earlier messages.
//
// Promise: a part is left out of a commit only while it is stored with a date that is at most `USE_GRAIN_MS` older than
// the request. Pruning keeps parts that much longer than requests, so no kept request loses one. It is decided when the
// commit is handed over, never earlier, and `forget` is awaited before a plan that removes parts by name is made: such a
// plan sees every commit that left parts out before it, and every later commit gives its parts a new date.
//
// Where several nodes share the store, what is remembered belongs to a version that the store hands out. `forget` raises it, so that a commit of
// any node that left parts out because of an older one is made with all of its parts. Parts that are removed by their age are too old to be left out by anybody.

import { forgetOldest } from '../protocol/forget-oldest.ts';
import { delegateStore } from '../store/delegate-store.ts';
import type { CommitOptions, CommitResult, Store, StoreVersions, Write } from '../store/store.ts';
import { tableOf } from '../store/table-of.ts';

/** The date of a part may be this much older than the youngest request that uses it. */
export const USE_GRAIN_MS = 30_000;

const MOST_PARTS = 8_192;

export class KnownParts {
  /** The store that everything uses which commits captures or removes parts. */
  readonly store: Store;
  readonly #inner: Store;
  /** The date that a part has at least, by its hash. Only commits that succeeded are in it. */
  #usedAt = new Map<string, number>();
  /** The version that what is remembered belongs to; undefined until the store has told it. */
  #version: number | undefined;
  #isAsking = false;

  constructor(inner: Store) {
    this.#inner = inner;
    this.store = delegateStore(inner, { commit: (writes, options) => this.#commit(writes, options) });
  }

  /** What is under way is not learnt either, because it fills the map that is left behind here. Resolves when no node remembers anything older. */
  async forget(): Promise<void> {
    this.#begin();
    await this.#inner.versions?.raise('parts');
    this.#begin();
  }

  #begin(): void {
    this.#usedAt = new Map();
    this.#version = undefined;
  }

  #commit(writes: readonly Write[], options: CommitOptions): Promise<CommitResult> {
    if (!writes.some(isAboutParts)) return this.#inner.commit(writes, options);
    if (writes.some(removesParts)) {
      this.#begin();
      return this.#inner.commit(writes, options);
    }
    const { versions } = this.#inner;
    if (versions && this.#version === undefined) {
      // The commit does not wait for the answer, because commits keep their order.
      void this.#ask(versions);
      return this.#inner.commit(writes, options);
    }
    return this.#commitUnknown(writes, options);
  }

  async #ask(versions: StoreVersions): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const usedAt = this.#usedAt;
    try {
      const version = await versions.read('parts');
      if (usedAt === this.#usedAt) this.#version = version;
    } catch {
      // The next commit asks again.
    } finally {
      this.#isAsking = false;
    }
  }

  async #commitUnknown(writes: readonly Write[], options: CommitOptions): Promise<CommitResult> {
    const usedAt = this.#usedAt;
    const version = this.#version;
    const needed = writes.map((write) => withoutFresh(write, usedAt));
    const left = needed.filter(isWrite);
    const asOf =
      version !== undefined && needed.some((write, index) => write !== writes[index])
        ? { name: 'parts' as const, version, otherwise: [...writes, ...NOTHING] }
        : undefined;
    const result = await this.#inner.commit(left, { ...options, ...(asOf && { asOf }) });
    if (asOf && result.changed.length === asOf.otherwise.length) {
      // Another node has raised the version.
      if (usedAt === this.#usedAt) this.#begin();
      return { seqs: result.seqs.slice(0, writes.length), changed: result.changed.slice(0, writes.length) };
    }
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

/** A write that changes nothing. With it, the longer list is recognised by the number of results, also where only a date was left out. */
const NOTHING: readonly Write[] = [{ remove: 'parts', where: { hash: { in: [] } } }];

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

/** A part that was learnt again moves to the end, so that those which are removed are the ones unused for longest. */
function remember(usedAt: Map<string, number>, hash: string, at: number): void {
  const known = usedAt.get(hash) ?? at;
  usedAt.delete(hash);
  usedAt.set(hash, Math.max(known, at));
  forgetOldest(usedAt, MOST_PARTS);
}
