// One account between open and close: its connection, what it knows and what it has read. Every event of Discord goes
// through here: it is put into the order of its conversation, stored, and only then counted as read.

import { createHash } from 'node:crypto';
import type {
  APIInteraction,
  APIMessage,
  APIUser,
  GatewayDispatchPayload,
  GatewayReadyDispatchData,
} from '@discordjs/core';
import { BotLoops } from '../../src/channels/bot-loops.ts';
import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { ChannelPort } from '../../src/channels/channel.ts';
import type { ExtensionParts } from '../../src/channels/channel-extension.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import type { InboundChange } from '../../src/protocol/inbound-change.ts';
import { settingsFor } from './access.ts';
import type { DiscordAccount } from './account.ts';
import type { AccountState } from './account-state.ts';
import { AutoThreads } from './auto-threads.ts';
import { Buttons } from './buttons.ts';
import { beginningOf, catchUp, hasMissed, positionAt } from './catch-up.ts';
import { Connection } from './connection.ts';
import { Conversations } from './conversations.ts';
import { DiscordApi } from './discord-api.ts';
import { DiscordFailure } from './discord-failure.ts';
import { keepFiles } from './files.ts';
import { type InboundParts, type ReceivedMessage, readDelete, readEdit, readMessage, readReaction } from './inbound.ts';
import { earlyAnswer, finalAnswer, INTERACTION, readInteraction } from './interactions.ts';
import { registerCommands } from './native-commands.ts';
import { Places } from './places.ts';
import { Progress } from './progress.ts';
import { SentParts } from './sent-parts.ts';
import { ThreadKeys } from './thread-keys.ts';

type LivingParts = Omit<ExtensionParts<DiscordAccount>, 'accounts'>;

interface Job {
  readonly channelId: string;
  readonly run: () => Promise<void>;
  /** Set for messages, which the mark counts. */
  readonly messageId?: string | undefined;
}

/** Discord waits three seconds for the answer to a command or a press. */
const EARLY_ANSWER_MS = 2_000;
/** Servers that have not come after this time are in trouble, and come later. */
const GUILDS_MS = 20_000;

export class LiveAccount {
  readonly account: DiscordAccount;
  readonly port: ChannelPort;
  readonly api: DiscordApi;
  readonly places: Places;
  readonly progress: Progress;
  readonly sent: SentParts;
  readonly buttons: Buttons;
  readonly threadKeys: ThreadKeys;
  readonly autoThreads = new AutoThreads();
  /** The names of people, by their ids. */
  readonly people = new BoundedMap<string>(5_000);
  /** Messages that the bot itself deletes; the event about it is not a person's. */
  readonly ownDeletes = new BoundedMap<true>(1_000);
  readonly now: () => number;
  bot = { id: '', name: '' };
  readonly #parts: LivingParts;
  readonly #connection: Connection;
  readonly #conversations: Conversations;
  readonly #loops: BotLoops;
  readonly #authors = new BoundedMap<string>(5_000);
  /** The servers whose past is not read yet, and how many places are being read. */
  readonly #awaited = new Set<string>();
  #reading = 0;
  #beginning = '0';
  #guildTimer: NodeJS.Timeout | undefined;

