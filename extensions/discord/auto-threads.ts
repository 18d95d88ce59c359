// The messages whose answers open a thread from them. Such a thread has the id of its message, so the message belongs to
// it before it exists; this remembers which of them are still to be opened, and how they will be called.

import { BoundedMap } from '../../src/channels/bounded-map.ts';

export class AutoThreads {
  /** The name of the thread; empty once it is open. */
  readonly #names = new BoundedMap<string>(2_000);

  add(messageId: string, name: string): void {
    if (!this.#names.has(messageId)) this.#names.set(messageId, name);
  }

  has(messageId: string): boolean {
    return this.#names.has(messageId);
  }

  /** The name of a thread that is still to be opened. */
  nameOf(messageId: string): string | undefined {
    return this.#names.get(messageId) || undefined;
  }

  opened(messageId: string): void {
    if (this.#names.has(messageId)) this.#names.set(messageId, '');
  }
}
