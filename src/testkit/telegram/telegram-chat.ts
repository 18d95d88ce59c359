// One chat on the Telegram of the tests: a direct chat, a group, a supergroup with or without topics, or a channel. It
// keeps the messages as the Bot API would hand them over, and what only people see: the files and the bots' reactions.

import type { JsonObject } from '../../protocol/json.ts';
import type { TelegramBot } from './telegram-bot.ts';

export interface TelegramPerson {
  readonly id: number;
  readonly name: string;
  readonly username?: string | undefined;
}

export interface TelegramFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A message as people see it. */
export interface TelegramMessage {
  readonly messageId: number;
  readonly topic?: number | undefined;
  /** The bot that wrote it; undefined for the message of a person. */
  readonly bot?: TelegramBot | undefined;
  /** The text, or the text below a file. */
  readonly text: string;
  readonly replyTo?: number | undefined;
  readonly files: readonly TelegramFile[];
  readonly buttons: readonly { readonly label: string; readonly data: string }[];
  /** How often it was edited. */
  readonly edits: number;
  /** As the Bot API has it. */
  readonly raw: JsonObject;
}

export type TelegramChatType = 'private' | 'group' | 'supergroup' | 'channel';

export interface NewTelegramChat {
  readonly id: number;
  readonly type: TelegramChatType;
  readonly title?: string | undefined;
  readonly person?: TelegramPerson | undefined;
  readonly isForum?: boolean | undefined;
  readonly bots: readonly TelegramBot[];
}

export class TelegramChat {
  readonly id: number;
  readonly type: TelegramChatType;
  readonly title: string | undefined;
  /** The person of a direct chat. */
  readonly person: TelegramPerson | undefined;
  readonly isForum: boolean;
  readonly bots: Set<TelegramBot>;
  /** The names of the topics by their ids. */
  readonly topics = new Map<number, string>();
  /** Where a bot is typing: the ids of topics, 0 for the chat itself. */
  readonly typing = new Set<number>();
  /** Set when the group became a supergroup. */
  movedTo: TelegramChat | undefined;
  readonly #messages = new Map<number, TelegramMessage>();
  readonly #reactions = new Map<string, string>();
  /** The number 1 is the main topic of a forum. */
  #ids = 1;

  constructor({ id, type, title, person, isForum = false, bots }: NewTelegramChat) {
    this.id = id;
    this.type = type;
    this.title = title;
    this.person = person;
    this.isForum = isForum;
    this.bots = new Set(bots);
  }

  /** As the Bot API writes it in messages. */
  get raw(): JsonObject {
    const { id, type, person, title, isForum } = this;
    if (person) return { id, type, first_name: person.name, ...(person.username && { username: person.username }) };
    return { id, type, title: title ?? '', ...(isForum && { is_forum: true }) };
  }

  newId(): number {
    return ++this.#ids;
  }

  openTopic(name: string): number {
    const topic = this.newId();
    this.topics.set(topic, name);
    return topic;
  }

  put(message: TelegramMessage): void {
    this.#messages.set(message.messageId, message);
  }

  find(messageId: number): TelegramMessage | undefined {
    return this.#messages.get(messageId);
  }

  remove(messageId: number): boolean {
    return this.#messages.delete(messageId);
  }

  /** Everything that stands in this chat, oldest first; with a topic, only what stands in it, and 0 is the main one. */
  list(topic?: number): readonly TelegramMessage[] {
    const all = [...this.#messages.values()].sort((a, b) => a.messageId - b.messageId);
    return topic === undefined ? all : all.filter((message) => (message.topic ?? 0) === topic);
  }

  react(bot: TelegramBot, messageId: number, emoji: string | undefined): void {
    const key = `${bot.id} ${messageId}`;
    if (emoji === undefined) this.#reactions.delete(key);
    else this.#reactions.set(key, emoji);
  }

  reactionOf(bot: TelegramBot, messageId: number): string | undefined {
    return this.#reactions.get(`${bot.id} ${messageId}`);
  }
}
