// The latest messages that passed through this process. Telegram names the topic of a message nowhere but in the message
// itself, so reactions and presses are placed with the help of this list. After a restart it is empty, and then they
// belong to the chat as a whole.

export interface KnownMessage {
  readonly topic?: number | undefined;
  /** Set for a message of the bot. */
  readonly isOwn?: true | undefined;
  /** The message that stands for the whole album that this one is a part of. */
  readonly album?: number | undefined;
  /** The reaction of the bot. */
  readonly reaction?: string | undefined;
}

const MOST_MESSAGES = 5_000;

export class KnownMessages {
  readonly #messages = new Map<string, KnownMessage>();

  note(chatId: number | string, messageId: number, facts: KnownMessage): void {
    const key = `${chatId} ${messageId}`;
    const before = this.#messages.get(key);
    this.#messages.delete(key);
    this.#messages.set(key, { ...before, ...facts });
    const [oldest] = this.#messages.keys();
    if (this.#messages.size > MOST_MESSAGES && oldest !== undefined) this.#messages.delete(oldest);
  }

  find(chatId: number | string, messageId: number): KnownMessage | undefined {
    return this.#messages.get(`${chatId} ${messageId}`);
  }
}
