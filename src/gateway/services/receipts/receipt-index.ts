// Keeps the receipts of runs up to date, behind the runs: it looks for captures that no receipt has seen, and writes down
// which pieces their run had. Runs that were captured by an older version are found in the same way.
//
// Promise: no run waits for it. A crash at any point loses no receipt, because a capture is marked as indexed in the commit
// that stores the receipt. A run whose captures are removed meanwhile gets no receipt: both of its commits expect them.

import { setTimeout as sleep } from 'node:timers/promises';
import { isAtriumError } from '../../../protocol/errors.ts';
import { PIECE_GRAIN_MS } from '../../../recorder/prune-captures.ts';
import { PreconditionFailedError } from '../../../store/errors.ts';
import type { Store, Write } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { BackgroundWork } from '../background-work.ts';
import { type TranscriptOf, transcriptsIn } from '../read-request-spans.ts';
import { packPieces } from './piece-list.ts';
import { type Piece, type RunReceipt, readReceipt } from './run-receipt.ts';

export interface ReceiptIndexParts {
  readonly store: Store;
  readonly warn: (sentence: string) => void;
}

const PAGE = 100;
/** While there is much to do, it rests this many times as long as it has worked. */
const REST = 3;
const MOST_KNOWN = 20_000;

export class ReceiptIndex {
  readonly #parts: ReceiptIndexParts;
  readonly #background = new BackgroundWork({
    work: () => this.catchUp({ rest: REST }),
    failed: ({ message }) => this.#parts.warn(`Receipts of prompts could not be written: ${message}`),
  });
  /** The number of a piece, and the time of its last use as the store has it at least; by scope and hash. */
  readonly #known = new Map<string, { readonly seq: number; readonly usedAt: number }>();

  constructor(parts: ReceiptIndexParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#background.open();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  /** Indexes every run that has ended. Resolves with their number. Rejects with the errors of the store. */
  async catchUp({ rest = 0 }: { readonly rest?: number } = {}): Promise<number> {
    let all = 0;
    for (;;) {
      const indexed = await this.#pass(rest);
      all += indexed;
      if (indexed === 0 || this.#background.signal.aborted) return all;
    }
  }

  /** Captures of the same moment may be left for the next pass, when a page ends among them. */
  async #pass(rest: number): Promise<number> {
    const { store } = this.#parts;
    const { signal } = this.#background;
    let indexed = 0;
    let after = -1;
    while (!signal.aborted) {
      const page = await store.select('captures', {
        where: { isIndexed: false, at: { gt: after } },
        orderBy: [['at', 'asc']],
        limit: PAGE,
      });
      const end = page.at(-1)?.at;
      if (end === undefined) break;
      const runIds = [...new Set(page.map(({ runId }) => runId))];
      const runs = await store.select('runs', { where: { runId: { in: runIds } } });
      const transcriptOf = onceEach(transcriptsIn(store));
      for (const run of runs) {
        if (signal.aborted) break;
        if (run.endedAt === null) continue;
        const began = performance.now();
        if (await this.#index(run, transcriptOf)) indexed += 1;
        // Without a rest, others still get their turn.
        await sleep(rest * (performance.now() - began), undefined, { signal }).catch(() => {});
      }
      if (page.length < PAGE) break;
      after = end;
    }
    return indexed;
  }

  /** False when its captures were changed or removed meanwhile; then the next look finds what is left. */
  async #index(run: RunRow, transcriptOf: TranscriptOf): Promise<boolean> {
    const { store } = this.#parts;
    const { runId, sessionKey, agentId } = run;
    const captures = await store.select('captures', { where: { runId }, orderBy: [['call', 'asc']] });
    const calls = captures.map(({ call }) => call);
    const mark = (isIndexed: boolean): Write => ({
      update: 'captures',
      where: { runId, call: { in: calls } },
      set: { isIndexed },
      expect: calls.length,
    });
    const commit = (writes: readonly Write[]) => store.commit(writes, { site: 'prompt-receipt', lazy: true });
    const receipt = await this.#read(run, captures, transcriptOf);
    try {
      if (!receipt) {
        await commit([mark(true)]);
        return true;
      }
      const numbers = await this.#store(receipt, async (writes) => {
        const { seqs } = await commit([...writes, mark(false)]);
        return seqs;
      });
      const sources = numbers.get(receipt.sources) ?? 0;
      const pieces = packPieces(receipt.prompt.flatMap((piece) => numbers.get(piece) ?? []));
      await commit([
        mark(true),
        { remove: 'promptReceipts', where: { runId } },
        { insert: 'promptReceipts', row: { runId, sessionKey, agentId, at: receipt.at, sources, pieces } },
      ]);
      return true;
    } catch (error) {
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
  }

  /** A record that cannot be understood must not keep the others from being indexed. */
  async #read(
    run: RunRow,
    captures: readonly CaptureRow[],
    transcriptOf: TranscriptOf,
  ): Promise<RunReceipt | undefined> {
    const { store, warn } = this.#parts;
    try {
      return await readReceipt(store, run, captures, transcriptOf);
    } catch (error) {
      if (isAtriumError(error)) throw error;
      warn(`The prompts of ${run.runId} cannot be searched: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Stores the pieces that are not there yet, and gives each its number. */
  async #store(
    { at, prompt, files, sources }: RunReceipt,
    commit: (writes: readonly Write[]) => Promise<readonly (number | undefined)[]>,
  ): Promise<ReadonlyMap<Piece, number>> {
    const pieces = [...prompt, ...files, sources];
    await this.#verify(pieces);
    const numbers = new Map<Piece, number>();
    const doubtful: Piece[] = [];
    for (const piece of pieces) {
      const known = this.#known.get(keyOf(piece));
      // A piece that was not used for long may have been pruned since it was learnt.
      if (known && known.usedAt >= at - PIECE_GRAIN_MS) numbers.set(piece, known.seq);
      else doubtful.push(piece);
    }
    if (doubtful.length === 0) return numbers;
    // Without the scope, the store would have to look at every piece.
    const where = {
      scope: { in: [...new Set(doubtful.map(({ scope }) => scope))] },
      hash: { in: doubtful.map(({ hash }) => hash) },
    };
    const found = new Map((await this.#parts.store.select('promptPieces', { where })).map((row) => [keyOf(row), row]));
    const stale = doubtful.flatMap((piece) => found.get(keyOf(piece)) ?? []).filter(({ usedAt }) => usedAt < at);
    const missing = doubtful.filter((piece) => !found.has(keyOf(piece)));
    const seqs = await commit([
      ...missing.map((piece): Write => ({ insert: 'promptPieces', row: { ...piece, usedAt: at } })),
      {
        update: 'promptPieces',
        where: { seq: { in: stale.map(({ seq }) => seq) } },
        set: { usedAt: at },
        expect: stale.length,
      },
    ]);
    for (const piece of doubtful) {
      const row = found.get(keyOf(piece));
      const seq = row?.seq ?? seqs[missing.indexOf(piece)];
      if (seq === undefined) continue;
      numbers.set(piece, seq);
      this.#learn(piece, seq, Math.max(row?.usedAt ?? at, at));
    }
    return numbers;
  }

  /** When a session is deleted, its pieces go with it; a later session of the same key must not name them. */
  async #verify(pieces: readonly Piece[]): Promise<void> {
    const numbers = [...new Set(pieces.flatMap((piece) => this.#known.get(keyOf(piece))?.seq ?? []))];
    const there = await this.#parts.store.count('promptPieces', { seq: { in: numbers } });
    if (there !== numbers.length) this.#known.clear();
  }

  #learn(piece: Pick<Piece, 'scope' | 'hash'>, seq: number, usedAt: number): void {
    const key = keyOf(piece);
    this.#known.delete(key);
    this.#known.set(key, { seq, usedAt });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/**
 * Runs of one page are often of one session, and each would read all of it. What was said in a run that has ended does not
 * change, so a transcript that is read after that has all that the run needs.
 */
function onceEach(transcriptOf: TranscriptOf): TranscriptOf {
  const read = new Map<string, ReturnType<TranscriptOf>>();
  return (sessionId) => {
    const rows = read.get(sessionId) ?? transcriptOf(sessionId);
    read.set(sessionId, rows);
    return rows;
  };
}

function keyOf({ scope, hash }: Pick<Piece, 'scope' | 'hash'>): string {
  return `${scope}\n${hash}`;
}
