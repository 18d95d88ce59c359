// Does one piece of work at regular times, when asked, and a last time at the end; never twice at once. The timer does not
// keep the process alive, and the last time is bounded.

export class RegularFlush {
  readonly #work: (signal: AbortSignal) => Promise<void>;
  readonly #everyMs: number;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  /** The work must not reject. It ends early when the signal aborts. */
  constructor(everyMs: number, work: (signal: AbortSignal) => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  open(): void {
    this.#timer = setInterval(() => void this.flush(), this.#everyMs);
    this.#timer.unref();
  }

  /** Resolves when the work is done that goes on, or that this call begins. */
  flush(): Promise<void> {
    this.#working ??= this.#work(this.#closing.signal).finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async close(ms: number): Promise<void> {
    clearInterval(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), ms);
    // What goes on may have begun before the last piece came.
    await this.#working;
    if (!this.#closing.signal.aborted) await this.flush();
    clearTimeout(limit);
  }
}
