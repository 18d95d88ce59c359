// The live events of one run, for the client that began it. It listens from before the message is handed in, so that no
// event of its run is missed.

import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Services } from '../services/services.ts';

export class RunFollower {
  #unsubscribe: () => void;
  #early: LiveEvent[] = [];
  #listener: ((event: LiveEvent) => void) | undefined;
  #runId: string | undefined;
  #sign: ((event: LiveEvent) => void) | undefined;

  constructor(services: Services) {
    this.#unsubscribe = services.subscribe((event) => {
      this.#sign?.(event);
      if (this.#listener === undefined) this.#early.push(event);
      else if (event.runId === this.#runId) this.#listener(event);
    });
  }

  follow(runId: string, listener: (event: LiveEvent) => void): void {
    this.#runId = runId;
    this.#listener = listener;
    for (const event of this.#early) if (event.runId === runId) listener(event);
    this.#early = [];
  }

  /** Resolves when the run has begun to answer or to work. Its mere end is no such sign. */
  begun(runId: string): Promise<void> {
    if (this.#early.some((event) => event.runId === runId && SIGNS.has(event.type))) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sign = (event) => {
        if (event.runId === runId && SIGNS.has(event.type)) resolve();
      };
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#early = [];
  }
}

/** What a run does only after it has asked its model. */
const SIGNS: ReadonlySet<LiveEvent['type']> = new Set([
  'text-delta',
  'thought-delta',
  'tool-start',
  'approval-start',
  'wait-start',
]);
