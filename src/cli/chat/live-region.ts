// The last lines of a terminal, which are drawn again while an answer comes: the unfinished end of its text, and what
// is going on. Everything else is written above them, once, and stays. No line above them is overwritten when the window
// changes its size. It knows nothing of answers.

import { splitAtWidth } from '../output/text-width.ts';

export interface LiveOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

export class LiveRegion {
  readonly #output: LiveOutput;
  /** What is on the screen, without codes; the cursor is at the end of the last line. */
  #drawn: readonly string[] = [];
  #painted = '';

  constructor(output: LiveOutput) {
    this.#output = output;
  }

  /** The most lines that can be drawn again: one that has left the screen cannot. */
  get height(): number {
    return Math.max(1, (this.#output.rows || 24) - 2);
  }

  get width(): number {
    return Math.max(2, (this.#output.columns || 80) - 1);
  }

  /** Replaces the lines. `paint` gives a line its looks and must not change its letters. */
  show(lines: readonly string[], paint: (line: string, index: number) => string = (line) => line): void {
    const fitting = lines.slice(-this.height).map((line) => splitAtWidth(line, this.width)[0]);
    const painted = fitting.map(paint).join('\x1b[K\n');
    if (painted === this.#painted && fitting.length === this.#drawn.length) return;
    this.#output.write(`${this.#home()}${painted}\x1b[J`);
    this.#drawn = fitting;
    this.#painted = painted;
  }

  /** Writes whole lines above. They stay. */
  write(text: string): void {
    const isAlone = this.#drawn.length === 0;
    this.#output.write(isAlone ? text : `${this.#home()}\x1b[J${text}${this.#painted}`);
  }

  clear(): void {
    if (this.#drawn.length === 0) return;
    this.#output.write(`${this.#home()}\x1b[J`);
    this.#drawn = [];
    this.#painted = '';
  }

  /**
   * Moves to the beginning of the first line. In a window that became narrower, some terminals have broken a line into
   * several and others have not. Going up by the lines that were drawn never leaves the region in either of them; the
   * first kind keeps a rest of the old lines.
   */
  #home(): string {
    const rows = this.#drawn.length;
    if (rows === 0) return '';
    return rows > 1 ? `\r\x1b[${rows - 1}A` : '\r';
  }
}
