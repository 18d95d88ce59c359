// The things of the fake Discord as its API writes them: JSON objects with the names of version 10.

import type { DiscordWorld, FakeChannel, FakeGuild, FakeMessage } from './discord-world.ts';
import { timeOfSnowflake } from './snowflakes.ts';

type Json = Record<string, unknown>;

export class DiscordJson {
  readonly #world: DiscordWorld;
  /** Where the bytes of files are fetched. */
  readonly #cdn: () => string;

  constructor(world: DiscordWorld, cdn: () => string) {
    this.#world = world;
    this.#cdn = cdn;
  }

  user(id: string): Json {
    const bot = this.#world.bots.get(id);
    const person = this.#world.people.get(id);
    return {
      id,
      username: person?.username ?? bot?.name ?? id,
      global_name: person?.name ?? bot?.name ?? null,
      discriminator: '0',
      avatar: null,
      ...((bot || person?.isBot) && { bot: true }),
    };
  }

  channel(channel: FakeChannel, viewer?: string): Json {
    const { id, type, name, guildId, parentId, ownerId, recipients, joined, lastMessageId } = channel;
    return {
      id,
      type,
      last_message_id: lastMessageId ?? null,
      ...(name !== undefined && { name }),
      ...(guildId !== undefined && { guild_id: guildId }),
      ...(recipients && { recipients: [this.user(recipients[1])] }),
      ...(parentId !== undefined && {
        parent_id: parentId,
        owner_id: ownerId,
        thread_metadata: { archived: false, auto_archive_duration: 1440, locked: false },
        ...(viewer !== undefined && joined.has(viewer) && { member: { id, user_id: viewer, flags: 0 } }),
      }),
    };
  }

  guild(guild: FakeGuild): Json {
    return { id: guild.id, name: guild.name, roles: [], owner_id: '1' };
  }

  member(guild: FakeGuild, userId: string): Json {
    return { roles: guild.members.get(userId) ?? [], nick: null, joined_at: new Date(0).toISOString() };
  }

  /** As GUILD_CREATE tells it to one bot. */
  wholeGuild(guild: FakeGuild, viewer: string): Json {
    return {
      ...this.guild(guild),
      unavailable: false,
      channels: this.#world.channelsOf(guild.id).map((each) => this.channel(each, viewer)),
      threads: this.#world.threadsOf(guild.id).map((each) => this.channel(each, viewer)),
      members: [{ ...this.member(guild, viewer), user: this.user(viewer) }],
    };
  }

  message(message: FakeMessage, options: { readonly withNonce?: boolean; readonly inEvent?: boolean } = {}): Json {
    const { id, channelId, authorId, content, replyToId, flags, type, files, components, editedAt, nonce } = message;
    const channel = this.#world.channels.get(channelId);
    const guild = this.#world.guilds.get(channel?.guildId ?? '');
    const replied = replyToId === undefined ? undefined : this.#world.messages.get(replyToId);
    return {
      id,
      channel_id: channelId,
      author: this.user(authorId),
      content,
      timestamp: new Date(timeOfSnowflake(id)).toISOString(),
      edited_timestamp: editedAt === undefined ? null : new Date(editedAt).toISOString(),
      tts: false,
      mention_everyone: false,
      mentions: matchesOf(content, /<@!?(\d+)>/g).map((each) => this.user(each)),
      mention_roles: matchesOf(content, /<@&(\d+)>/g),
      attachments: files.map((file) => ({
        id: file.id,
        filename: file.name,
        size: file.bytes.length,
        url: `${this.#cdn()}/attachments/${channelId}/${file.id}/${encodeURIComponent(file.name)}`,
        proxy_url: '',
      })),
      embeds: [],
      components,
      pinned: false,
      type,
      flags,
      ...(replyToId !== undefined && {
        message_reference: { type: 0, message_id: replyToId, channel_id: channelId },
        referenced_message: replied ? this.message(replied) : null,
      }),
      // Discord does not keep the nonce: only the answer to the request and the event have it.
      ...(options.withNonce && nonce !== undefined && { nonce }),
      ...(options.inEvent &&
        guild && { guild_id: guild.id, member: this.#world.people.has(authorId) ? this.member(guild, authorId) : {} }),
    };
  }
}

function matchesOf(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, id = '']) => id))];
}
