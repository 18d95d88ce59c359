// Keeps the receipts of runs up to date, behind the runs: it writes down which pieces the prompts of a run had. What this process
// has just captured is at hand (`RecentRuns`). Then it looks for captures that no receipt has seen, which it reads from the store: runs
// of a process that has crashed, of another node, and those that were captured by an older version.
//
// Promise: no run waits for it. A crash at any point loses no receipt, because a capture is marked as indexed in the commit
// that stores the receipt. A run whose captures are removed meanwhile gets no receipt, and of a session that is deleted meanwhile
// no word is stored: the commits expect what they were made from.
//
// Runs that ended one after the other have most of their prompts in common, so many of them are read and committed
// together: those of a minute, or so many that this process would soon forget what it knows about the first of them, because reading
// that from the store costs several times as much. A question has the rest indexed first, so nobody has to wait for the minute.

import { setTimeout as sleep } from 'node:timers/promises';
import { FRAME_CALL } from '../../../agent/request-frame.ts';
import { isAtriumError } from '../../../protocol/errors.ts';
import { forgetOldest } from '../../../protocol/forget-oldest.ts';
import { batchesOf } from '../../../recorder/capture.ts';
import { PIECE_GRAIN_MS } from '../../../recorder/prune-captures.ts';
import { PreconditionFailedError } from '../../../store/errors.ts';
import type { Store, Write } from '../../../store/store.ts';
import type { CaptureRow, RunRow } from '../../../store/tables.ts';
import { BackgroundWork } from '../background-work.ts';
import type { TranscriptOf } from '../read-request-spans.ts';
import { FrameReader } from './frame-reader.ts';
import { GrowingTranscripts } from './growing-transcripts.ts';
import { KnownSources } from './known-sources.ts';
import { packPieces } from './piece-list.ts';
import { keyOf, type Piece } from './prompt-piece.ts';
import type { RecentRuns } from './recent-runs.ts';
import { type CapturedRun, capturedRun, type RunReceipt, readReceipt } from './run-receipt.ts';
import { KnownStablePieces } from './stable-pieces.ts';

export interface ReceiptIndexParts {
  readonly store: Store;
  readonly warn: (sentence: string) => void;
  /** What this process has just captured and need not read again. */
  readonly recent?: Pick<RecentRuns, 'isFilling' | 'runIds' | 'has' | 'of' | 'forget'> | undefined;
  /** Set where several nodes share the store: whether this one keeps the index. */
  readonly isMine?: (() => boolean) | undefined;
}

const PAGE = 128;
/** So many runs are read and committed together. */
const BATCH = 64;
/** While there is much to do, it rests this many times as long as it has worked. */
const REST = 3;
/** It works so long before it rests: a timer for every run would cost a good part of what the run itself does. */
const STRETCH_MS = 4;
/** It looks so often whether there is enough to do, because a busy gateway has a thousand runs in this time. */
const EVERY_MS = 2_000;
/** So long it gathers runs. */
const GATHER_MS = 60_000;
const MOST_KNOWN = 20_000;

