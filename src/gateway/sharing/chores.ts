// Work that one node does for all that share a store: what is done in the background over all rows, and what a node that is
// gone has left. It is done when this node gets the duty, whenever a node is gone, and from time to time, because a
// message between nodes may be lost.
// Errors: none. Work that fails is told once and tried again at the next time.

import type { Cluster } from '../../cluster/cluster.ts';
import type { Say } from '../../protocol/log.ts';
import { errorText } from '../../protocol/one-line.ts';

export interface Chore {
  /** The beginning of the sentence for the operator when it fails. */
  readonly trouble: string;
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
}

export interface ChoresParts {
  readonly cluster: Pick<Cluster, 'shareDuty' | 'watchMembers'>;
  readonly warn: Say;
}

export const CHORES_DUTY = 'chores';

export class Chores {
  readonly #parts: ChoresParts;
  #isMine = false;
  #leave: (() => Promise<void>) | undefined;

  constructor(parts: ChoresParts) {
    this.#parts = parts;
  }

  /** Whether this node has the duty. */
  readonly isMine = (): boolean => this.#isMine;

  open(list: readonly Chore[]): void {
    this.#leave = this.#parts.cluster.shareDuty(CHORES_DUTY, (signal) => this.#doAll(list, signal));
  }

  async close(): Promise<void> {
    await this.#leave?.();
  }

  async #doAll(list: readonly Chore[], signal: AbortSignal): Promise<void> {
    const { cluster, warn } = this.#parts;
    this.#isMine = true;
    const running = list.map((chore) => new RepeatedWork(chore, warn));
    const undo = cluster.watchMembers(({ change }) => {
      if (change === 'left' || change === 'expelled') for (const each of running) each.now();
    });
    for (const each of running) each.now();
    await fired(signal);
    this.#isMine = false;
    undo();
    await Promise.all(running.map((each) => each.end()));
  }
}

/** One at a time; when it is asked for meanwhile, it is done once more. */
class RepeatedWork {
  readonly #chore: Chore;
  readonly #warn: Say;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #isAskedAgain = false;
  #isOver = false;
  #told: string | undefined;

  constructor(chore: Chore, warn: Say) {
    this.#chore = chore;
    this.#warn = warn;
  }

  now(): void {
    if (this.#isOver) return;
    this.#isAskedAgain = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#isAskedAgain && !this.#isOver) {
      this.#isAskedAgain = false;
      try {
        await this.#chore.work();
        this.#told = undefined;
      } catch (error) {
        const why = errorText(error);
        if (why !== this.#told && !this.#isOver) this.#warn(`${this.#chore.trouble}: ${why}`);
        this.#told = why;
      }
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(() => this.now(), this.#chore.everyMs);
    this.#timer.unref();
  }
}

function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
