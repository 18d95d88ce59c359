// What a server writes for people, on its way to the operator's log: a line at a time, each with the server's name,
// bounded in length and in number. The last line is remembered, because it often says why a server ended.

import { oneLine } from '../../protocol/one-line.ts';

export interface ServerLogParts {
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

const MAX_LINE_CHARS = 500;
const MAX_LINES = 30;
const WINDOW_MS = 60_000;

export class ServerLog {
  readonly #name: string;
  readonly #parts: ServerLogParts;
  #last = '';
  #windowEnd = 0;
  #lines = 0;

  constructor(name: string, parts: ServerLogParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Since the last start; empty when it said nothing. */
  get last(): string {
    return this.#last;
  }

  begin(): void {
    this.#last = '';
  }

  told(line: string): void {
    const plain = oneLine(line, MAX_LINE_CHARS);
    if (plain === '') return;
    this.#last = plain;
    const now = this.#parts.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + WINDOW_MS;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= MAX_LINES) this.#parts.warn(`mcp ${this.#name}: ${this.#last}`);
    else if (this.#lines === MAX_LINES + 1)
      this.#parts.warn(`mcp ${this.#name}: it says more than is worth writing down.`);
  }
}
