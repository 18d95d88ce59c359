// How much one plugin may print in a second. More than that is dropped in the worker, so that a flood does not reach the
// gateway, and one line tells how many lines were dropped.

import type { PluginLogEntry } from '../plugin-host.ts';

export interface OutputBudgetParts {
  readonly write: (entry: PluginLogEntry) => void;
  readonly now: () => number;
  readonly maxLines?: number | undefined;
  readonly maxBytes?: number | undefined;
}

const WINDOW_MS = 1_000;
const MAX_LINE = 8_000;

export class OutputBudget {
  readonly #parts: Required<OutputBudgetParts>;
  #windowStart = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #bytes = 0;
  #droppedLines = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ write, now, maxLines = 200, maxBytes = 64 * 1024 }: OutputBudgetParts) {
    this.#parts = { write, now, maxLines, maxBytes };
  }

  /** Asked before a line is made: true when it would be dropped. It is counted then. */
  dropsWhole(): boolean {
    this.#turn();
    const { maxLines, maxBytes } = this.#parts;
    const isFull = this.#lines >= maxLines || this.#bytes >= maxBytes;
    if (isFull) this.#drop();
    return isFull;
  }

  add({ level, text }: PluginLogEntry): void {
    const { write, maxLines, maxBytes } = this.#parts;
    this.#turn();
    if (this.#lines >= maxLines || this.#bytes + Math.min(text.length, MAX_LINE) > maxBytes) {
      this.#drop();
      return;
    }
    this.#lines += 1;
    this.#bytes += Math.min(text.length, MAX_LINE);
    write({ level, text: text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #turn(): void {
    const at = this.#parts.now();
    if (at - this.#windowStart >= WINDOW_MS || at < this.#windowStart) this.#open(at);
  }

  #drop(): void {
    this.#droppedLines += 1;
    this.#timer ??= setTimeout(() => this.#open(this.#parts.now()), WINDOW_MS);
  }

  #open(at: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#windowStart = at;
    this.#lines = 0;
    this.#bytes = 0;
    if (this.#droppedLines === 0) return;
    const text = `It said too much at once: ${this.#droppedLines} lines were dropped.`;
    this.#droppedLines = 0;
    this.#parts.write({ level: 'warn', text });
  }
}
