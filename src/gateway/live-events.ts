// Sends live events to listeners while they happen. A listener that throws causes a warning and still gets the next
// event: a listener must not be able to disturb the run that it watches, nor other listeners.
// Where several nodes share a store, `SharedEvents` brings the events of the other nodes here. Most listeners want those
// too; a listener that acts on what happens, so that one node must do it and not all of them, wants only its own node's.

import type { LiveEvent } from '../protocol/live-event.ts';

export type LiveListener = (event: LiveEvent) => void;

export interface ExpectedEvent {
  readonly happened: Promise<void>;
  leave(): void;
}

export class LiveEvents {
  /** Those that are told of everything, and those that are told only what happens on this node. */
  readonly #listeners = new Set<LiveListener>();
  readonly #listenersHere = new Set<LiveListener>();
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

  /** Only what happens on this node. Returns the function that unsubscribes. */
  subscribeHere(listener: LiveListener): () => void {
    this.#listenersHere.add(listener);
    return () => this.#listenersHere.delete(listener);
  }

  /** Tells what happens on this node. */
  readonly emit = (event: LiveEvent): void => {
    for (const listener of this.#listenersHere) this.#tell(listener, event);
    for (const listener of this.#listeners) this.#tell(listener, event);
  };

  /** Tells what happens on another node. */
  readonly emitFromElsewhere = (event: LiveEvent): void => {
    for (const listener of this.#listeners) this.#tell(listener, event);
  };

  #tell(listener: LiveListener, event: LiveEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#warn(`A listener to live events failed on ${event.type}: ${(error as Error).message}`);
    }
  }

  /** Resolves at the next event that matches. */
  next(matches: (event: LiveEvent) => boolean, signal: AbortSignal | undefined): Promise<void> {
    return this.expect(matches, signal).happened;
  }

  /** The same for a caller that may stop waiting: after `leave` the promise never settles. */
  expect(matches: (event: LiveEvent) => boolean, signal: AbortSignal | undefined): ExpectedEvent {
    let leave = () => {};
    const happened = new Promise<void>((resolve, reject) => {
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
      leave = end;
      this.#waiting.add(giveUp);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
    return { happened, leave: () => leave() };
  }

  /** No more events will come: every waiting promise rejects with the reason. */
  close(reason: unknown): void {
    for (const giveUp of [...this.#waiting]) giveUp(reason);
  }
}
