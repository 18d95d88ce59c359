// A map that forgets its oldest entry when it is full, for what a channel remembers of a platform without end.

export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The key becomes the newest. */
  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break;
      this.#entries.delete(oldest);
    }
  }

  /** Whether it was there. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  entries(): readonly (readonly [string, Value])[] {
    return [...this.#entries];
  }
}
