// Knows when a terminal may ask for the next message: when the answer to the last one is on the screen. Frames come in
// any order, so what was seen of a run is remembered whether or not anybody waits for it yet.

import type { ServerFrame } from '../channels/server-frame.ts';

/** How long after the end of a run its parts may take before it counts as one that says nothing. */
const SILENCE_MS = 300;

/** Runs that are remembered; older ones are nobody's any more. */
const MAX_REMEMBERED = 100;

export class ChatTurns {
  /** Runs whose answer was seen, or that ended without one. */
  readonly #settled = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  #isAsking = false;
  #giveUp: () => void = () => {};
  readonly #given = new Promise<undefined>((resolve) => {
    this.#giveUp = () => resolve(undefined);
  });

  /** True from the moment something is said until its answer is there. */
  get isWaiting(): boolean {
    return this.#isAsking || this.#waiting.size > 0;
  }

  see(frame: ServerFrame): void {
    if (frame.type === 'part') this.#settle(frame.runId);
    if (frame.type === 'run-end') setTimeout(() => this.#settle(frame.runId), SILENCE_MS).unref();
  }

  /** Waits for the acceptance of what was said, unless the connection is given up first. */
  async until<Accepted>(accepted: Promise<Accepted>): Promise<Accepted | undefined> {
    this.#isAsking = true;
    try {
      return await Promise.race([accepted, this.#given]);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Resolves when the answer of the run was seen. */
  async answered(runId: string): Promise<void> {
    if (this.#settled.has(runId)) return;
    const seen = new Promise<void>((resolve) => this.#waiting.set(runId, resolve));
    await Promise.race([seen, this.#given]);
    this.#waiting.delete(runId);
  }

  giveUp(): void {
    this.#giveUp();
  }

  #settle(runId: string): void {
    this.#settled.add(runId);
    if (this.#settled.size > MAX_REMEMBERED) this.#settled.delete(this.#settled.values().next().value ?? '');
    this.#waiting.get(runId)?.();
  }
}
