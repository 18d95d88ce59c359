// A value that a channel remembers across restarts. Writing does not wait: while one write is under way, later changes
// are gathered into the next. What a crash loses is only ever the latest changes.

import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import type { JsonValue } from '../../src/protocol/json.ts';

export class KeptValue<Value extends JsonValue> {
  readonly #memory: ChannelMemory;
  readonly #accountId: string;
  readonly #name: string;
  #next: (() => Value) | undefined;
  #writing: Promise<void> | undefined;

  constructor(memory: ChannelMemory, accountId: string, name: string) {
    this.#memory = memory;
    this.#accountId = accountId;
    this.#name = name;
  }

  async read(): Promise<JsonValue | undefined> {
    return this.#memory.read(this.#accountId, this.#name);
  }

  /** The value is made when it is written, so that it has every change until then. */
  write(make: () => Value): void {
    this.#next = make;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // The first write waits a moment too, so that changes of one moment are one write.
    await Promise.resolve();
    for (let make = this.#next; make; make = this.#next) {
      this.#next = undefined;
      await this.#memory.write(this.#accountId, this.#name, make());
    }
    this.#writing = undefined;
  }
}
