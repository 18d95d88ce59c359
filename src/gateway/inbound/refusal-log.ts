// Counts the messages of people who may not talk, and tells the operator once about each person and reason. However many
// people write, the log grows by a bounded number of lines an hour. The words of a message never come here.

export interface RefusalLogParts {
  readonly warn: (sentence: string) => void;
  readonly now: () => number;
}

const HOUR_MS = 3_600_000;
const LINES_AN_HOUR = 50;
/** The oldest one is forgotten when there are more. */
const MOST_NAMES = 1_000;

export class RefusalLog {
  readonly #parts: RefusalLogParts;
  readonly #told = new Set<string>();
  #count = 0;
  #since = Number.NEGATIVE_INFINITY;
  #lines = 0;

  constructor(parts: RefusalLogParts) {
    this.#parts = parts;
  }

  /** How many messages were refused since the start. */
  get count(): number {
    return this.#count;
  }

  /** The name says who and why; the sentence is written once for it. */
  tell(name: string, sentence: string): void {
    this.#count += 1;
    if (this.#told.has(name)) return;
    this.#told.add(name);
    if (this.#told.size > MOST_NAMES) this.#told.delete(this.#told.keys().next().value ?? '');
    this.#write(sentence);
  }

  #write(sentence: string): void {
    const now = this.#parts.now();
    if (now - this.#since >= HOUR_MS || now < this.#since) {
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > LINES_AN_HOUR) return;
    const isLast = this.#lines === LINES_AN_HOUR;
    this.#parts.warn(isLast ? `${sentence} Further ones are only counted for the rest of the hour.` : sentence);
  }
}
