// Bytes that wait for those behind them. They are copied into one buffer that doubles as it fills: a list of the pieces
// would take a hundred times their size when a server sends single bytes.

export class HeldBytes {
  #buffer = NONE;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** The text of all bytes so far. */
  text(): string {
    return this.#buffer.toString('utf8', 0, this.#length);
  }

  clear(): void {
    this.#buffer = NONE;
    this.#length = 0;
  }
}

const NONE = Buffer.alloc(0);
