// The parts of a trimmed text, in order. Every part says where it comes from, so that a caller can cut its own spans
// at the same places and name the lines that are gone. Offsets are UTF-16 units of the right-trimmed original.

import { pairBoundaryBefore } from './pair-boundary.ts';

export interface TextRange {
  readonly start: number;
  /** The position behind the last character of the piece. */
  readonly end: number;
}

export type TrimPiece =
  | { readonly kind: 'kept'; readonly start: number; readonly end: number }
  /** The product's own words between kept parts, line breaks included. */
  | { readonly kind: 'marker'; readonly text: string }
  /** One line of the original, shortened: `text` derives from the line at `start` to `end`, which itself is cut. */
  | { readonly kind: 'digest'; readonly start: number; readonly end: number; readonly text: string };

export interface TrimmedText {
  readonly pieces: readonly TrimPiece[];
  /** The largest ranges of the original that no `kept` piece holds, in order. */
  readonly cuts: readonly TextRange[];
  /** The pieces' texts, joined. */
  readonly text: string;
}

/** The text that the pieces stand for, cut off at `cap` when it is longer. Empty and adjoining pieces are merged away. */
export function renderPieces(original: string, pieces: readonly TrimPiece[], cap: number): TrimmedText {
  const rendered: TrimPiece[] = [];
  const texts: string[] = [];
  const cuts: TextRange[] = [];
  let length = 0;
  let keptUpTo = 0;
  for (const piece of pieces) {
    const whole = pieceText(original, piece);
    const room = Math.max(0, cap - length);
    const text = whole.length <= room ? whole : whole.slice(0, pairBoundaryBefore(whole, room));
    if (text.length > 0) {
      texts.push(text);
      length += text.length;
      if (piece.kind === 'kept') {
        const end = piece.start + text.length;
        if (piece.start > keptUpTo) cuts.push({ start: keptUpTo, end: piece.start });
        keptUpTo = end;
        pushKept(rendered, piece.start, end);
      } else if (piece.kind === 'digest') {
        rendered.push({ ...piece, text });
      } else {
        pushMarker(rendered, text);
      }
    }
    if (text.length < whole.length) break;
  }
  if (keptUpTo < original.length) cuts.push({ start: keptUpTo, end: original.length });
  return { pieces: rendered, cuts, text: texts.join('') };
}

function pieceText(original: string, piece: TrimPiece): string {
  return piece.kind === 'kept' ? original.slice(piece.start, piece.end) : piece.text;
}

function pushKept(pieces: TrimPiece[], start: number, end: number): void {
  const last = pieces.at(-1);
  if (last?.kind === 'kept' && last.end === start) pieces[pieces.length - 1] = { kind: 'kept', start: last.start, end };
  else pieces.push({ kind: 'kept', start, end });
}

function pushMarker(pieces: TrimPiece[], text: string): void {
  const last = pieces.at(-1);
  if (last?.kind === 'marker') pieces[pieces.length - 1] = { kind: 'marker', text: last.text + text };
  else pieces.push({ kind: 'marker', text });
}
