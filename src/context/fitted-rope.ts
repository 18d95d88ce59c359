// The text of a layer after the budget, with its authors: kept pieces keep their authors, and markers belong to Atrium.

import type { FittedEntry } from './budget/fit-budget.ts';
import type { TrimPiece } from './budget/trim-piece.ts';
import type { Layer } from './composition.ts';
import { product } from './provenance/origin.ts';
import { joinRopes, type Rope, type Span, sliceRope } from './provenance/rope.ts';

export function fittedRope(layer: Layer, entry: FittedEntry): Rope {
  if (entry.pieces.length === 1 && entry.pieces[0]?.kind === 'kept')
    return sliceRope(layer.rope, entry.pieces[0].start, entry.pieces[0].end);
  return joinRopes(entry.pieces.flatMap((piece) => pieceToRope(layer, piece, entry.status === 'missing')));
}

function pieceToRope(layer: Layer, piece: TrimPiece, isMissing: boolean): Rope {
  if (piece.kind === 'kept') return sliceRope(layer.rope, piece.start, piece.end);
  if (piece.kind === 'marker')
    return [{ text: piece.text, origin: product(isMissing ? 'missing-marker' : 'trim-marker') }];
  return [digestSpan(layer, piece)];
}

/** A shortened line still has the author of the line, but is no longer that author's exact text. */
function digestSpan(layer: Layer, piece: Extract<TrimPiece, { kind: 'digest' }>): Span {
  const origin = sliceRope(layer.rope, piece.start, piece.start + 1)[0]?.origin ?? product('trim-marker');
  return { text: piece.text, origin: origin.kind === 'file' ? { ...origin, derived: true } : origin };
}
