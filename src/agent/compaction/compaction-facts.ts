// What the transcript records about a compaction: how far the summary and the pruning reach, what happened to the pins,
// and how many tokens it saved. It is written once and read by every later request.

import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { TranscriptRow } from '../../store/tables.ts';

export interface CompactionBounds {
  /** The position of the last entry that the summary replaces; 0 when there is no summary. */
  readonly summarisedTo: number;
  /** The position up to which long tool results are shown to the model by their length only. */
  readonly prunedTo: number;
  /** The position up to which messages are shown to the model without what prompt hooks had added to them. */
  readonly contributionsTo: number;
}

export interface CompactionFacts extends CompactionBounds {
  /** `size`: the conversation came near the window. `refused`: the provider found it too long. `asked`: /compact. */
  readonly why: CompactionCause;
  readonly pins: PinFacts;
  /** The estimated size of the whole request. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What was left out of older messages, besides the entries that the summary replaces. */
  readonly pruned: readonly PrunedKind[];
  /** `provider/model` that wrote the summary; null when no summary was written. */
  readonly by: string | null;
}

export type PrunedKind = 'contributions' | 'tool-results';

export type CompactionCause = 'size' | 'refused' | 'asked';

export interface PinFacts {
  /** Pins that had to be added, because the remaining text did not contain them. */
  readonly added: readonly string[];
  /** Pins that could not be added, each with its reason. */
  readonly lost: readonly string[];
}

export const NO_BOUNDS: CompactionBounds = { summarisedTo: 0, prunedTo: 0, contributionsTo: 0 };

export function boundsOf({ meta }: Pick<TranscriptRow, 'meta'>): CompactionBounds {
  const summarisedTo = numberOf(meta.summarisedTo);
  return {
    summarisedTo,
    prunedTo: Math.max(summarisedTo, numberOf(meta.prunedTo)),
    contributionsTo: Math.max(summarisedTo, numberOf(meta.contributionsTo)),
  };
}

export function factsOf(row: Pick<TranscriptRow, 'meta'>): CompactionFacts {
  const { meta } = row;
  const pins: JsonObject = isJsonObject(meta.pins) ? meta.pins : {};
  return {
    ...boundsOf(row),
    why: meta.why === 'asked' || meta.why === 'refused' ? meta.why : 'size',
    pins: { added: textsOf(pins.added), lost: textsOf(pins.lost) },
    tokensBefore: numberOf(meta.tokensBefore),
    tokensAfter: numberOf(meta.tokensAfter),
    // Rows that were written before contributions could be pruned have no such field.
    pruned: Array.isArray(meta.pruned) ? textsOf(meta.pruned).filter(isPrunedKind) : ['tool-results'],
    by: typeof meta.by === 'string' ? meta.by : null,
  };
}

function isPrunedKind(kind: string): kind is PrunedKind {
  return kind === 'contributions' || kind === 'tool-results';
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