export class ReceiptIndex {
  readonly #parts: ReceiptIndexParts;
  readonly #frames: FrameReader;
  readonly #stable = new KnownStablePieces();
  readonly #sources = new KnownSources();
  readonly #transcripts: GrowingTranscripts;
  readonly #background = new BackgroundWork({
    work: () => this.#work(),
    everyMs: EVERY_MS,
    isMine: () => this.#parts.isMine?.() !== false,
    failed: ({ message }) => this.#parts.warn(`Receipts of prompts could not be written: ${message}`),
  });
  /** When nothing was left to do. What an earlier process has left is done by the first look. */
  #caughtUpAt = Number.NEGATIVE_INFINITY;
  #going: Promise<number> | undefined;
  /** How many wait for it. */
  #hurried = 0;
  /** The number of a piece, and the time of its last use as the store has it at least; by scope and hash. */
  readonly #known = new Map<string, { readonly seq: number; readonly usedAt: number }>();

  constructor(parts: ReceiptIndexParts) {
    this.#parts = parts;
    this.#frames = new FrameReader(parts.store);
    this.#transcripts = new GrowingTranscripts(parts.store);
  }

  open(): void {
    this.#background.open();
  }

  close(): Promise<void> {
    return this.#background.close();
  }

  /** Indexes every run that has ended, without resting. Resolves with their number. Rejects with the errors of the store. */
  async catchUp(): Promise<number> {
    this.#hurried += 1;
    try {
      return await this.#round();
    } finally {
      this.#hurried -= 1;
    }
  }

  async #work(): Promise<void> {
    if (this.#isLate || this.#parts.recent?.isFilling) await this.#round();
  }

  get #isLate(): boolean {
    return performance.now() - this.#caughtUpAt >= GATHER_MS;
  }

  /** There is one round at a time; a caller that asks for another one meanwhile waits for the one that goes on. */
  #round(): Promise<number> {
    this.#going ??= this.#passes().finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  /** Runs end all the time, so only for somebody who waits there is another pass when one has found something. */
  async #passes(): Promise<number> {
    const { signal } = this.#background;
    let all = 0;
    for (;;) {
      let indexed = await this.#passRecent();
      // The store has many captures of runs that are known, too, so it is not read each time when these become many.
      if ((this.#hurried > 0 || this.#isLate) && !signal.aborted) {
        indexed += await this.#passStored();
        this.#caughtUpAt = performance.now();
      }
      all += indexed;
      if (indexed === 0 || this.#hurried === 0 || signal.aborted) return all;
    }
  }

  /** Those that could not be indexed are found in the store by the next look. */
  async #passRecent(): Promise<number> {
    const { store, recent } = this.#parts;
    const { signal } = this.#background;
    if (!recent) return 0;
    let indexed = 0;
    for (const batch of batchesOf(recent.runIds(), BATCH)) {
      const runs = await store.select('runs', { where: { runId: { in: batch }, endedAt: { not: null } } });
      // What was said is read when it is known which runs are over.
      const read = await this.#readAll(runs, this.#transcripts.reader(), ({ runId }) => recent.of(runId));
      indexed += await this.#commitAll(read);
      recent.forget(read.map(({ run }) => run.runId));
      if (signal.aborted) break;
    }
    return indexed;
  }

  async #passStored(): Promise<number> {
    const { store, recent } = this.#parts;
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
      const isLast = page.length < PAGE;
      // A full page may end among captures of one moment, which mostly are those of one run.
      const before = isLast ? page : page.filter(({ at }) => at < end);
      const [captures, next] = before.length > 0 ? [before, end - 1] : [page, end];
      const ofRun = capturesByRun(captures);
      const runs = await store.select('runs', { where: { runId: { in: [...ofRun.keys()] } } });
      const transcriptOf = this.#transcripts.reader();
      // A run that has ended meanwhile and is known is left to the next pass.
      const ended = runs.filter(({ runId, endedAt }) => endedAt !== null && !recent?.has(runId));
      for (const batch of batchesOf(ended, BATCH)) {
        const found = batch.flatMap(({ runId }) => ofRun.get(runId) ?? []);
        indexed += await this.#index(batch, found, transcriptOf);
        if (signal.aborted) return indexed;
      }
      if (isLast) break;
      after = next;
    }
    return indexed;
  }

  /** `found` are captures of these runs, mostly all of them. Resolves with the number of runs that were indexed. */
  async #index(runs: readonly RunRow[], found: readonly CaptureRow[], transcriptOf: TranscriptOf): Promise<number> {
    const { store, recent } = this.#parts;
    const where = { runId: { in: runs.map(({ runId }) => runId) } };
    const isAll = (await store.count('captures', where)) === found.length;
    const captures = isAll
      ? found.toSorted((one, other) => one.call - other.call)
      : await store.select('captures', { where, orderBy: [['call', 'asc']] });
    const frameOf = await this.#frames.read(captures.filter(({ call }) => call === FRAME_CALL));
    const ofRun = capturesByRun(captures);
    const read = await this.#readAll(runs, transcriptOf, ({ runId }) => {
      const own = ofRun.get(runId) ?? [];
      return { run: capturedRun(own, { frameOf, stable: this.#stable, sources: this.#sources }), captures: own.length };
    });
    const indexed = await this.#commitAll(read);
    recent?.forget(read.map(({ run }) => run.runId));
    return indexed;
  }

  /** Fewer than there are when the index is closed meanwhile. */
  async #readAll(runs: readonly RunRow[], transcriptOf: TranscriptOf, find: FindRun): Promise<readonly ReadRun[]> {
    const { signal } = this.#background;
    const read: ReadRun[] = [];
    let began = performance.now();
    for (const run of runs) {
      if (signal.aborted) break;
      const each = await this.#read(run, transcriptOf, find);
      if (each) read.push(each);
      const worked = performance.now() - began;
      if (worked < STRETCH_MS) continue;
      // Without a rest, others still get their turn.
      await sleep(this.#hurried > 0 ? 0 : REST * worked, undefined, { signal }).catch(() => {});
      began = performance.now();
    }
    return read;
  }

  /** Resolves with the number of runs that were indexed. */
  async #commitAll(read: readonly ReadRun[]): Promise<number> {
    if (read.length === 0) return 0;
    if (await this.#commit(read)) return read.length;
    let indexed = 0;
    for (const each of read) if (await this.#commit([each])) indexed += 1;
    return indexed;
  }

  /** False when the captures of one were changed or removed meanwhile; then the next look finds what is left. */
  async #commit(read: readonly ReadRun[]): Promise<boolean> {
    const commit = (writes: readonly Write[]) =>
      this.#parts.store.commit(writes, { site: 'prompt-receipt', lazy: true });
    try {
      const receipts = read.flatMap(({ receipt }) => receipt ?? []);
      const numbers = await this.#store(receipts, async (writes) => {
        const { seqs } = await commit([...writes, ...stillThere(read, writes)]);
        return seqs;
      });
      const numberOf = ({ key }: Piece) => numbers.get(key);
      await commit([...markWrites(read), ...receiptWrites(read, numberOf)]);
      return true;
    } catch (error) {
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
  }

  /** A record that cannot be understood must not keep the others from being indexed. */
  async #read(run: RunRow, transcriptOf: TranscriptOf, find: FindRun): Promise<ReadRun | undefined> {
    const { store, warn } = this.#parts;
    let captures = 0;
    try {
      const found = find(run);
      if (!found) return undefined;
      captures = found.captures;
      const receipt = found.run && (await readReceipt(store, run, found.run, transcriptOf));
      return { run, captures, receipt };
    } catch (error) {
      if (isAtriumError(error)) throw error;
      warn(`The prompts of ${run.runId} cannot be searched: ${(error as Error).message}`);
      return { run, captures, receipt: undefined };
    }
  }

  /** Stores the pieces that are not there yet, and gives each its number, by scope and hash. */
  async #store(
    receipts: readonly RunReceipt[],
    commit: (writes: readonly Write[]) => Promise<readonly (number | undefined)[]>,
  ): Promise<ReadonlyMap<string, number>> {
    const used = lastUses(receipts);
    await this.#verify([...used.keys()]);
    const numbers = new Map<string, number>();
    const doubtful: PieceUse[] = [];
    for (const [key, use] of used) {
      const known = this.#known.get(key);
      // A piece that was not used for long may have been pruned since it was learnt.
      if (known && known.usedAt >= use.usedAt - PIECE_GRAIN_MS) numbers.set(key, known.seq);
      else doubtful.push(use);
    }
    if (doubtful.length === 0) return numbers;
    // Without the scope, the store would have to look at every piece.
    const where = {
      scope: { in: [...new Set(doubtful.map(({ piece }) => piece.scope))] },
      hash: { in: doubtful.map(({ piece }) => piece.hash) },
    };
    const found = new Map((await this.#parts.store.select('promptPieces', { where })).map((row) => [keyOf(row), row]));
    const missing = doubtful.filter(({ piece }) => !found.has(piece.key));
    const stale = doubtful.filter(({ piece, usedAt }) => (found.get(piece.key)?.usedAt ?? Infinity) < usedAt);
    const seqs = await commit([
      ...missing.map(insertPiece),
      ...[...new Set(stale.map(({ usedAt }) => usedAt))].map((usedAt): Write => {
        const pieces = stale.filter((use) => use.usedAt === usedAt);
        const seqs = pieces.flatMap(({ piece }) => found.get(piece.key)?.seq ?? []);
        return { update: 'promptPieces', where: { seq: { in: seqs } }, set: { usedAt }, expect: pieces.length };
      }),
    ]);
    for (const use of doubtful) {
      const { key } = use.piece;
      const row = found.get(key);
      const seq = row?.seq ?? seqs[missing.indexOf(use)];
      if (seq === undefined) continue;
      numbers.set(key, seq);
      this.#learn(key, seq, Math.max(row?.usedAt ?? 0, use.usedAt));
    }
    return numbers;
  }

  /** When a session is deleted, its pieces go with it; a later session of the same key must not name them. */
  async #verify(keys: readonly string[]): Promise<void> {
    const numbers = keys.flatMap((key) => this.#known.get(key)?.seq ?? []);
    const there = await this.#parts.store.count('promptPieces', { seq: { in: numbers } });
    if (there !== numbers.length) this.#known.clear();
  }

  #learn(key: string, seq: number, usedAt: number): void {
    this.#known.delete(key);
    this.#known.set(key, { seq, usedAt });
    forgetOldest(this.#known, MOST_KNOWN);
  }
}

function capturesByRun(captures: readonly CaptureRow[]): ReadonlyMap<string, readonly CaptureRow[]> {
  const byRun = new Map<string, CaptureRow[]>();
  for (const capture of captures) {
    const known = byRun.get(capture.runId);
    if (known) known.push(capture);
    else byRun.set(capture.runId, [capture]);
  }
  return byRun;
}

/** What is known of a run, and how many captures it has; without `run` when its frame is gone. */
type FindRun = (run: RunRow) => { readonly run: CapturedRun | undefined; readonly captures: number } | undefined;

/** A run with the number of its captures and what its prompts had, if that can be read. */
interface ReadRun {
  readonly run: RunRow;
  readonly captures: number;
  readonly receipt: RunReceipt | undefined;
}

interface PieceUse {
  readonly piece: Piece;
  readonly usedAt: number;
}

function insertPiece({ piece: { key: _, ...row }, usedAt }: PieceUse): Write {
  return { insert: 'promptPieces', row: { ...row, usedAt } };
}

/** Each piece once, by its key, with the time of the last of these runs that had it. */
function lastUses(receipts: readonly RunReceipt[]): ReadonlyMap<string, PieceUse> {
  const used = new Map<string, { readonly piece: Piece; usedAt: number }>();
  for (const { at, prompt, files, sources } of receipts) {
    const use = (piece: Piece) => {
      const known = used.get(piece.key);
      if (known) known.usedAt = Math.max(known.usedAt, at);
      else used.set(piece.key, { piece, usedAt: at });
    };
    prompt.forEach(use);
    files.forEach(use);
    use(sources);
  }
  return used;
}

/**
 * Fails when a session whose new words are among the writes was deleted meanwhile, which removes the frames of its runs too. One
 * frame of each session is looked at, because an update writes its rows anew.
 */
function stillThere(read: readonly ReadRun[], writes: readonly Write[]): readonly Write[] {
  const speaking = new Set(
    writes.flatMap((write) => ('insert' in write && write.insert === 'promptPieces' ? write.row.scope : [])),
  );
  // Where a key has had several sessions, each of them may be the one that is gone.
  const ofSession = new Map<string, string>();
  for (const { run, receipt } of read)
    if (receipt && speaking.has(run.sessionKey)) ofSession.set(run.sessionId ?? run.runId, run.runId);
  if (ofSession.size === 0) return [];
  const where = { runId: { in: [...ofSession.values()] }, call: FRAME_CALL };
  return [{ update: 'captures', where, set: { isIndexed: false }, expect: ofSession.size }];
}

/** Fails when a capture of one of the runs was added or removed since they were read. */
function markWrites(read: readonly ReadRun[]): readonly Write[] {
  const captures = read.reduce((sum, each) => sum + each.captures, 0);
  const where = { runId: { in: read.map(({ run: { runId } }) => runId) } };
  return read.length === 0 ? [] : [{ update: 'captures', where, set: { isIndexed: true }, expect: captures }];
}

function receiptWrites(read: readonly ReadRun[], numberOf: (piece: Piece) => number | undefined): readonly Write[] {
  const rows = read.flatMap(({ run: { runId, sessionKey, agentId }, receipt }) => {
    if (!receipt) return [];
    const sources = numberOf(receipt.sources) ?? 0;
    const pieces = packPieces(receipt.prompt.flatMap((piece) => numberOf(piece) ?? []));
    return [{ runId, sessionKey, agentId, at: receipt.at, sources, pieces }];
  });
  if (rows.length === 0) return [];
  return [
    { remove: 'promptReceipts', where: { runId: { in: rows.map(({ runId }) => runId) } } },
    ...rows.map((row): Write => ({ insert: 'promptReceipts', row })),
  ];
}
