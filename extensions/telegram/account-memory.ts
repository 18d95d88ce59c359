// What the channel remembers about one account across restarts: the chats that it knows, the topics that it opened, the
// groups that moved, and the long values of buttons. Each list is bounded, and its oldest entries are forgotten first.
// What is lost with a crash costs a convenience and no message: see `ChannelMemory`.

import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import type { Peer } from '../../src/protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/protocol/json.ts';

export interface KnownChat {
  readonly kind: Peer['kind'];
  readonly name: string;
}

const MOST = { chats: 2_000, threads: 500, moves: 500, buttons: 500, webhook: 1 } as const;
type List = keyof typeof MOST;

export class AccountMemory {
  readonly #memory: ChannelMemory;
  readonly #accountId: string;
  readonly #lists = new Map<List, Map<string, JsonValue>>();
  #writing: Promise<void> = Promise.resolve();

  constructor(memory: ChannelMemory, accountId: string) {
    this.#memory = memory;
    this.#accountId = accountId;
  }

  /** Reads what an earlier process kept. What this process has noted already stays. */
  async load(): Promise<void> {
    for (const list of Object.keys(MOST) as List[]) {
      const value = await this.#memory.read(this.#accountId, list);
      const kept = value !== undefined && isJsonObject(value) ? Object.entries(value) : [];
      this.#lists.set(list, new Map([...kept, ...(this.#lists.get(list) ?? [])]));
    }
  }

  /** Resolves when everything that was noted is handed to the store. */
  settled(): Promise<void> {
    return this.#writing;
  }

  noteChat(chatId: string, { kind, name }: KnownChat): void {
    this.#note('chats', chatId, { kind, name });
  }

  chats(): readonly (KnownChat & { readonly id: string })[] {
    return [...this.#list('chats')].flatMap(([id, value]) => {
      const { kind, name } = isJsonObject(value) ? value : {};
      return kind === 'direct' || kind === 'group' || kind === 'channel' ? [{ id, kind, name: String(name) }] : [];
    });
  }

  /** The topic that was opened under a key. */
  thread(key: string): { readonly chatId: string; readonly topic: number } | undefined {
    const value = this.#list('threads').get(key);
    if (value === undefined || !isJsonObject(value)) return undefined;
    return { chatId: String(value.chatId), topic: Number(value.topic) };
  }

  noteThread(key: string, chatId: string, topic: number): void {
    this.#note('threads', key, { chatId, topic });
  }

  hasOpened(chatId: string, topic: number): boolean {
    return [...this.#list('threads').values()].some(
      (value) => isJsonObject(value) && value.chatId === chatId && value.topic === topic,
    );
  }

  noteMove(from: string, to: string): void {
    this.#note('moves', from, to);
  }

  /** The id that a group has today. */
  currentId(chatId: string): string {
    const next = this.#list('moves').get(chatId);
    return typeof next === 'string' ? next : chatId;
  }

  /** The ids that a group had before. */
  formerIds(chatId: string): readonly string[] {
    return [...this.#list('moves')].filter(([, to]) => to === chatId).map(([from]) => from);
  }

  button(name: string): string | undefined {
    const value = this.#list('buttons').get(name);
    return typeof value === 'string' ? value : undefined;
  }

  noteButton(name: string, value: string): void {
    this.#note('buttons', name, value);
  }

  /** The address that this channel gave Telegram, and has not taken back. */
  webhook(): string | undefined {
    const url = this.#list('webhook').get('url');
    return typeof url === 'string' && url !== '' ? url : undefined;
  }

  noteWebhook(url: string): void {
    this.#note('webhook', 'url', url);
  }

  #list(list: List): Map<string, JsonValue> {
    const known = this.#lists.get(list) ?? new Map<string, JsonValue>();
    this.#lists.set(list, known);
    return known;
  }

  #note(list: List, name: string, value: JsonValue): void {
    const entries = this.#list(list);
    if (JSON.stringify(entries.get(name)) === JSON.stringify(value)) return;
    entries.delete(name);
    entries.set(name, value);
    for (const oldest of entries.keys()) {
      if (entries.size <= MOST[list]) break;
      entries.delete(oldest);
    }
    const kept: JsonObject = Object.fromEntries(entries);
    this.#writing = this.#writing.then(() => this.#memory.write(this.#accountId, list, kept));
  }
}
