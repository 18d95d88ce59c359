// The answer to "in which runs was this text in the prompt, and why not in the others?". It reads the receipts of runs, and
// for runs that have none yet a bounded number of their captures; it says what it has not looked at. It only reads.
//
// Runs are listed from the latest to the oldest. Counts are of all runs that were asked for, not only of those listed.

import { setImmediate as turn } from 'node:timers/promises';
import { FRAME_CALL } from '../../../agent/request-frame.ts';
import type { Store } from '../../../store/store.ts';
import type { PromptReceiptRow, RunRow } from '../../../store/tables.ts';
import { explainMissing, type KnownFrom, type Missing } from './explain-missing.ts';
import { type FoundPieces, findPieces, type WantedText } from './find-pieces.ts';
import { FrameReader } from './frame-reader.ts';
import { KnownSources } from './known-sources.ts';
import { PieceCounts } from './piece-counts.ts';
import { findInPieces } from './piece-list.ts';
import { keyOfPlace, type PiecePlace } from './piece-places.ts';
import type { PromptSources } from './prompt-sources.ts';
import { capturedRun, readReceipt } from './run-receipt.ts';
import { KnownStablePieces } from './stable-pieces.ts';

export interface ReceiptQuestion extends WantedText {
  /** A time in milliseconds. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly list: 'all' | 'present' | 'absent';
  readonly limit: number;
  /** A run id: only older runs are listed. */
  readonly before?: string | undefined;
}

export interface ReceiptAnswer {
  readonly counts: ReceiptCounts;
  /** The times of the first and the last run that had the text. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** Where it stood, and in how many runs; what most runs had comes first. */
  readonly places: readonly (FoundPlace & { readonly runs: number })[];
  /** Why it was not there, and in how many runs; the most frequent reason comes first. */
  readonly missing: readonly (Missing & { readonly runs: number })[];
  readonly runs: readonly ListedRun[];
  /** The run to go on with; null at the end. */
  readonly next: string | null;
}

export interface ReceiptCounts {
  readonly present: number;
  readonly absent: number;
  /** Runs whose requests are stored and were not looked at, because they are not indexed yet. */
  readonly unseen: number;
  /** Runs that a gate blocked, of which nothing is recorded. */
  readonly blocked: number;
  /** How many other runs have no record, because it is no longer kept or because no model was asked. */
  readonly unrecorded: number;
}

/** The hash is that of the file, for words of a file. */
export type FoundPlace = PiecePlace;

export interface ListedRun {
  readonly runId: string;
  readonly at: number;
  readonly agentId: string;
  readonly sessionKey: string;
  /** `unrecorded` means that nothing can be said; `missing` says why. */
  readonly verdict: 'present' | 'absent' | 'unrecorded';
  readonly places: readonly FoundPlace[];
  readonly missing: Missing | Unrecorded | null;
}

export interface Unrecorded {
  readonly reason: 'not-kept' | 'no-request' | 'blocked';
  readonly detail: string;
}

export async function findReceipts(store: Store, question: ReceiptQuestion): Promise<ReceiptAnswer> {
  const found = await findPieces(store, question);
  const tail = await readTail(store, question, found);
  const tally = new Tally(question, found);
  for (const receipt of tail.receipts) tally.add(receipt, receipt.pieces);
  for await (const page of receiptsOf(store, question)) {
    for (const receipt of page) {
      if (!tail.runIds.has(receipt.runId)) tally.add(receipt, findInPieces(receipt.pieces, found.has));
    }
  }
  const sources = await readSources(store, tally.sources, tail.sources);
  const unrecorded = await countUnrecorded(store, question, tally.runs - tail.open + tail.unseen);
  return tally.answer(sources, { ...unrecorded, unseen: tail.unseen }, (listed, isLast) =>
    listUnrecorded(store, question, listed, isLast, tail.runIds),
  );
}

type ReceiptedRun = Omit<PromptReceiptRow, 'seq' | 'pieces'>;
interface Hit extends ReceiptedRun {
  /** The numbers of its pieces that have the text; empty when it is absent. */
  readonly found: readonly number[];
}

/** Counts what it is told, and keeps only the runs that may be listed. */
class Tally {
  readonly #question: ReceiptQuestion;
  readonly #found: FoundPieces;
  /** Runs with the same sources are explained together. */
  readonly #absent = new Map<number, number>();
  readonly #present: PieceCounts;
  #listed: Hit[] = [];
  /** When as many are kept as may be listed: the oldest of them. */
  #oldest: string | undefined;
  #counts = { present: 0, absent: 0 };
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  constructor(question: ReceiptQuestion, found: FoundPieces) {
    this.#question = question;
    this.#found = found;
    this.#present = new PieceCounts((piece) => found.isOfFile(piece));
  }

