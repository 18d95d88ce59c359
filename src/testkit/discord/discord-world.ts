// What exists on the fake Discord: bots, people, servers, channels, threads and messages. It keeps the rules that
// Discord keeps about them, and knows neither HTTP nor WebSockets. It stays when the server is stopped and started.

import { Snowflakes } from './snowflakes.ts';

export interface FakeBot {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  readonly token: string;
  isRevoked: boolean;
  /** Whether the operator ticked the Message Content Intent. */
  mayReadContent: boolean;
}

export interface FakePerson {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  /** Set for a bot of somebody else. */
  readonly isBot: boolean;
}

export interface FakeGuild {
  readonly id: string;
  readonly name: string;
  /** The roles of each member, by the id of the user. */
  readonly members: Map<string, readonly string[]>;
}

/** The numbers are Discord's. */
export const CHANNEL_TYPES = { text: 0, dm: 1, news: 5, publicThread: 11, forum: 15 } as const;

export interface FakeChannel {
  readonly id: string;
  readonly type: number;
  readonly name?: string | undefined;
  readonly guildId?: string | undefined;
  /** Of a thread, the channel that it belongs to, and who opened it. */
  readonly parentId?: string | undefined;
  readonly ownerId?: string | undefined;
  /** The bot and the person of a direct conversation. */
  readonly recipients?: readonly [bot: string, person: string] | undefined;
  /** The users who have joined a thread. */
  readonly joined: Set<string>;
  lastMessageId?: string | undefined;
}

export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface FakeMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  content: string;
  readonly nonce?: string | undefined;
  readonly replyToId?: string | undefined;
  readonly flags: number;
  readonly type: number;
  files: readonly FakeFile[];
  /** As Discord's JSON has them. */
  components: readonly unknown[];
  editedAt?: number | undefined;
  /** The users who reacted, by the emoji. */
  readonly reactions: Map<string, Set<string>>;
  /** The users and roles that Discord told about this message. */
  readonly pinged: readonly string[];
}

export interface NewMessage {
  readonly id?: string | undefined;
  readonly channelId: string;
  readonly authorId: string;
  readonly content: string;
  readonly nonce?: string | undefined;
  readonly replyToId?: string | undefined;
  readonly flags?: number | undefined;
  readonly type?: number | undefined;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
  readonly components?: readonly unknown[] | undefined;
  readonly pinged?: readonly string[] | undefined;
}

export class DiscordWorld {
  readonly bots = new Map<string, FakeBot>();
  readonly people = new Map<string, FakePerson>();
  readonly guilds = new Map<string, FakeGuild>();
  readonly channels = new Map<string, FakeChannel>();
  readonly messages = new Map<string, FakeMessage>();
  readonly files = new Map<string, FakeFile>();
  readonly #ids = new Snowflakes();

  newId(): string {
    return this.#ids.next();
  }

  botOfToken(token: string): FakeBot | undefined {
    return [...this.bots.values()].find((bot) => bot.token === token && !bot.isRevoked);
  }

  /** The bots that see what happens in a channel. */
  botsIn(channel: FakeChannel): readonly FakeBot[] {
    const ids = channel.recipients ?? [...(this.guilds.get(channel.guildId ?? '')?.members.keys() ?? [])];
    return ids.flatMap((id) => this.bots.get(id) ?? []);
  }

  dmOf(botId: string, personId: string): FakeChannel {
    const isIt = ({ recipients }: FakeChannel) => recipients?.[0] === botId && recipients[1] === personId;
    const known = [...this.channels.values()].find(isIt);
    if (known) return known;
    return this.addChannel({ type: CHANNEL_TYPES.dm, recipients: [botId, personId] });
  }

  addChannel(channel: Omit<FakeChannel, 'id' | 'joined'> & { readonly id?: string }): FakeChannel {
    const added: FakeChannel = { ...channel, id: channel.id ?? this.newId(), joined: new Set() };
    if (added.ownerId !== undefined) added.joined.add(added.ownerId);
    this.channels.set(added.id, added);
    return added;
  }

  addMessage(message: NewMessage): FakeMessage {
    const files = (message.files ?? []).map((file) => ({ id: this.newId(), ...file }));
    for (const file of files) this.files.set(file.id, file);
    const { channelId, authorId, content, nonce, replyToId } = message;
    const added: FakeMessage = {
      id: message.id ?? this.newId(),
      channelId,
      authorId,
      content: content.trim(),
      nonce,
      replyToId,
      flags: message.flags ?? 0,
      type: message.type ?? (replyToId === undefined ? 0 : 19),
      files,
      components: message.components ?? [],
      reactions: new Map(),
      pinged: message.pinged ?? [],
    };
    this.messages.set(added.id, added);
    const channel = this.channels.get(channelId);
    if (channel) {
      channel.lastMessageId = added.id;
      if (channel.parentId !== undefined) channel.joined.add(authorId);
    }
    return added;
  }

  messagesIn(channelId: string): readonly FakeMessage[] {
    return [...this.messages.values()].filter((message) => message.channelId === channelId);
  }

  threadsOf(guildId: string): readonly FakeChannel[] {
    return [...this.channels.values()].filter((each) => each.guildId === guildId && each.parentId !== undefined);
  }

  channelsOf(guildId: string): readonly FakeChannel[] {
    return [...this.channels.values()].filter((each) => each.guildId === guildId && each.parentId === undefined);
  }

  nameOf(userId: string): string {
    return this.bots.get(userId)?.name ?? this.people.get(userId)?.name ?? userId;
  }
}
