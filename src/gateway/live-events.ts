// Who is told what happens while it happens. A listener that throws is warned about and told the next event all the
// same: whoever watches must not be able to disturb what is watched, nor to blind the others.

import type { LiveEvent } from '../protocol/live-event.ts';

export type LiveListener = (event: LiveEvent) => void;

export class LiveEvents {
  readonly #listeners = new Set<LiveListener>();
  readonly #warn: (sentence: string) => void;
  /** One per promise that waits for an event. */
  readonly #waiting = new Set<(reason: unknown) => void>();

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn;
  }

  /** Returns the undo. */
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

  /** Nothing more will happen: whoever waits is told why. */
  close(reason: unknown): void {
    for (const giveUp of [...this.#waiting]) giveUp(reason);
  }
}
