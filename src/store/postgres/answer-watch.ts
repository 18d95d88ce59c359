// Notices that a connection hangs: statements are under way on it, no answer comes, and the server has nothing to do for it. That happens
// when something between the gateway and the server stops forwarding without closing the connection. A statement that the server
// works on, or that waits there for a lock, is left alone, however long it takes.
// It knows no sockets: it is told what is asked and answered, and is handed what looks at the server and what gives the connection up.

/** `unknown` when the server could not be asked. */
export type BackendState = 'working' | 'idle' | 'unknown';

export interface AnswerWatchParts {
  /** After so long without any answer the server is asked what it does. */
  readonly lookMs: number;
  /** After so long without any answer the connection is given up although the server could not be asked. */
  readonly patienceMs: number;
  readonly look: () => Promise<BackendState>;
  readonly giveUp: () => void;
}

/** An answer that was on its way when the server was asked has arrived after this time. */
const ON_ITS_WAY_MS = 250;

export class AnswerWatch {
  readonly #parts: AnswerWatchParts;
  #asked = 0;
  #answered = 0;
  /** The moment of the last answer, or of the first question after a time without any. */
  #quietSince = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AnswerWatchParts) {
    this.#parts = parts;
  }

  async watch<Answer>(asking: Promise<Answer>): Promise<Answer> {
    if (!this.isAwaiting) this.#quietSince = performance.now();
    this.#asked += 1;
    // While statements follow each other there is one timer, and not one for each of them.
    this.#timer ??= this.#plan(this.#parts.lookMs);
    try {
      return await asking;
    } finally {
      this.#answered += 1;
      this.#quietSince = performance.now();
    }
  }

  /** Whether statements are under way. */
  get isAwaiting(): boolean {
    return this.#asked > this.#answered;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #plan(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), ms).unref();
  }

  async #look(): Promise<void> {
    const { lookMs, patienceMs, look, giveUp } = this.#parts;
    if (!this.isAwaiting) {
      this.#timer = undefined;
      return;
    }
    const quietMs = () => performance.now() - this.#quietSince;
    if (quietMs() < lookMs) {
      this.#timer = this.#plan(lookMs - quietMs());
      return;
    }
    const before = this.#answered;
    const state = await look().catch((): BackendState => 'unknown');
    if (state === 'idle' || (state === 'unknown' && quietMs() >= patienceMs)) {
      await new Promise((resolve) => setTimeout(resolve, ON_ITS_WAY_MS));
      if (before === this.#answered && this.isAwaiting) return giveUp();
    }
    this.#timer = this.#plan(lookMs);
  }
}
