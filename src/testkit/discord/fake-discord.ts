// Discord on this machine, for tests and for trying things out: the REST API and the gateway as a bot's client library
// speaks with them, and people who write, edit, delete, react, press and use commands. It makes mistakes on demand.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DiscordFault, DiscordFaults, type FaultRequest } from './discord-faults.ts';
import { DiscordGateway, type DispatchedEvent } from './discord-gateway.ts';
import { DiscordJson } from './discord-json.ts';
import { DiscordRest, type InteractionAnswer, type RouteLimit } from './discord-rest.ts';
import {
  CHANNEL_TYPES,
  DiscordWorld,
  type FakeBot,
  type FakeChannel,
  type FakeFile,
  type FakeGuild,
  type FakeMessage,
  type FakePerson,
} from './discord-world.ts';
import { timeOfSnowflake } from './snowflakes.ts';

type Json = Record<string, unknown>;

/** Something that a person did, and how it was sent to the bots that see it. */
export interface PersonAct {
  /** The id of the message, or of the command or press. */
  readonly id: string;
  readonly sent: readonly DispatchedEvent[];
}

export interface SayDetails {
  readonly replyTo?: string | undefined;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
}

/** A use of a command or a press of a button, and what the bot answered. */
export interface FakeInteraction {
  readonly id: string;
  readonly at: number;
  readonly answers: InteractionAnswer[];
}

/** Discord tells a person that the bot did not answer when this time is over. */
const INTERACTION_MS = 3_000;

export class FakeDiscord {
  readonly world = new DiscordWorld();
  readonly rest: DiscordRest;
  readonly gateway: DiscordGateway;
  readonly interactions = new Map<string, FakeInteraction>();
  readonly #faults = new DiscordFaults();
  readonly #json: DiscordJson;
  readonly #watchers = new Set<() => void>();
  #server: Server | undefined;
  #port = 0;

  private constructor() {
    this.#json = new DiscordJson(this.world, () => this.#address('http', '/cdn'));
    this.gateway = new DiscordGateway(this.world, {
      welcome: (bot) => this.#welcome(bot),
      url: () => this.#address('ws', '/gateway'),
    });
    this.rest = new DiscordRest({
      world: this.world,
      json: this.#json,
      faults: this.#faults,
      gatewayUrl: () => this.#address('ws', '/gateway'),
      tell: (channel, event, data) => void this.#tell(channel, event, data),
      answerInteraction: (token, answer) => this.#answerInteraction(token, answer),
      changed: () => this.#changed(),
    });
  }

  static async start(): Promise<FakeDiscord> {
    const fake = new FakeDiscord();
    await fake.start();
    return fake;
  }

  /** What `channels.discord.apiRoot` has to say. */
  get apiRoot(): string {
    return this.#address('http', '/api');
  }

