// The ends of runs that somebody in this process waits for, as the run itself knows them. What a client is answered is in
// memory when its run ends, so it need not be read from the store again.
// Promise: an end is noted after its commit, and is what the commit wrote. Whoever finds no end here reads the store: the
// run went on at another node, or was begun more than once. Memory is bounded by those who wait.

import type { RunRow } from '../../store/tables.ts';

export type KnownEnd = Pick<RunRow, 'runId' | 'status' | 'outcome' | 'startedAt'>;

export interface AwaitedEnd {
  known(): KnownEnd | undefined;
  leave(): void;
}

export class AwaitedEnds {
  readonly #awaited = new Map<string, KnownEnd | undefined>();

  expect(runId: string): AwaitedEnd {
    this.#awaited.set(runId, undefined);
    return { known: () => this.#awaited.get(runId), leave: () => this.#awaited.delete(runId) };
  }

  readonly note = (end: KnownEnd): void => {
    if (this.#awaited.has(end.runId)) this.#awaited.set(end.runId, end);
  };
}
