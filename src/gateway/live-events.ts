// Sends live events to listeners while they happen. A listener that throws causes a warning and still gets the next
// event: a listener must not be able to disturb the run that it watches, nor other listeners.

import type { LiveEvent } from '../protocol/live-event.ts';

export type LiveListener = (event: LiveEvent) => void;

export class LiveEvents {
  readonly #listeners = new Set<LiveListener>();
  readonly #warn: (sentence: string) => void;
  /** One function per promise that waits for an event. */
  readonly #waiting = new Set<(reason: unknown) => void>();

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: LiveListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly emit = (event: LiveEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#warn(`A listener to live events failed on ${event.type}: ${(error as Error).message}`);
      }
    }
  };

  /** Resolves at the next event that matches. */
  next(matches: (event: LiveEvent) => boolean, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const undo = this.subscribe((event) => {
        if (!matches(event)) return;
        end();
        resolve();
      });
      const abort = () => giveUp(signal?.reason);
      const giveUp = (reason: unknown) => {
        end();
        reject(reason);
      };
      const end = () => {
        this.#waiting.delete(giveUp);
        undo();
        signal?.removeEventListener('abort', abort);
      };
      this.#waiting.add(giveUp);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }

  /** No more events will come: every waiting promise rejects with the reason. */
  close(reason: unknown): void {
    for (const giveUp of [...this.#waiting]) giveUp(reason);
  }
}
