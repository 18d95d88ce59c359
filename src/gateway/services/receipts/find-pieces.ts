// Finds the pieces of prompts that have a text in them. Every distinct text is looked at once, however many runs had it; the
// store does the looking, a part at a time, so that other work gets its turn.

import { setImmediate as turn } from 'node:timers/promises';
import { caselessFinder, exactFinder, type TextFinder } from '../../../context/report/find-text.ts';
import type { Condition, Store } from '../../../store/store.ts';
import type { PromptPieceRow } from '../../../store/tables.ts';
import { linesInFile, type PiecePlace, placesIn } from './piece-places.ts';
import type { Piece, PromptPieceFacts } from './prompt-piece.ts';

export interface WantedText {
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** What was found so far. It can be asked about further pieces, which are not stored. */
export class FoundPieces {
  readonly #find: TextFinder;
  /** The places of each piece, by its number. */
  readonly places = new Map<number, readonly PiecePlace[]>();
  /** The lines of the text, by the hash of a file. */
  readonly files = new Map<string, readonly (readonly [number, number])[]>();
  /** The number of the first stored piece. */
  readonly #first: number;
  /** A one for each stored piece that has the text: a question asks millions of times, for which a map is too slow. */
  readonly #marks: Uint8Array;

  /** Stored pieces have numbers from `first` to `last`. */
  constructor({ text, ignoresCase }: WantedText, first: number, last: number) {
    this.#find = ignoresCase ? caselessFinder(text) : exactFinder(text);
    this.#first = first;
    this.#marks = new Uint8Array(last - first + 1);
  }

  /** Whether this stored piece has the text. */
  readonly has = (number: number): boolean => this.#marks[number - this.#first] === 1;

  /** True when some of the words that were found in it are those of a file. */
  isOfFile(number: number): boolean {
    return this.places.get(number)?.some(({ path }) => path !== undefined) === true;
  }

  look(number: number, { kind, hash, text, about }: Omit<Piece, 'key'>): void {
    if (kind === 'file') {
      const lines = linesInFile(text, this.#find);
      if (lines.length > 0) this.files.set(hash, lines);
    } else if (kind === 'prompt') {
      const places = placesIn(text, about as unknown as PromptPieceFacts, this.#find);
      if (places.length === 0) return;
      this.places.set(number, places);
      // A piece that is not stored has a number below all others, for which there is no mark.
      this.#marks[number - this.#first] = 1;
    }
  }
}

/** So many pieces are looked at in one go. */
const STRETCH = 4_000;

export async function findPieces(store: Store, wanted: WantedText): Promise<FoundPieces> {
  const text = conditionOf(wanted);
  const [first] = await store.select('promptPieces', { orderBy: [['seq', 'asc']], limit: 1 });
  const [last] = await store.select('promptPieces', { orderBy: [['seq', 'desc']], limit: 1 });
  const found = new FoundPieces(wanted, first?.seq ?? 1, last?.seq ?? 0);
  if (!first || !last) return found;
  for (let from = first.seq; from <= last.seq; from += STRETCH) {
    const numbers = Array.from({ length: Math.min(STRETCH, last.seq - from + 1) }, (_, index) => from + index);
    const rows: readonly PromptPieceRow[] = await store.select('promptPieces', {
      where: { seq: { in: numbers }, text },
    });
    for (const row of rows) found.look(row.seq, row);
    await turn();
  }
  return found;
}

/**
 * The store compares only plain letters without their case, so that it is asked for the longest part of the text that has
 * no others; what it finds is looked at again.
 */
function conditionOf({ text, ignoresCase }: WantedText): Condition {
  if (!ignoresCase) return { contains: text };
  const plain = text.split(/[^\x00-\x7f]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
  return { contains: plain, ignoresCase };
}
