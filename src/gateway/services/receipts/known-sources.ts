// What the prompts of runs were made from, as pieces. Runs in the same situation have the same sources, so what was made of a
// frame is used again for every frame that says the same about them.
//
// Promise: the pieces are those that the frame alone gives. What is remembered is bounded.

import { hashOfText } from '../../../context/report/build-report.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ReadFrame } from './frame-reader.ts';
import { type Piece, pieceOf, withKey } from './prompt-piece.ts';
import { type PromptSources, sourcesOf } from './prompt-sources.ts';

export interface SourcePieces {
  readonly files: readonly Piece[];
  readonly sources: Piece;
}

const MOST_KNOWN = 32;

export class KnownSources {
  /** The one that was used last comes first. */
  #known: { readonly alike: readonly string[]; readonly pieces: SourcePieces }[] = [];

  of({ alike, whole }: Pick<ReadFrame, 'alike' | 'whole'>): SourcePieces {
    if (alike === undefined) return sourcePiecesOf(whole());
    const known = this.#known.find((each) => isSame(each.alike, alike)) ?? { alike, pieces: sourcePiecesOf(whole()) };
    if (known !== this.#known[0])
      this.#known = [known, ...this.#known.filter((each) => each !== known)].slice(0, MOST_KNOWN);
    return known.pieces;
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}

function sourcePiecesOf(frame: ReturnType<ReadFrame['whole']>): SourcePieces {
  const { sources, texts } = sourcesOf(frame);
  return {
    files: texts.map((text) => withKey({ scope: '', hash: hashOfText(text), kind: 'file', text, about: {} })),
    sources: pieceOf('', 'sources', '', sources as unknown as JsonObject & PromptSources),
  };
}
