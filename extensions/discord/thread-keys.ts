// The threads that were opened under a key, so that the same key gives the same thread, also after a restart. A key is
// noted before its thread is asked for: when the answer was lost, the thread is looked for and not opened twice.

import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { KeptValue } from './kept-value.ts';

const MOST_KEPT = 200;

export interface KeyedThread {
  /** Undefined while the thread is asked for. */
  readonly threadId?: string | undefined;
  readonly startedAt: number;
}

export class ThreadKeys {
  readonly #kept: KeptValue<JsonObject>;
  readonly #threads = new BoundedMap<KeyedThread>(MOST_KEPT);

  constructor(memory: ChannelMemory, accountId: string) {
    this.#kept = new KeptValue(memory, accountId, 'threads');
  }

  async load(): Promise<void> {
    const kept = await this.#kept.read();
    if (!isJsonObject(kept)) return;
    for (const [key, value] of Object.entries(kept)) {
      if (!isJsonObject(value) || typeof value.startedAt !== 'number') continue;
      const { threadId, startedAt } = value;
      this.#threads.set(key, { startedAt, ...(typeof threadId === 'string' && { threadId }) });
    }
  }

  get(key: string): KeyedThread | undefined {
    return this.#threads.get(key);
  }

  /** Resolves when it is kept. */
  async set(key: string, thread: KeyedThread): Promise<void> {
    this.#threads.set(key, thread);
    const written = this.#threads
      .entries()
      .map(([name, { threadId, startedAt }]): [string, JsonObject] => [
        name,
        { startedAt, ...(threadId !== undefined && { threadId }) },
      ]);
    this.#kept.write(() => Object.fromEntries(written));
    await this.#kept.settled();
  }

  settled(): Promise<void> {
    return this.#kept.settled();
  }
}