  private constructor(
    account: DiscordAccount,
    api: DiscordApi,
    state: AccountState,
    port: ChannelPort,
    parts: LivingParts,
  ) {
    const { memory, now, warn } = parts;
    const { accountId, token, apiRoot, path } = account;
    this.account = account;
    this.port = port;
    this.api = api;
    this.now = now;
    this.#parts = parts;
    this.places = new Places(api);
    const owner = createHash('sha256').update(`${apiRoot} ${token}`).digest('hex').slice(0, 16);
    this.progress = new Progress(memory, accountId, owner);
    this.sent = new SentParts(memory, accountId);
    this.buttons = new Buttons(memory, accountId);
    this.threadKeys = new ThreadKeys(memory, accountId);
    this.#conversations = new Conversations((error, attempt) => {
      if (attempt === 1) warn(`An event of Discord could not be taken and is tried again: ${reasonOf(error)}`);
    });
    this.#loops = new BotLoops(now, (channelId) =>
      warn(`Another bot writes too much in the channel ${channelId} of Discord and is left alone for a while.`),
    );
    this.#connection = new Connection({
      api,
      token,
      accountId,
      path,
      state,
      progress: this.progress,
      now,
      warn,
      known: (user) => this.#known(user),
      began: (data) => this.#began(data),
      dispatched: (payload) => this.#dispatched(payload),
    });
  }

  static async open(
    account: DiscordAccount,
    state: AccountState,
    port: ChannelPort,
    parts: LivingParts,
  ): Promise<LiveAccount> {
    let live: LiveAccount | undefined;
    const { token, apiRoot } = account;
    const api = await DiscordApi.load({
      token,
      apiRoot,
      limited: (afterMs) => state.limitedFor(afterMs),
      mayAct: parts.mayAct,
      unauthorized: () => live?.unauthorized(),
    });
    live = new LiveAccount(account, api, state, port, parts);
    const { progress, sent, buttons, threadKeys } = live;
    await Promise.all([progress.load(), sent.load(), buttons.load(), threadKeys.load()]);
    return live;
  }

  connect(): Promise<void> {
    return this.#connection.open();
  }

  /** Discord said that the token is worth nothing. */
  unauthorized(): void {
    this.#connection.unauthorized();
  }

  /** Right after the start it has to be asked for. */
  async botId(): Promise<string> {
    if (this.bot.id === '') {
      const { id, username } = await this.api.me();
      this.bot = { id, name: username };
    }
    return this.bot.id;
  }

  /** Whether the answer to a message here opens a thread from it. */
  opensThreads({ peer }: Surface): boolean {
    const guildId = this.places.known(peer.id)?.guildId;
    const space = guildId === undefined ? undefined : { id: guildId, name: this.places.knownGuildName(guildId) };
    const { channel } = settingsFor(this.account, space, { peer }, (id) => this.places.known(id)?.name);
    return channel?.autoThread ?? this.account.autoThread;
  }

  async close(): Promise<void> {
    clearTimeout(this.#guildTimer);
    this.#conversations.close();
    await this.#connection.close();
    this.api.close();
    await Promise.all([this.progress, this.sent, this.buttons, this.threadKeys].map((each) => each.settled()));
  }

  get #inbound(): InboundParts {
    const { account, bot, places, autoThreads, port } = this;
    return {
      account,
      bot,
      places,
      autoThreads,
      keepFiles: (files) => keepFiles(files, account, port),
      rolesOf: (guildId, userId) => this.#rolesOf(guildId, userId),
      isLooping: (channelId, botId) =>
        account.botLoop !== undefined && !this.#loops.isHeard(botId, channelId, account.botLoop),
    };
  }

  #known({ id, username }: APIUser): void {
    this.bot = { id, name: username };
    void this.#offerCommands();
  }

  async #offerCommands(): Promise<void> {
    const { commands, memory, warn } = this.#parts;
    const { accountId, nativeCommands } = this.account;
    try {
      if (!nativeCommands.isOn) return;
      const { id } = await this.api.application();
      await registerCommands(this.api, id, commands(), nativeCommands, memory, accountId);
    } catch (error) {
      warn(`The commands of the account ${accountId} could not be offered on Discord: ${reasonOf(error)}`);
    }
  }

  /** A new session: what happened before it is read from the places that are known, and from servers as they come. */
  #began({ guilds }: GatewayReadyDispatchData): void {
    clearTimeout(this.#guildTimer);
    this.#awaited.clear();
    if (!this.progress.isBehind) return;
    this.#beginning = beginningOf(this.progress.mark ?? '0', this.now());
    for (const { id } of guilds) this.#awaited.add(id);
    this.#guildTimer = setTimeout(() => {
      this.#awaited.clear();
      this.#endCatchUp();
    }, GUILDS_MS).unref();
    for (const channelId of this.progress.dms) this.#catchUp(channelId);
    this.#endCatchUp();
  }

  #catchUp(channelId: string): void {
    this.#reading += 1;
    const session = this.progress.session?.sessionId;
    const position = positionAt(this.#beginning);
    const read = async (): Promise<void> => {
      const isWhole = await catchUp(this.api, channelId, position, (message) => this.#receive(message));
      if (!isWhole)
        this.#parts.warn(`More was written in the channel ${channelId} of Discord than is read after an absence.`);
    };
    void this.#conversations.run(channelId, read).then((isDone) => {
      this.#reading -= 1;
      if (isDone && session === this.progress.session?.sessionId) this.#endCatchUp();
    });
  }

  #endCatchUp(): void {
    if (this.#reading === 0 && this.#awaited.size === 0) this.progress.caughtUp();
  }

  #dispatched(payload: GatewayDispatchPayload): void {
    this.places.learnEvent(payload.t, payload.d, this.bot.id);
    if (payload.t === ('GUILD_CREATE' as string)) this.#guildCame(payload.d as GuildEvent);
    const { session } = this.progress;
    if (!this.progress.arrived(payload.s)) return;
    const job = this.#jobOf(payload);
    if (!job) {
      this.progress.stored(payload.s, session);
      return;
    }
    void this.#conversations.run(job.channelId, job.run).then((isDone) => {
      if (isDone) this.progress.stored(payload.s, session, job.messageId);
    });
  }

  #jobOf(payload: GatewayDispatchPayload): Job | undefined {
    const { d, s } = payload;
    const now = this.now();
    switch (payload.t as string) {
      case 'MESSAGE_CREATE': {
        const message = d as ReceivedMessage;
        if (message.guild_id === undefined) this.progress.sawDm(message.channel_id);
        return { channelId: message.channel_id, messageId: message.id, run: () => this.#receive(message) };
      }
      case 'MESSAGE_UPDATE': {
        const message = d as ReceivedMessage;
        return this.#change(message.channel_id, () => readEdit(message, this.#inbound));
      }
      case 'MESSAGE_DELETE': {
        const event = d as { id: string; channel_id: string; guild_id?: string };
        if (this.ownDeletes.delete(event.id)) return undefined;
        return this.#change(event.channel_id, () => readDelete(event, this.#authors.get(event.id), now, this.#inbound));
      }
      case 'MESSAGE_DELETE_BULK': {
        const { ids, channel_id, guild_id } = d as { ids: string[]; channel_id: string; guild_id?: string };
        const run = async (): Promise<void> => {
          for (const id of ids) {
            const change = await readDelete(
              { id, channel_id, ...(guild_id && { guild_id }) },
              this.#authors.get(id),
              now,
              this.#inbound,
            );
            if (change) await this.port.receiveChange(change);
          }
        };
        return { channelId: channel_id, run };
      }
      case 'MESSAGE_REACTION_ADD':
      case 'MESSAGE_REACTION_REMOVE': {
        const event = d as Parameters<typeof readReaction>[0];
        const isRemoved = payload.t === 'MESSAGE_REACTION_REMOVE';
        const eventName = `${this.progress.session?.sessionId}:${s}`;
        const read = () => {
          const facts = { eventName, isRemoved, isToBot: this.#isToBot(event), now };
          return readReaction(event, facts, this.#inbound);
        };
        return this.#change(event.channel_id, read);
      }
      case 'INTERACTION_CREATE':
        return this.#interaction(d as APIInteraction);
      default:
        return undefined;
    }
  }

  /** Discord names the author only when a reaction is added. */
  #isToBot(event: Parameters<typeof readReaction>[0]): boolean {
    const author = 'message_author_id' in event ? event.message_author_id : this.#authors.get(event.message_id);
    return author === this.bot.id || this.sent.isKnown(event.message_id);
  }

  #change(channelId: string, read: () => Promise<InboundChange | undefined>): Job {
    const run = async (): Promise<void> => {
      const change = await read();
      if (change) await this.port.receiveChange(change);
    };
    return { channelId, run };
  }

  async #receive(message: ReceivedMessage | APIMessage): Promise<void> {
    const { author, channel_id: channelId, nonce, id } = message;
    this.#authors.set(id, author.id);
    if (author.id === this.bot.id) {
      if (nonce !== undefined) this.sent.arrived(String(nonce), id);
      // Who writes in a thread has joined it.
      this.places.joined(channelId);
      return;
    }
    this.people.set(author.id, author.global_name ?? author.username);
    const inbound = await readMessage(message, this.#inbound);
    if (inbound) await this.port.receive(inbound);
  }

  /**
   * Discord is told "got it" when the message is stored. It waits three seconds for that and no longer: when the store
   * needs more time, the person is told that the bot is at it, and nothing is lost, because the event counts as read
   * only when it is stored.
   */
  #interaction(interaction: APIInteraction): Job | undefined {
    const isOurs = interaction.type === INTERACTION.command || interaction.type === INTERACTION.press;
    const channelId = interaction.channel?.id;
    if (!isOurs || channelId === undefined) return undefined;
    const { id, token, application_id: applicationId } = interaction;
    let wasEarly = false;
    const timer = setTimeout(() => {
      wasEarly = true;
      void this.api.answerInteraction(id, token, earlyAnswer(interaction)).catch(() => {});
    }, EARLY_ANSWER_MS).unref();
    const run = async (): Promise<void> => {
      const inbound = await readInteraction(interaction, this.buttons, this.#inbound);
      const outcome = inbound ? (await this.port.receive(inbound)).outcome : 'unknown';
      clearTimeout(timer);
      const answer = finalAnswer(interaction, inbound?.text, outcome);
      // An event that Discord repeats after a while can no longer be answered there; it was received all the same.
      if (!wasEarly) void this.api.answerInteraction(id, token, answer).catch(() => {});
      // For a press, this address is the message with the button, which stays as it is.
      else if (interaction.type === INTERACTION.command)
        void this.api.editInteractionAnswer(applicationId, token, answer.data ?? {}).catch(() => {});
    };
    return { channelId, run };
  }

  async #rolesOf(guildId: string, userId: string): Promise<readonly string[]> {
    try {
      return (await this.api.member(guildId, userId)).roles;
    } catch (error) {
      // Somebody who has left has no roles.
      if (error instanceof DiscordFailure && error.kind === 'refused') return [];
      throw error;
    }
  }

  /** The channels of a server bring along what was last written there. */
  #guildCame({ id, channels = [], threads = [], unavailable }: GuildEvent): void {
    if (!this.progress.isBehind || unavailable === true) return;
    for (const { id: channelId, last_message_id: last } of [...channels, ...threads]) {
      if (hasMissed(last ?? undefined, this.#beginning)) this.#catchUp(channelId);
    }
    this.#awaited.delete(id);
    this.#endCatchUp();
  }
}

interface GuildEvent {
  readonly id: string;
  readonly unavailable?: boolean | undefined;
  readonly channels?: readonly LastMessage[] | undefined;
  readonly threads?: readonly LastMessage[] | undefined;
}

interface LastMessage {
  readonly id: string;
  readonly last_message_id?: string | null | undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'the reason is unknown';
}