  /** Starts again at the same port, with everything that was there. */
  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const file = /^\/cdn\/attachments\/\d+\/(\d+)\//.exec(request.url ?? '')?.[1];
      const { bytes } = this.world.files.get(file ?? '') ?? {};
      if (file !== undefined) return void response.writeHead(bytes ? 200 : 404).end(bytes);
      this.rest.answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(JSON.stringify({ message: String(error), code: 0 }));
      });
    });
    server.on('upgrade', (request, socket, head) => this.gateway.upgrade(request, socket, head));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Ends every connection; nothing can be reached until `start`. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.gateway.cut();
    if (!server) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  addBot(name = 'atrium'): FakeBot {
    const id = this.world.newId();
    const token = `${Buffer.from(id).toString('base64')}.fake.${name}`;
    const bot: FakeBot = { id, applicationId: this.world.newId(), name, token, isRevoked: false, mayReadContent: true };
    this.world.bots.set(id, bot);
    return bot;
  }

  addPerson(name: string, { isBot = false } = {}): FakePerson {
    const person = { id: this.world.newId(), name, username: name.toLowerCase(), isBot };
    this.world.people.set(person.id, person);
    return person;
  }

  /** A server with these members. Roles are given by the id of the user. */
  addGuild(
    name: string,
    members: readonly { readonly id: string }[],
    roles: Readonly<Record<string, readonly string[]>> = {},
  ): FakeGuild {
    const of = members.map(({ id }) => [id, roles[id] ?? []] as const);
    const guild: FakeGuild = { id: this.world.newId(), name, members: new Map(of) };
    this.world.guilds.set(guild.id, guild);
    for (const { id } of members) {
      const bot = this.world.bots.get(id);
      if (bot) this.gateway.dispatch(bot, 'GUILD_CREATE', this.#json.wholeGuild(guild, id));
    }
    return guild;
  }

  addChannel(guild: FakeGuild, name: string, kind: 'text' | 'news' | 'forum' = 'text'): FakeChannel {
    const channel = this.world.addChannel({ type: CHANNEL_TYPES[kind], name, guildId: guild.id });
    this.#tell(channel, 'CHANNEL_CREATE', this.#json.channel(channel));
    return channel;
  }

  /** A person opens a thread in a channel, or makes a post in a forum, which has a first message. */
  opensThread(person: FakePerson, parent: FakeChannel, name: string, text?: string): FakeChannel {
    const { guildId, id } = parent;
    const thread = this.world.addChannel({
      type: CHANNEL_TYPES.publicThread,
      name,
      guildId,
      parentId: id,
      ownerId: person.id,
    });
    this.#tell(thread, 'THREAD_CREATE', { ...this.#json.channel(thread), newly_created: true });
    if (text !== undefined) {
      const first = { id: thread.id, channelId: thread.id, authorId: person.id, content: text };
      this.#tellMessage('MESSAGE_CREATE', this.world.addMessage(first));
    }
    return thread;
  }

  /** The direct conversation of a person with a bot. */
  dm(bot: FakeBot, person: FakePerson): FakeChannel {
    return this.world.dmOf(bot.id, person.id);
  }

  says(person: FakePerson, channel: FakeChannel, text: string, { replyTo, files }: SayDetails = {}): PersonAct {
    const message = this.world.addMessage({
      channelId: channel.id,
      authorId: person.id,
      content: text,
      replyToId: replyTo,
      files,
    });
    return { id: message.id, sent: this.#tellMessage('MESSAGE_CREATE', message) };
  }

  edits(messageId: string, text: string): PersonAct {
    const message = this.#message(messageId);
    message.content = text;
    message.editedAt = Date.now();
    return { id: messageId, sent: this.#tellMessage('MESSAGE_UPDATE', message) };
  }

  deletes(messageId: string): PersonAct {
    const { channelId } = this.#message(messageId);
    this.world.messages.delete(messageId);
    const channel = this.#channel(channelId);
    const data = { id: messageId, channel_id: channelId, ...guildOf(channel) };
    return { id: messageId, sent: this.#tell(channel, 'MESSAGE_DELETE', data) };
  }

  reacts(person: FakePerson, messageId: string, emoji: string, { isRemoved = false } = {}): PersonAct {
    const { channelId, authorId, reactions } = this.#message(messageId);
    const those = reactions.get(emoji) ?? new Set();
    reactions.set(emoji, those);
    if (isRemoved) those.delete(person.id);
    else those.add(person.id);
    const channel = this.#channel(channelId);
    const guild = this.world.guilds.get(channel.guildId ?? '');
    const data = {
      user_id: person.id,
      channel_id: channelId,
      message_id: messageId,
      emoji: { id: null, name: emoji },
      ...guildOf(channel),
      ...(!isRemoved && { message_author_id: authorId }),
      ...(guild &&
        !isRemoved && { member: { ...this.#json.member(guild, person.id), user: this.#json.user(person.id) } }),
    };
    const sent = this.#tell(channel, isRemoved ? 'MESSAGE_REACTION_REMOVE' : 'MESSAGE_REACTION_ADD', data);
    return { id: messageId, sent };
  }

  /** A person presses the button with this label below a message of a bot. */
  presses(person: FakePerson, messageId: string, label: string): PersonAct {
    const message = this.#message(messageId);
    const rows = message.components as readonly { readonly components: readonly Json[] }[];
    const button = rows.flatMap((row) => row.components).find((each) => each.label === label);
    const bot = this.world.bots.get(message.authorId);
    if (!button || !bot) throw new Error(`There is no button "${label}" below the message ${messageId}.`);
    const data = { component_type: 2, custom_id: button.custom_id };
    return this.#interact(bot, person, this.#channel(message.channelId), {
      type: 3,
      data,
      message: this.#json.message(message),
    });
  }

  /** A person uses a native command of a bot. */
  uses(person: FakePerson, bot: FakeBot, channel: FakeChannel, name: string, args = ''): PersonAct {
    const options = args === '' ? [] : [{ type: 3, name: 'arguments', value: args }];
    return this.#interact(bot, person, channel, { type: 2, data: { id: this.world.newId(), type: 1, name, options } });
  }

  /** The texts of bots that people see in a channel, in order. */
  shown({ id }: { readonly id: string }): readonly string[] {
    return this.botMessages({ id }).map(({ content }) => content);
  }

  botMessages({ id }: { readonly id: string }): readonly FakeMessage[] {
    return this.world.messagesIn(id).filter(({ authorId }) => this.world.bots.has(authorId));
  }

  filesShown(channel: { readonly id: string }): readonly FakeFile[] {
    return this.botMessages(channel).flatMap(({ files }) => files);
  }

  /** The emoji with which a bot reacted to a message. */
  reactionsOf(bot: FakeBot, messageId: string): readonly string[] {
    return [...this.#message(messageId).reactions].filter(([, users]) => users.has(bot.id)).map(([emoji]) => emoji);
  }

  /** When a message was written, in milliseconds. */
  timeOf(messageId: string): number {
    return timeOfSnowflake(messageId);
  }

  isTyping({ id }: { readonly id: string }): boolean {
    return this.rest.typing.some(({ channelId, at }) => channelId === id && Date.now() - at < 10_000);
  }

  /** The names of the native commands that people are offered everywhere, or in one server. */
  commandsOf(bot: FakeBot, guild?: FakeGuild): readonly string[] {
    const commands = this.rest.commands.get(guild ? `${bot.applicationId}/${guild.id}` : bot.applicationId) ?? [];
    return commands.map(({ name }) => String(name));
  }

  fault(fault: DiscordFault, request?: FaultRequest): void {
    this.#faults.add(fault, request);
  }

  limitTo(limit: RouteLimit): void {
    this.rest.limit = limit;
  }

  /** The token is worth nothing from now on. */
  revoke(bot: FakeBot): void {
    bot.isRevoked = true;
    this.gateway.close(4004, bot.id);
  }

  /** Waits until it is so; looks again whenever something has changed. */
  async until(isSo: () => boolean, what: string, patienceMs = 45_000): Promise<void> {
    const end = Date.now() + patienceMs;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`It did not come true: ${what}.`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(wake, 20);
        const watchers = this.#watchers;
        function wake(): void {
          clearTimeout(timer);
          watchers.delete(wake);
          resolve();
        }
        watchers.add(wake);
      });
    }
  }

  #interact(bot: FakeBot, person: FakePerson, channel: FakeChannel, what: Json): PersonAct {
    const id = this.world.newId();
    const token = `token-of-${id}`;
    this.interactions.set(token, { id, at: Date.now(), answers: [] });
    const guild = this.world.guilds.get(channel.guildId ?? '');
    const user = this.#json.user(person.id);
    const who = guild ? { member: { ...this.#json.member(guild, person.id), user } } : { user };
    const sent = this.gateway.dispatch(bot, 'INTERACTION_CREATE', {
      id,
      token,
      application_id: bot.applicationId,
      version: 1,
      channel_id: channel.id,
      channel: this.#json.channel(channel, bot.id),
      ...guildOf(channel),
      ...who,
      ...what,
    });
    return { id, sent };
  }

  #answerInteraction(token: string, answer: InteractionAnswer): boolean {
    const interaction = this.interactions.get(token);
    if (!interaction) return false;
    const isFirst = interaction.answers.length === 0;
    if (isFirst && Date.now() - interaction.at > INTERACTION_MS) return false;
    interaction.answers.push(answer);
    this.#changed();
    return true;
  }

  #welcome(bot: FakeBot): readonly { readonly t: string; readonly d: unknown }[] {
    const guilds = [...this.world.guilds.values()].filter(({ members }) => members.has(bot.id));
    const ready = {
      v: 10,
      user: this.#json.user(bot.id),
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      application: { id: bot.applicationId, flags: 0 },
    };
    return [
      { t: 'READY', d: ready },
      ...guilds.map((guild) => ({ t: 'GUILD_CREATE', d: this.#json.wholeGuild(guild, bot.id) })),
    ];
  }

  #tellMessage(event: string, message: FakeMessage): readonly DispatchedEvent[] {
    return this.#tell(this.#channel(message.channelId), event, this.#json.message(message, { inEvent: true }));
  }

  #tell(channel: FakeChannel, event: string, data: Json): readonly DispatchedEvent[] {
    const sent = this.world.botsIn(channel).flatMap((bot) => this.gateway.dispatch(bot, event, data));
    this.#changed();
    return sent;
  }

  #message(id: string): FakeMessage {
    const message = this.world.messages.get(id);
    if (!message) throw new Error(`There is no message ${id}.`);
    return message;
  }

  #channel(id: string): FakeChannel {
    const channel = this.world.channels.get(id);
    if (!channel) throw new Error(`There is no channel ${id}.`);
    return channel;
  }

  #address(scheme: string, path: string): string {
    return `${scheme}://127.0.0.1:${this.#port}${path}`;
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function guildOf({ guildId }: FakeChannel): Json {
  return guildId === undefined ? {} : { guild_id: guildId };
}
