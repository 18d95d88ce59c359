// What is known about the channels, threads and servers of one account: learnt from the gateway's events, and asked for
// where no event has told it, such as after a resumed connection. A question that Discord could not answer is not
// remembered, and fails, so that the event that needed it is tried again.

import type { APIChannel, APIGuildMember } from '@discordjs/core';
import type { DiscordApi } from './discord-api.ts';
import { DiscordFailure } from './discord-failure.ts';

export interface Place {
  readonly id: string;
  readonly guildId?: string | undefined;
  readonly name?: string | undefined;
  /** The person, for a direct conversation. */
  readonly recipientId?: string | undefined;
  readonly isThread: boolean;
  /** Whether it only holds posts, which are threads. */
  readonly isForum: boolean;
  /** Whether a thread can begin from a message here. */
  readonly hasThreads: boolean;
  /** Of a thread, the channel that it belongs to, who opened it, and whether the bot has joined. */
  readonly parentId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly isJoined: boolean;
  readonly lastMessageId?: string | undefined;
}

interface KnownGuild {
  readonly name?: string | undefined;
  /** The roles that the bot has there. */
  botRoles?: readonly string[] | undefined;
}

/** The fields of events that are about places; each event has some of them. */
interface PlaceEvent {
  readonly id: string;
  readonly name?: string;
  readonly guild_id?: string;
  readonly channel_id?: string;
  readonly channels?: readonly APIChannel[];
  readonly threads?: readonly APIChannel[];
  readonly members?: readonly { readonly user?: { readonly id: string }; readonly roles: string[] }[];
  readonly added_members?: readonly { readonly user_id?: string }[];
  readonly user?: { readonly id: string };
  readonly author?: { readonly id: string };
  readonly roles?: string[];
}

const TYPES = { text: 0, dm: 1, news: 5, threads: [10, 11, 12], forums: [15, 16] };
/** Beyond this many, the oldest are forgotten and asked for again. */
const MOST_PLACES = 20_000;

export class Places {
  readonly #api: DiscordApi;
  readonly #places = new Map<string, Place>();
  readonly #guilds = new Map<string, KnownGuild>();
  /** The channels of direct conversations, by the id of the person. */
  readonly #dms = new Map<string, string>();

  constructor(api: DiscordApi) {
    this.#api = api;
  }

