// What the prompts of runs were made from, as pieces. Runs in the same situation have the same sources, so what was made of a
// frame is used again for every frame that says the same about them.
//
// Promise: the pieces are those that the frame alone gives. What is remembered is bounded.

import { hashOfText } from '../../../context/report/build-report.ts';
import { forgetOldest } from '../../../protocol/forget-oldest.ts';
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
  /** The one that was used last is at the end. */
  readonly #known = new Map<string, SourcePieces>();

  of({ alike, whole }: Pick<ReadFrame, 'alike' | 'whole'>): SourcePieces {
    const known = alike === undefined ? undefined : this.#known.get(alike);
    const pieces = known ?? sourcePiecesOf(whole());
    if (alike === undefined) return pieces;
    this.#known.delete(alike);
    this.#known.set(alike, pieces);
    forgetOldest(this.#known, MOST_KNOWN);
    return pieces;
  }
}

function sourcePiecesOf(frame: ReturnType<ReadFrame['whole']>): SourcePieces {
  const { sources, texts } = sourcesOf(frame);
  return {
    files: texts.map((text) => withKey({ scope: '', hash: hashOfText(text), kind: 'file', text, about: {} })),
    sources: pieceOf('', 'sources', '', sources as unknown as JsonObject & PromptSources),
  };
}
