// Cuts a stream of bytes into lines without ever holding more than one bounded line. What goes beyond the bound is
// dropped up to the next line break, and whoever listens is told that this happened.

const NEWLINE = 10;

export class BoundedLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string, isCut: boolean) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  #isSkipping = false;

  constructor(maxBytes: number, onLine: (line: string, isCut: boolean) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    for (let start = 0; start <= chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      this.#add(chunk.subarray(start, newline === -1 ? chunk.length : newline));
      if (newline === -1) return;
      if (!this.#isSkipping) this.#emit(false);
      this.#isSkipping = false;
      start = newline + 1;
    }
  }

  /** What stands behind the last line break. */
  end(): void {
    if (this.#size > 0) this.#emit(false);
  }

  #add(piece: Buffer): void {
    if (this.#isSkipping || piece.length === 0) return;
    const room = this.#maxBytes - this.#size;
    this.#pieces.push(piece.subarray(0, room));
    this.#size += Math.min(piece.length, room);
    if (piece.length <= room) return;
    // At once and not at the line's end, which may never come.
    this.#isSkipping = true;
    this.#emit(true);
  }

  #emit(isCut: boolean): void {
    const line = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line, isCut);
  }
}