  learn(channel: APIChannel, guildId?: string): Place {
    const place = placeOf(channel, guildId);
    const known = this.#places.get(place.id);
    // An update of a thread does not say again who has joined.
    const merged = known?.isJoined ? { ...place, isJoined: true } : place;
    this.#places.delete(place.id);
    this.#places.set(place.id, merged);
    if (place.recipientId !== undefined) this.#dms.set(place.recipientId, place.id);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break;
      this.#places.delete(oldest);
    }
    return merged;
  }

  learnDirect(channelId: string, personId: string): Place {
    return this.learn({ id: channelId, type: TYPES.dm, recipients: [{ id: personId }] } as unknown as APIChannel);
  }

  learnGuild(guild: { readonly id: string; readonly name?: string }, bot?: Pick<APIGuildMember, 'roles'>): void {
    const known = this.#guilds.get(guild.id);
    this.#guilds.set(guild.id, { name: guild.name ?? known?.name, botRoles: bot?.roles ?? known?.botRoles });
  }

  /** Takes what an event says about places; other events say nothing. */
  learnEvent(name: string, data: unknown, botId: string): void {
    const event = data as PlaceEvent;
    const guildId = event.guild_id;
    switch (name) {
      case 'GUILD_CREATE':
        this.learnGuild(
          event,
          event.members?.find(({ user }) => user?.id === botId),
        );
        for (const channel of [...(event.channels ?? []), ...(event.threads ?? [])]) this.learn(channel, event.id);
        break;
      case 'GUILD_UPDATE':
        this.learnGuild(event);
        break;
      case 'GUILD_MEMBER_UPDATE':
        if (event.user?.id === botId && guildId) this.learnGuild({ id: guildId }, { roles: event.roles ?? [] });
        break;
      case 'CHANNEL_CREATE':
      case 'CHANNEL_UPDATE':
      case 'THREAD_CREATE':
      case 'THREAD_UPDATE':
        this.learn(data as APIChannel);
        break;
      case 'THREAD_LIST_SYNC':
        for (const thread of event.threads ?? []) this.learn(thread, guildId);
        break;
      case 'THREAD_MEMBERS_UPDATE':
        if (event.added_members?.some(({ user_id: id }) => id === botId)) this.joined(event.id);
        break;
      case 'CHANNEL_DELETE':
      case 'THREAD_DELETE':
        this.#places.delete(event.id);
        break;
      case 'MESSAGE_CREATE': {
        // A direct message names no server, and its author is the person, unless the bot wrote it.
        const { channel_id: channelId, author } = event;
        const isDirect = guildId === undefined && author && author.id !== botId;
        if (isDirect && channelId !== undefined) this.learnDirect(channelId, author.id);
        break;
      }
      default:
    }
  }

  joined(threadId: string): void {
    const place = this.#places.get(threadId);
    if (place) this.#places.set(threadId, { ...place, isJoined: true });
  }

  known(channelId: string): Place | undefined {
    return this.#places.get(channelId);
  }

  knownGuildName(guildId: string): string | undefined {
    return this.#guilds.get(guildId)?.name;
  }

  /** Every channel that is known and could be written to. */
  list(): readonly Place[] {
    return [...this.#places.values()];
  }

  async find(channelId: string, guildId?: string): Promise<Place> {
    const known = this.#places.get(channelId);
    if (known) return known;
    try {
      return this.learn(await this.#api.channel(channelId), guildId);
    } catch (error) {
      // Discord does not show every channel in which a command may be used; it is a channel all the same.
      if (!(error instanceof DiscordFailure) || error.kind !== 'refused') throw error;
      return { id: channelId, guildId, isThread: false, isForum: false, hasThreads: false, isJoined: false };
    }
  }

  async dmChannelOf(personId: string, signal?: AbortSignal): Promise<string> {
    const known = this.#dms.get(personId);
    if (known !== undefined) return known;
    const channel = await this.#api.openDm(personId, signal);
    return this.learnDirect(channel.id, personId).id;
  }

  async guildName(guildId: string): Promise<string | undefined> {
    const known = this.#guilds.get(guildId);
    if (known?.name !== undefined) return known.name;
    const guild = await unlessRefused(this.#api.guild(guildId));
    if (guild) this.learnGuild(guild);
    return guild?.name;
  }

  async botRoles(guildId: string, botId: string): Promise<readonly string[]> {
    const known = this.#guilds.get(guildId)?.botRoles;
    if (known) return known;
    const member = await unlessRefused(this.#api.member(guildId, botId));
    this.learnGuild({ id: guildId }, { roles: member?.roles ?? [] });
    return member?.roles ?? [];
  }
}

async function unlessRefused<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DiscordFailure && error.kind === 'refused') return undefined;
    throw error;
  }
}

function placeOf(channel: APIChannel, guildId: string | undefined): Place {
  const { id, type } = channel;
  const raw = channel as {
    readonly name?: string | null;
    readonly guild_id?: string;
    readonly parent_id?: string | null;
    readonly owner_id?: string;
    readonly member?: unknown;
    readonly recipients?: readonly { readonly id: string }[];
    readonly last_message_id?: string | null;
  };
  const isThread = TYPES.threads.includes(type);
  return {
    id,
    guildId: raw.guild_id ?? guildId,
    name: raw.name ?? undefined,
    recipientId: type === TYPES.dm ? raw.recipients?.[0]?.id : undefined,
    isThread,
    isForum: TYPES.forums.includes(type),
    hasThreads: type === TYPES.text || type === TYPES.news,
    parentId: raw.parent_id ?? undefined,
    ownerId: isThread ? raw.owner_id : undefined,
    isJoined: isThread && raw.member !== undefined && raw.member !== null,
    lastMessageId: raw.last_message_id ?? undefined,
  };
}
