// The live events of one run, for the client that began it. It listens from before the message is handed in, so that no
// event of its run is missed.

import type { LiveEvent } from '../../protocol/live-event.ts';
import type { Services } from '../services/services.ts';

export class RunFollower {
  #unsubscribe: () => void;
  #early: LiveEvent[] = [];
  #listener: ((event: LiveEvent) => void) | undefined;
  #runId: string | undefined;

  constructor(services: Services) {
    this.#unsubscribe = services.subscribe((event) => {
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

  close(): void {
    this.#unsubscribe();
    this.#early = [];
  }
}
