// Where the reading stopped in each conversation and thread, and what was written there since. Slack does not keep events
// for an app that is not connected, so after each connection the known places are read from the last message that was
// stored. What is remembered may be too old and never too new: reading something twice does no harm.

import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { SlackAnswer, SlackApi } from './api.ts';
import { isTs } from './surface.ts';

export interface CatchUpSettings {
  readonly accountId: string;
  readonly api: SlackApi;
  readonly memory: ChannelMemory;
  readonly now: () => number;
}

export interface KnownPlace {
  readonly conversation: string;
  readonly threadId?: string | undefined;
  /** The last message there that was stored. */
  readonly since: string;
}

export interface MissedMessages {
  /** Oldest first, as events have them. */
  readonly messages: readonly JsonObject[];
  /** False when there were more than are read. */
  readonly isComplete: boolean;
}

const MEMORY = 'seen';
/** As many places as Slack lets an app read within a minute or two. */
const MOST_PLACES = 60;
/** Older messages are not fetched: their authors no longer wait. */
const LONGEST_MS = 24 * 3_600_000;
const PAGE = 200;
const PAGES = 5;
/** Threads of the fetched messages that are read too. */
const MOST_THREADS = 20;
const WRITE_AFTER_MS = 1_000;

export class SlackCatchUp {
  readonly #settings: CatchUpSettings;
  /** The last timestamp by the place, `C1` or `C1/1700000000.000100`; the place that was spoken in last is the newest. */
  readonly #seen = new BoundedMap<string>(MOST_PLACES);
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(settings: CatchUpSettings) {
    this.#settings = settings;
  }

  async load(): Promise<void> {
    const { memory, accountId } = this.#settings;
    const stored = await memory.read(accountId, MEMORY);
    if (stored === undefined || !isJsonObject(stored)) return;
    for (const [place, ts] of Object.entries(stored)) if (isTs(ts) && !this.#seen.has(place)) this.#seen.set(place, ts);
  }

  /** Called after a message was stored. */
  note(conversation: string, threadId: string | undefined, ts: string): void {
    const place = threadId === undefined ? conversation : `${conversation}/${threadId}`;
    const before = this.#seen.get(place);
    this.#seen.set(place, before !== undefined && before > ts ? before : ts);
    // A place that is not remembered is not read after a crash, so a new one is written at once.
    if (before === undefined) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER_MS).unref();
  }

  /** One write after the other, so that an older value never takes the place of a newer one. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { memory, accountId } = this.#settings;
    const write = () => memory.write(accountId, MEMORY, Object.fromEntries(this.#seen.entries()));
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }

  /** The place that was spoken in last is the first. */
  places(): readonly KnownPlace[] {
    return this.#seen
      .entries()
      .map(([place, since]) => {
        const [conversation = '', threadId] = place.split('/');
        return { conversation, since, ...(threadId !== undefined && { threadId }) };
      })
      .reverse();
  }

  async read({ conversation, threadId, since }: KnownPlace): Promise<SlackAnswer<MissedMessages>> {
    const floor = String((this.#settings.now() - LONGEST_MS) / 1_000);
    const oldest = Number(since) > Number(floor) ? since : `${Math.floor(Number(floor))}.000000`;
    if (threadId !== undefined) return this.#readThread(conversation, threadId, oldest);
    const { api } = this.#settings;
    const args = { channel: conversation, oldest, limit: PAGE };
    const answer = await api.callPages('conversations.history', args, { pages: PAGES });
    if (!answer.ok) return answer;
    const { pages, isComplete } = answer.value;
    const roots = pages.flatMap(messagesOf).reverse();
    const found: JsonObject[] = roots.map((message) => ({ ...message, channel: conversation }));
    // Replies to a message that was missed too are in no list of the conversation.
    const begun = roots.filter(({ ts, latest_reply: last }) => isTs(ts) && isTs(last)).slice(-MOST_THREADS);
    for (const { ts } of begun) {
      const thread = await this.#readThread(conversation, String(ts), oldest);
      if (!thread.ok) return thread;
      found.push(...thread.value.messages);
    }
    return { ok: true, value: { messages: found, isComplete } };
  }

  async #readThread(conversation: string, threadId: string, oldest: string): Promise<SlackAnswer<MissedMessages>> {
    const args = { channel: conversation, ts: threadId, oldest, limit: PAGE };
    const answer = await this.#settings.api.callPages('conversations.replies', args, { pages: PAGES });
    if (!answer.ok) return answer;
    const messages = answer.value.pages
      .flatMap(messagesOf)
      .filter(({ ts }) => isTs(ts) && ts !== threadId && ts > oldest)
      .map((message) => ({ ...message, channel: conversation }));
    return { ok: true, value: { messages, isComplete: answer.value.isComplete } };
  }
}

export function messagesOf({ messages }: JsonObject): readonly JsonObject[] {
  return Array.isArray(messages) ? messages.filter(isJsonObject) : [];
}
