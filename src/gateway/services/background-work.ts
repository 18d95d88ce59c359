// Repeats work that no run waits for, such as keeping an index up to date: some time after the start, and again some time
// after each round. A round that fails is told and repeated with the next one.

export interface BackgroundWorkParts {
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** Set where several nodes share the store: whether this one does the work. Without it, it always does. */
  readonly isMine?: (() => boolean) | undefined;
  /** How long after a round the next one begins. */
  readonly everyMs?: number | undefined;
  /** Told when a round fails, unless the work is being closed. */
  readonly failed: (error: Error) => void;
}

const FIRST_MS = 1_000;
const EVERY_MS = 5_000;

export class BackgroundWork {
  readonly #parts: BackgroundWorkParts;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<unknown> | undefined;

  constructor(parts: BackgroundWorkParts) {
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  open(): void {
    this.#plan(FIRST_MS);
  }

  /** Resolves when the round that goes on has ended; it is told to end by its signal. */
  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #plan(ms: number): void {
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#work().then(() => this.#plan(this.#parts.everyMs ?? EVERY_MS));
    }, ms);
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    try {
      if (this.#parts.isMine?.() !== false) await this.#parts.work(this.signal);
    } catch (error) {
      if (!this.signal.aborted) this.#parts.failed(error as Error);
    }
  }
}