  get runs(): number {
    return this.#counts.present + this.#counts.absent;
  }

  get sources(): ReadonlySet<number> {
    return new Set([...this.#absent.keys(), ...this.#present.sources, ...this.#listed.map(({ sources }) => sources)]);
  }

  /** `found` are the pieces of the run that have the text. */
  add(receipt: ReceiptedRun, found: readonly number[]): void {
    const isPresent = found.length > 0;
    if (isPresent) {
      this.#counts.present += 1;
      this.#firstAt = Math.min(this.#firstAt ?? receipt.at, receipt.at);
      this.#lastAt = Math.max(this.#lastAt ?? receipt.at, receipt.at);
      for (const piece of found) this.#present.add(piece, receipt.sources);
    } else {
      this.#counts.absent += 1;
      this.#absent.set(receipt.sources, (this.#absent.get(receipt.sources) ?? 0) + 1);
    }
    const { list, limit, before } = this.#question;
    if (list === (isPresent ? 'absent' : 'present') || (before !== undefined && receipt.runId >= before)) return;
    if (this.#oldest !== undefined && receipt.runId < this.#oldest) return;
    this.#listed.push({ ...receipt, found });
    if (this.#listed.length > 2 * limit) this.#shorten();
  }

  /** One more than are listed is kept, to know whether there are more. */
  #shorten(): void {
    const most = this.#question.limit + 1;
    this.#listed.sort((a, b) => (a.runId < b.runId ? 1 : -1));
    if (this.#listed.length < most) return;
    this.#listed.length = most;
    this.#oldest = this.#listed.at(-1)?.runId;
  }

  async answer(
    sources: ReadonlyMap<number, PromptSources>,
    others: Omit<ReceiptCounts, 'present' | 'absent'>,
    listUnrecorded: (listed: readonly ListedRun[], isLast: boolean) => Promise<readonly ListedRun[]>,
  ): Promise<ReceiptAnswer> {
    const known = knownFrom(this.#found, sources);
    const explained = new Map<number, Missing>();
    const whyNot = (number: number) => {
      const why = explained.get(number) ?? explainMissing(sources.get(number) ?? NO_SOURCES, known);
      explained.set(number, why);
      return why;
    };
    const placesOf = (piece: number, number: number | undefined) =>
      (this.#found.places.get(piece) ?? []).map((place) =>
        locate(place, number === undefined ? undefined : sources.get(number)),
      );
    this.#shorten();
    const { limit, list } = this.#question;
    const isLast = this.#listed.length <= limit;
    const listed = this.#listed.slice(0, limit).map(
      ({ runId, at, agentId, sessionKey, sources: number, found }): ListedRun => ({
        runId,
        at,
        agentId,
        sessionKey,
        verdict: found.length > 0 ? 'present' : 'absent',
        places: distinct(found.flatMap((piece) => placesOf(piece, number))),
        missing: found.length > 0 ? null : whyNot(number),
      }),
    );
    const more = list === 'present' ? [] : await listUnrecorded(listed, isLast);
    const runs = [...listed, ...more].sort((a, b) => (a.runId < b.runId ? 1 : -1));
    const isCut = !isLast || runs.length > limit;
    return {
      counts: { ...this.#counts, ...others },
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      places: summed(
        this.#present
          .list()
          .flatMap(({ piece, sources: number, runs: count }) =>
            placesOf(piece, number).map((place) => [place, count] as const),
          ),
        keyOfPlace,
      ),
      missing: summed(
        [...this.#absent].map(([number, count]) => [whyNot(number), count] as const),
        JSON.stringify,
      ),
      runs: runs.slice(0, limit),
      next: isCut ? (runs[Math.min(limit, runs.length) - 1]?.runId ?? null) : null,
    };
  }
}

const NO_SOURCES: PromptSources = { files: [], cuts: [], absences: [], handlers: [] };

/** With the hash of the file as this run read it. */
function locate(place: PiecePlace, sources: PromptSources | undefined): FoundPlace {
  const hash = place.path === undefined ? undefined : sources?.files.find(({ path }) => path === place.path)?.hash;
  return hash === undefined ? place : { ...place, hash };
}

function distinct(places: readonly FoundPlace[]): readonly FoundPlace[] {
  return [...new Map(places.map((place) => [keyOfPlace(place), place])).values()];
}

function summed<Group extends object>(
  groups: readonly (readonly [Group, number])[],
  keyOf: (group: Group) => string,
): (Group & { runs: number })[] {
  const sums = new Map<string, { readonly group: Group; runs: number }>();
  for (const [group, runs] of groups) {
    const key = keyOf(group);
    const sum = sums.get(key);
    if (sum) sum.runs += runs;
    else sums.set(key, { group, runs });
  }
  return [...sums]
    .sort(([key, a], [other, b]) => b.runs - a.runs || (key < other ? -1 : 1))
    .slice(0, MOST_GROUPS)
    .map(([, { group, runs }]) => ({ ...group, runs }));
}

/** More are of no use to a reader. */
const MOST_GROUPS = 100;

function knownFrom(found: FoundPieces, sources: ReadonlyMap<number, PromptSources>): KnownFrom {
  const paths = new Set<string>();
  const places = new Map<string, KnownFrom['places'][number]>();
  for (const { kind, name, where, path } of [...found.places.values()].flat()) {
    if (path !== undefined) paths.add(path);
    if (kind !== 'file' && places.size < MOST_GROUPS) places.set(`${kind} ${name} ${where}`, { kind, name, where });
  }
  for (const { files } of sources.values()) {
    for (const { path, hash } of files) if (hash !== undefined && found.files.has(hash)) paths.add(path);
  }
  return { files: found.files, paths, places: [...places.values()] };
}

const PAGE = 2_000;

/** The latest first, because these are listed, in pages. */
async function* receiptsOf(store: Store, question: ReceiptQuestion): AsyncGenerator<readonly PromptReceiptRow[]> {
  const { agentId, sessionKey, since = 0, until = Number.POSITIVE_INFINITY } = question;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await store.select('promptReceipts', {
      where: { agentId, sessionKey, seq: { lt: before } },
      orderBy: [['seq', 'desc']],
      limit: PAGE,
    });
    yield page.filter(({ at }) => at >= since && at < until);
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    before = last.seq;
    await turn();
  }
}

interface Tail {
  /** The pieces are those that have the text. */
  readonly receipts: readonly (ReceiptedRun & { readonly pieces: readonly number[] })[];
  readonly sources: ReadonlyMap<number, PromptSources>;
  /** The runs that were read here. */
  readonly runIds: ReadonlySet<string>;
  /** How many of them still go on. */
  readonly open: number;
  readonly unseen: number;
}

const MOST_TAIL_RUNS = 200;
const MOST_TAIL_MS = 300;

/**
 * Runs that have no receipt yet: those that have just ended or still go on, and after an update everything that was recorded
 * before. The youngest are read from their captures, as many as a short time allows.
 */
async function readTail(store: Store, question: ReceiptQuestion, found: FoundPieces): Promise<Tail> {
  const { agentId, sessionKey, since, until = Number.POSITIVE_INFINITY } = question;
  const began = performance.now();
  const frames = await store.select('captures', {
    where: { isIndexed: false, at: since === undefined ? undefined : { gte: since }, call: FRAME_CALL },
    orderBy: [['at', 'desc']],
    limit: MOST_TAIL_RUNS,
  });
  const rows = await store.select('runs', { where: { runId: { in: frames.map(({ runId }) => runId) } } });
  const runs = new Map(rows.map((run) => [run.runId, run]));
  const stable = new KnownStablePieces();
  const knownSources = new KnownSources();
  const frameOf = await new FrameReader(store).read(frames);
  const receipts: Tail['receipts'][number][] = [];
  const sources = new Map<number, PromptSources>();
  const runIds = new Set<string>();
  let number = 0;
  let passed = 0;
  for (const { runId, at } of frames) {
    if (performance.now() - began > MOST_TAIL_MS) break;
    passed += 1;
    const run = runs.get(runId);
    if (!run || at >= until || (agentId ?? run.agentId) !== run.agentId) continue;
    if ((sessionKey ?? run.sessionKey) !== run.sessionKey) continue;
    const captures = await store.select('captures', { where: { runId }, orderBy: [['call', 'asc']] });
    const captured = capturedRun(captures, { frameOf, stable, sources: knownSources });
    if (!captured) continue;
    const receipt = await readReceipt(store, run, captured);
    runIds.add(runId);
    for (const file of receipt.files) found.look(0, file);
    // Pieces that are not stored have numbers below zero, which no stored piece has.
    const numbers = receipt.prompt.map((piece) => {
      number -= 1;
      found.look(number, piece);
      return number;
    });
    number -= 1;
    sources.set(number, receipt.sources.about as unknown as PromptSources);
    receipts.push({
      runId,
      sessionKey: run.sessionKey,
      agentId: run.agentId,
      at: receipt.at,
      sources: number,
      pieces: numbers.filter((each) => found.places.has(each)),
    });
    await turn();
  }
  const waiting =
    frames.length === MOST_TAIL_RUNS
      ? await store.count('captures', {
          isIndexed: false,
          call: FRAME_CALL,
          at: since === undefined ? undefined : { gte: since },
        })
      : frames.length;
  const open = receipts.filter(({ runId }) => runs.get(runId)?.endedAt === null).length;
  return { receipts, sources, runIds, open, unseen: waiting - passed };
}

async function readSources(
  store: Store,
  numbers: ReadonlySet<number>,
  unstored: ReadonlyMap<number, PromptSources>,
): Promise<ReadonlyMap<number, PromptSources>> {
  const stored = [...numbers].filter((number) => number > 0);
  const sources = new Map(unstored);
  for (let from = 0; from < stored.length; from += PAGE) {
    const rows = await store.select('promptPieces', { where: { seq: { in: stored.slice(from, from + PAGE) } } });
    for (const { seq, about } of rows) sources.set(seq, about as unknown as PromptSources);
  }
  return sources;
}

function runsAsked({ agentId, sessionKey, since }: ReceiptQuestion) {
  return { agentId, sessionKey, startedAt: since === undefined ? undefined : { gte: since } };
}

async function countUnrecorded(
  store: Store,
  question: ReceiptQuestion,
  recorded: number,
): Promise<Pick<ReceiptCounts, 'blocked' | 'unrecorded'>> {
  const { until } = question;
  const count = async (where: Parameters<typeof store.count<'runs'>>[1]) => {
    const later = until === undefined ? 0 : await store.count('runs', { ...where, startedAt: { gte: until } });
    return (await store.count('runs', where)) - later;
  };
  const blocked = await count({ ...runsAsked(question), status: 'blocked' });
  const others = await count({ ...runsAsked(question), status: { in: ['done', 'failed', 'stopped'] } });
  return { blocked, unrecorded: Math.max(0, others - recorded) };
}

const MOST_UNRECORDED = 500;

/** The runs without a record among those that are listed: between the first and the last of them. */
async function listUnrecorded(
  store: Store,
  question: ReceiptQuestion,
  listed: readonly ListedRun[],
  isLast: boolean,
  tail: ReadonlySet<string>,
): Promise<readonly ListedRun[]> {
  const { agentId, sessionKey, since = 0, until = Number.POSITIVE_INFINITY, before, limit } = question;
  const oldest = isLast ? undefined : listed.at(-1)?.runId;
  const rows: readonly RunRow[] = await store.select('runs', {
    where: { agentId, sessionKey, runId: before === undefined ? undefined : { lt: before } },
    orderBy: [['runId', 'desc']],
    limit: MOST_UNRECORDED,
  });
  const asked = rows.filter(
    ({ runId, startedAt, endedAt }) =>
      endedAt !== null && startedAt >= since && startedAt < until && (oldest === undefined || runId > oldest),
  );
  const runIds = asked.map(({ runId }) => runId);
  const receipts = await store.select('promptReceipts', { where: { runId: { in: runIds } } });
  const frames = await store.select('captures', { where: { runId: { in: runIds }, call: FRAME_CALL } });
  const recorded = new Set([...receipts, ...frames].map(({ runId }) => runId));
  return asked
    .filter(({ runId }) => !recorded.has(runId) && !tail.has(runId))
    .slice(0, limit + 1)
    .map((run) => ({
      runId: run.runId,
      at: run.startedAt,
      agentId: run.agentId,
      sessionKey: run.sessionKey,
      verdict: 'unrecorded',
      places: [],
      missing: whyUnrecorded(run),
    }));
}

function whyUnrecorded({ status, outcome }: RunRow): Unrecorded {
  if (status === 'blocked') return { reason: 'blocked', detail: 'a gate blocked the run, and nothing of it is kept' };
  // What a run of a deleted session has used is not known any more.
  if (outcome !== null && !outcome.modelCalls) return { reason: 'no-request', detail: 'no model was asked' };
  return { reason: 'not-kept', detail: 'its records are no longer kept' };
}
