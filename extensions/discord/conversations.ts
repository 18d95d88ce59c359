// The order of what happens in a conversation: one job after the other, and a job that fails is tried again before the
// next one begins. Conversations do not wait for each other.

import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

export class Conversations {
  readonly #closing = new AbortController();
  readonly #last = new Map<string, Promise<boolean>>();
  readonly #failed: (error: unknown, attempt: number) => void;

  /** `failed` is called after every attempt that failed. */
  constructor(failed: (error: unknown, attempt: number) => void) {
    this.#failed = failed;
  }

  /** Resolves with true when the job is done, and with false when the channel was closed before. */
  run(channelId: string, job: (attempt: number) => Promise<void>): Promise<boolean> {
    const before = this.#last.get(channelId) ?? Promise.resolve(true);
    const now = before.then(() => this.#insist(job));
    this.#last.set(channelId, now);
    void now.then(() => {
      if (this.#last.get(channelId) === now) this.#last.delete(channelId);
    });
    return now;
  }

  close(): void {
    this.#closing.abort();
  }

  async #insist(job: (attempt: number) => Promise<void>): Promise<boolean> {
    const { signal } = this.#closing;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await job(attempt);
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        this.#failed(error, attempt);
        const wait = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
        await sleep(wait * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
      }
    }
    return false;
  }
}
