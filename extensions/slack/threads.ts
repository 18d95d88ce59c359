// What is known of threads: which thread a message is in, and in which threads the bot takes part. Both are remembered
// from what was sent and received, and asked of Slack where they are not. Rejects when Slack could not be asked.

import { BoundedMap } from '../../src/channels/bounded-map.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { SlackApi } from './api.ts';
import { sentenceOf } from './failure.ts';

const MOST = 5_000;
/** How much of a long thread is read to see whether the bot wrote in it. */
const READ_MESSAGES = 200;

export class SlackThreads {
  readonly #api: SlackApi;
  /** The thread of a surface by the message; an empty text means that it is in none. */
  readonly #threadOf = new BoundedMap<string>(MOST);
  readonly #takesPart = new BoundedMap<boolean>(MOST);

  constructor(api: SlackApi) {
    this.#api = api;
  }

  remember(conversation: string, ts: string, threadId: string | undefined): void {
    this.#threadOf.set(`${conversation}/${ts}`, threadId ?? '');
  }

  noteOwn(conversation: string, threadId: string | undefined): void {
    if (threadId !== undefined) this.#takesPart.set(`${conversation}/${threadId}`, true);
  }

  /** The thread that a message belongs to. `threadIdOf` reads it from a message that Slack gives. */
  async threadOf(
    conversation: string,
    ts: string,
    threadIdOf: (message: JsonObject) => string | undefined,
  ): Promise<string | undefined> {
    const known = this.#threadOf.get(`${conversation}/${ts}`);
    if (known !== undefined) return known === '' ? undefined : known;
    const limits = { oldest: ts, latest: ts, inclusive: true, limit: 10 };
    const messages = await this.#readMessages({ channel: conversation, ts, ...limits });
    const message = messages?.find((each) => each.ts === ts);
    if (!message) return undefined;
    const threadId = threadIdOf(message);
    this.remember(conversation, ts, threadId);
    return threadId;
  }

  async takesPart(conversation: string, threadId: string, userId: string): Promise<boolean> {
    const key = `${conversation}/${threadId}`;
    const known = this.#takesPart.get(key);
    if (known !== undefined) return known;
    const messages = await this.#readMessages({ channel: conversation, ts: threadId, limit: READ_MESSAGES });
    if (!messages) return false;
    const isIn = messages.some(({ user }) => user === userId);
    this.#takesPart.set(key, isIn);
    return isIn;
  }

  async #readMessages(args: JsonObject): Promise<readonly JsonObject[] | undefined> {
    const answer = await this.#api.call('conversations.replies', args);
    // What only fails now is tried again; a message must not lose its thread, nor its mention, because Slack was busy.
    if (!answer.ok && answer.failure.kind !== 'refused') throw new Error(sentenceOf(answer.failure));
    if (!answer.ok) return undefined;
    return Array.isArray(answer.value.messages) ? answer.value.messages.filter(isJsonObject) : [];
  }
}
