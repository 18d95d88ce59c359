// Text that arrives in pieces and is logged piece by piece. A secret may be spread over several pieces, and none of them
// looks like one alone. So pieces are held back until a place at which no secret can go on, and pieces that contain a
// secret together become one piece in which it is replaced.
//
// Promise: without a secret, the pieces that come out are those that went in. Held text is bounded: where no such place
// comes, everything is released.

import { BUILT_IN_REDACTOR, type Redactor } from './redactor.ts';

export interface StreamedPiece {
  readonly text: string;
  readonly at: number;
}

const MAX_HELD = 8_192;
const BLANKS = { end: /\s$/, begin: /^\s/ };
/** What an own pattern means may have blanks in it, and so may a known password. */
const LINES = { end: /\n$/, begin: /^\n/ };

export class StreamedText {
  #held: StreamedPiece[] = [];
  #length = 0;
  readonly #redactor: Redactor;

  constructor(redactor: Redactor = BUILT_IN_REDACTOR) {
    this.#redactor = redactor;
  }

  /** Returns the pieces that may be written now. */
  add(piece: StreamedPiece): readonly StreamedPiece[] {
    this.#held.push(piece);
    this.#length += piece.text.length;
    if (this.#length > MAX_HELD) return this.end();
    const count = this.#releasable();
    return count === 0 ? [] : this.#release(count);
  }

  /** Returns the rest. */
  end(): readonly StreamedPiece[] {
    return this.#release(this.#held.length);
  }

  /** How many of the held pieces end at a place at which no secret can go on. The newest place is taken. */
  #releasable(): number {
    for (let count = this.#held.length; count > 0; count--) {
      const last = this.#held[count - 1]?.text ?? '';
      const next = this.#held[count]?.text ?? '';
      const { end, begin } = this.#redactor.mayHaveBlanks ? LINES : BLANKS;
      if (!end.test(last) && !begin.test(next)) continue;
      const before = this.#held
        .slice(0, count)
        .map(({ text }) => text)
        .join('');
      if (!mayGoOn(before)) return count;
    }
    return 0;
  }

  #release(count: number): readonly StreamedPiece[] {
    const released = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    const whole = released.map(({ text }) => text).join('');
    this.#length -= whole.length;
    const shown = this.#redactor.text(whole);
    if (shown === whole) return released;
    return [{ text: shown, at: released.at(-1)?.at ?? 0 }];
  }
}

/** Whether a secret may begin in this text and go on behind a blank. */
function mayGoOn(text: string): boolean {
  const key = text.lastIndexOf('-----BEGIN');
  if (key !== -1 && !/-----END[A-Z ]{0,40}-----/.test(text.slice(key))) return true;
  return /(?:\b(?:bearer|basic)|[:=]|key|token|secret|passw(?:or)?d|authorization)\\?["']?\s*$/i.test(text.slice(-64));
}
