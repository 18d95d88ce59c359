// Keeps the words of what was said up to date, behind the runs. Entries of runs that have ended are taken from the list
// of those that are not indexed yet; those that older versions have written are on that list too.
//
// Promise: no run waits for it. A crash at any point loses no entry, because an entry leaves the list in the commit that
// stores its words. An entry that was removed meanwhile is not indexed: the same commit expects it on the list.

import { setTimeout as sleep } from 'node:timers/promises';
import { saidIn } from '../../../sessions/said-in.ts';
import { PreconditionFailedError } from '../../../store/errors.ts';
import type { Store, Write } from '../../../store/store.ts';
import { BackgroundWork } from '../background-work.ts';
import { wordsOf } from './words-of.ts';

export interface WordIndexParts {
  readonly store: Store;
  readonly warn: (sentence: string) => void;
  /** Set where several nodes share the store: whether this one keeps the index. */
  readonly isMine?: (() => boolean) | undefined;
}

const PAGE = 200;
/** While there is much to do, it rests this many times as long as it has worked. */
const REST = 3;
/** Of a longer entry, the beginning can be found. */
const MOST_CHARS = 200_000;

export class WordIndex {
  readonly #parts: WordIndexParts;
  readonly #background = new BackgroundWork({
    work: () => this.catchUp({ rest: REST }),
    isMine: () => this.#parts.isMine?.() !== false,
    failed: ({ message }) => this.#parts.warn(`What was said could not be indexed for the search: ${message}`),
  });

  constructor(parts: WordIndexParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#background.open();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  /**
   * Indexes entries of runs that have ended, all or about as many as `most` says. Resolves with whether all are indexed.
   * Rejects with the errors of the store.
   */
  async catchUp({
    rest = 0,
    most = Infinity,
  }: {
    readonly rest?: number;
    readonly most?: number;
  } = {}): Promise<boolean> {
    const { store } = this.#parts;
    const { signal } = this.#background;
    let all = 0;
    let after = '';
    while (!signal.aborted && all < most) {
      const began = performance.now();
      const orderBy = [
        ['sessionId', 'asc'],
        ['position', 'asc'],
      ] as const;
      const page = await store.select('entriesToIndex', { where: { sessionId: { gt: after } }, orderBy, limit: PAGE });
      const sessionIds = [...new Set(page.map(({ sessionId }) => sessionId))];
      let done = 0;
      for (const sessionId of sessionIds) {
        const positions = page.filter((row) => row.sessionId === sessionId).map(({ position }) => position);
        done += await this.#index(sessionId, positions);
      }
      all += done;
      if (page.length < PAGE) return true;
      // The page may end in the middle of its last session, which is looked at again; alone, as long as there is progress.
      const settled = sessionIds.length > 1 ? sessionIds.at(-2) : done === 0 ? sessionIds[0] : undefined;
      after = settled ?? after;
      // Without a rest, others still get their turn.
      await sleep(rest * (performance.now() - began), undefined, { signal }).catch(() => {});
    }
    return false;
  }

  /** Resolves with the number of entries that have left the list. */
  async #index(sessionId: string, positions: readonly number[]): Promise<number> {
    const { store } = this.#parts;
    const [session] = await store.select('sessions', { where: { sessionId }, limit: 1 });
    const entries = await store.select('transcript', { where: { sessionId, position: { in: positions } } });
    const runIds = [...new Set(entries.map(({ runId }) => runId))];
    const going = await store.select('runs', { where: { runId: { in: runIds }, endedAt: null } });
    const goesOn = new Set(going.map(({ runId }) => runId));
    const later = new Set(entries.filter(({ runId }) => goesOn.has(runId)).map(({ position }) => position));
    const now = positions.filter((position) => !later.has(position));
    if (now.length === 0) return 0;
    const agentId = session?.agentId ?? '';
    const inserts = entries
      .filter(({ position }) => !later.has(position))
      .flatMap((entry): readonly Write[] => {
        const { position, at } = entry;
        const words = wordsOf(saidIn(entry).slice(0, MOST_CHARS));
        return words === ''
          ? []
          : [{ insert: 'entryWords', row: { sessionId, position, agentId, at, words }, onConflict: 'ignore' }];
      });
    const done: Write = {
      remove: 'entriesToIndex',
      where: { sessionId, position: { in: now } },
      expect: now.length,
    };
    try {
      await store.commit([done, ...inserts], { site: 'word-index', lazy: true });
      return now.length;
    } catch (error) {
      // The entries were removed meanwhile, and left the list with that.
      if (error instanceof PreconditionFailedError) return 0;
      throw error;
    }
  }
}
