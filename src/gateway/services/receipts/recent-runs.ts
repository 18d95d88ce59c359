// What this process knows of the runs that it has just captured, so that the index of receipts need not read it back: what the
// first request of a run was made of, and what each later one added. It is made at the moment of the capture, when everything
// is at hand.
//
// Promise: it is what reading the captures of the run would give. It has no words of the conversation; those are read when the run is
// over, because its end may withdraw them. Nothing relies on it being there: it is bounded, and a run that is not in it is read
// from the store. A capture that was made and never stored makes the number of captures wrong, which the index notices.

import { FRAME_CALL, type RequestFrame } from '../../../agent/request-frame.ts';
import type { CapturedRequest } from '../../../agent/run-parts.ts';
import { forgetOldest } from '../../../protocol/forget-oldest.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Insert, Write } from '../../../store/store.ts';
import { handlersText } from './frame-reader.ts';
import { KnownSources } from './known-sources.ts';
import { type CapturedCall, type CapturedRun, madeFrom } from './run-receipt.ts';
import { KnownStablePieces } from './stable-pieces.ts';

export interface RecentRun {
  readonly run: CapturedRun;
  /** How many captures the run has, its frame and the requests for summaries included. */
  readonly captures: number;
}

interface NotedRun {
  readonly made: Omit<CapturedRun, 'requests'>;
  readonly calls: Map<number, CapturedCall>;
}

const MOST_RUNS = 2_048;
/** From here on there are enough to index them together. */
const MANY_RUNS = 512;

export class RecentRuns {
  readonly #isWanted: () => boolean;
  readonly #known = { stable: new KnownStablePieces(), sources: new KnownSources() };
  /** The one whose frame was captured last is at the end. */
  readonly #runs = new Map<string, NotedRun>();

  /** `isWanted`: whether this process keeps the index now. */
  constructor(isWanted: () => boolean = () => true) {
    this.#isWanted = isWanted;
  }

  /**
   * Called with every capture when it is made, and the writes that store it. Does not throw: what cannot be understood is left to
   * those who read the store.
   */
  note({ runId, call, at, spans, frame }: CapturedRequest, writes: readonly Write[]): void {
    try {
      if (frame) this.#begin(runId, at, frame, writes);
      else this.#runs.get(runId)?.calls.set(call, { runId, call, envelope: envelopeOf(spans) });
    } catch {
      this.#runs.delete(runId);
    }
  }

  #begin(runId: string, at: number, frame: RequestFrame, writes: readonly Write[]): void {
    this.#runs.delete(runId);
    if (!this.#isWanted()) return;
    const { system, tools, spans, unkept } = frame;
    const read = { system, tools, spans, unkept, whole: () => frame, alike: alikeOf(frame, writes) };
    this.#runs.set(runId, { made: { at, ...madeFrom(read, this.#known) }, calls: new Map() });
    forgetOldest(this.#runs, MOST_RUNS);
  }

  /** True when so many wait that the first ones would soon be forgotten. */
  get isFilling(): boolean {
    return this.#runs.size >= MANY_RUNS;
  }

  /** The oldest comes first. */
  runIds(): readonly string[] {
    return [...this.#runs.keys()];
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  of(runId: string): RecentRun | undefined {
    const noted = this.#runs.get(runId);
    if (!noted) return undefined;
    const calls = [...noted.calls.values()].sort((one, other) => one.call - other.call);
    const requests = calls.filter(({ call }) => call > FRAME_CALL);
    return { run: { ...noted.made, requests }, captures: calls.length + 1 };
  }

  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#runs.delete(runId);
  }
}

/**
 * A frame ends with three parts: what the report says in many runs alike, what is told of this run alone, and what the record of
 * the composition says in many runs alike. More may stand before the report in the first of them; then it is less often the same.
 */
function alikeOf(
  { inputs, texts = [], report }: RequestFrame,
  writes: readonly Write[],
): readonly string[] | undefined {
  const stored = writes.find(isCapture);
  const [alikeReport, own, alikeComposition] = stored?.row.manifest.slice(-3) ?? [];
  if (!inputs || alikeReport === undefined || own === undefined || alikeComposition === undefined) return undefined;
  return [alikeReport, alikeComposition, ...texts, handlersText(report)];
}

function isCapture(write: Write): write is Insert<'captures'> {
  return 'insert' in write && write.insert === 'captures';
}

function envelopeOf(spans: CapturedRequest['spans'] = []): CapturedCall['envelope'] {
  return spans.length === 0 ? {} : { spans: spans as unknown as readonly JsonObject[] };
}
