// Applies the limits on what is kept, and removes files that no message names, regularly and a few at a time, without
// delaying other work.

import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import type { RecordSizes } from './record-sizes.ts';
import type { Retention } from './retention.ts';

export interface HousekeepingParts {
  readonly retention: Pick<Retention, 'prune'>;
  readonly attachments: Pick<AttachmentStore, 'collect'>;
  /** Remembers how large everything is, to say how fast it grows. */
  readonly sizes: Pick<RecordSizes, 'sample'>;
  readonly warn: (sentence: string) => void;
  /** Set where several nodes share the store: whether this one removes old rows. Each removes its own files. */
  readonly isMine?: (() => boolean) | undefined;
}

/** The first time comes soon, because a gateway that is restarted often would otherwise never do it. */
const FIRST_MS = 1_000;
const EVERY_MS = 10 * 60_000;

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  readonly #closed = new AbortController();
  #first: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  open(): void {
    this.#first = setTimeout(() => void this.prune(), FIRST_MS);
    this.#first.unref();
    this.#timer = setInterval(() => void this.prune(), EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#first);
    clearInterval(this.#timer);
  }

  async prune(): Promise<void> {
    const { retention, attachments, sizes, isMine } = this.#parts;
    const { signal } = this.#closed;
    await this.#try('Old records could not make room', () =>
      retention.prune({ signal, ...(isMine?.() === false && { what: ['trajectories'] }) }),
    );
    await this.#try('Files that no message names could not be removed', () => attachments.collect());
    await this.#try('The size of what is recorded is not known', () => sizes.sample());
  }

  async #try(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#parts.warn(`${what}: ${(error as Error).message}`);
    }
  }
}
