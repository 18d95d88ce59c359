// Which parts have arrived on Discord, by their nonce. Discord itself drops a nonce that it has seen in the last minutes;
// it does not keep the nonce with the message, so for later it is remembered here: from the answer to the request, and
// from the event that tells the bot of its own message, which comes also when the answer is lost.

import { createHash } from 'node:crypto';
import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { KeptValue } from './kept-value.ts';

const MOST_KEPT = 200;

/** Discord takes at most 25 characters. */
export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

export class SentParts {
  readonly #kept: KeptValue<JsonObject>;
  /** The ids of messages by their nonce, the latest last. */
  readonly #messages = new BoundedMap<string>(MOST_KEPT);

  constructor(memory: ChannelMemory, accountId: string) {
    this.#kept = new KeptValue(memory, accountId, 'sent');
  }

  async load(): Promise<void> {
    const kept = await this.#kept.read();
    if (!isJsonObject(kept)) return;
    for (const [nonce, id] of Object.entries(kept)) if (typeof id === 'string') this.#messages.set(nonce, id);
  }

  arrived(nonce: string, messageId: string): void {
    if (this.#messages.get(nonce) === messageId) return;
    this.#messages.set(nonce, messageId);
    this.#kept.write(() => Object.fromEntries(this.#messages.entries()));
  }

  messageOf(nonce: string): string | undefined {
    return this.#messages.get(nonce);
  }

  /** Whether the message is known to be another part. */
  isKnown(messageId: string): boolean {
    return this.#messages.entries().some(([, id]) => id === messageId);
  }

  settled(): Promise<void> {
    return this.#kept.settled();
  }
}
