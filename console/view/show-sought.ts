// Brings into sight what a person looks for in a conversation: the turn, and in a long one the piece of it that has most of
// the words.

import { markWords } from '../shell/mark-words.ts';

export interface Sought {
  /** The position in the transcript. */
  readonly position: number;
  /** Empty where no words are looked for. */
  readonly words: string;
}

export function showSought(turn: Element, words: string): void {
  turn.classList.add('sought');
  const show = () => {
    turn.scrollIntoView({ block: 'start' });
    pieceWith(turn, words)?.scrollIntoView({ block: 'center' });
  };
  show();
  // The turns in between get their real height when they are drawn.
  requestAnimationFrame(show);
}

function pieceWith(turn: Element, words: string): Element | undefined {
  let best: { readonly piece: Element; readonly count: number } | undefined;
  for (const piece of words === '' ? [] : turn.querySelectorAll(PIECES)) {
    const found = markWords(piece.textContent ?? '', words).filter(({ isFound }) => isFound);
    const count = new Set(found.map(({ text }) => text.toLowerCase())).size;
    if (count > (best?.count ?? 0)) best = { piece, count };
  }
  return best?.piece;
}

const PIECES = '.said, .words :is(p, li, h3, h4, h5, h6, td, pre), .fault';
