// One account of Slack at work: its connection, what it hears and what it says. Accounts know nothing of each other.

import { setTimeout as sleep } from 'node:timers/promises';
import { BotLoops } from '../../src/channels/bot-loops.ts';
import type { ChannelPort } from '../../src/channels/channel.ts';
import type { AccountStatus, ActionOutcome, DirectoryEntry } from '../../src/channels/channel-capabilities.ts';
import type { ExtensionParts } from '../../src/channels/channel-extension.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { oneLine } from '../../src/protocol/one-line.ts';
import type { SlackAccount } from './account.ts';
import { SlackApi } from './api.ts';
import { type KnownPlace, SlackCatchUp } from './catch-up.ts';
import { SlackConnection } from './connection.ts';
import { ConversationQueues } from './conversation-queues.ts';
import { asActionOutcome, sentenceOf } from './failure.ts';
import { SlackFiles } from './files.ts';
import { type HeardEvent, type SlackEnvelope, type SlackIdentity, SlackInbound } from './inbound.ts';
import { SlackOutbound } from './outbound.ts';
import { SlackPeople, senderFrom } from './people.ts';
import { SlackPlaces } from './surface.ts';
import { SlackThreads } from './threads.ts';
import { Turnstile } from './turnstile.ts';

export type SlackBotParts = Omit<ExtensionParts<SlackAccount>, 'accounts'>;

/** How often a place is asked for what was missed, before that is given up. */
const CATCH_UP_TRIES = 5;
/** So many places are read at the same time. */
const CATCH_UP_READS = 4;
const LONGEST_WAIT_MS = 60_000;
/**
 * When an account comes from another node, that one may be frozen with a connection that Slack still hands events to. So long,
 * what was written before a message is read before it is stored, and after these pauses the places are read again.
 */
const OTHER_CONNECTION_MS = 120_000;
const LOOK_AGAIN_AFTER_MS = [5_000, 15_000, 30_000, 60_000];
/** Those that were spoken in last; more would use up what Slack lets an app read. */
const MOST_LOOKED_AT_AGAIN = 10;
const DIRECTORY_PAGE = 200;
const DIRECTORY_PAGES = 5;

export class SlackBot {
  readonly account: SlackAccount;
  readonly places: SlackPlaces;
  readonly outbound: SlackOutbound;
  readonly port: ChannelPort;
  readonly #parts: SlackBotParts;
  readonly #api: SlackApi;
  readonly #connection: SlackConnection;
  readonly #queues: ConversationQueues;
  readonly #catchUp: SlackCatchUp;
  readonly #people: SlackPeople;
  readonly #threads: SlackThreads;
  readonly #files: SlackFiles;
  readonly #reads = new Turnstile(CATCH_UP_READS);
  /** The places whose missed messages are being fetched. */
  readonly #catchingUp = new Set<string>();
  readonly #loops: BotLoops;
  #inbound: SlackInbound | undefined;
  #ownUserId = '';
  /** Until when a connection of another node may be handed events. */
  #sharedUntil = 0;
  readonly #closing: AbortSignal;
  #isClosed = false;

  constructor(account: SlackAccount, parts: SlackBotParts, port: ChannelPort) {
    const { accountId, botToken, apiRoot, maxFileBytes } = account;
    const { now, memory } = parts;
    const closing = new AbortController();
    const { signal } = closing;
    this.#closing = signal;
    const failed = (failure: Parameters<SlackConnection['note']>[0]) => this.#connection.note(failure);
    const api = new SlackApi({ token: botToken, apiRoot, closing: signal, failed, mayAct: parts.mayAct });
    this.account = account;
    this.port = port;
    this.#parts = parts;
    this.#api = api;
    this.places = new SlackPlaces(accountId, api);
    this.#people = new SlackPeople(api, now);
    this.#threads = new SlackThreads(api);
    this.#files = new SlackFiles({ api, token: botToken, apiRoot, maxBytes: maxFileBytes, closing: signal });
    this.#catchUp = new SlackCatchUp({ accountId, api, memory, now });
    this.#loops = new BotLoops(now, (conversation) =>
      parts.warn(
        `Another bot wrote too much in the conversation ${conversation} of Slack, and is left alone for a while.`,
      ),
    );
    this.#queues = new ConversationQueues({
      failed: (error) =>
        parts.warn(`A message of Slack could not be stored and is tried again: ${oneLine(error, 200)}`),
      backOffMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), 30_000) * (0.5 + Math.random() / 2),
    });
    this.outbound = new SlackOutbound({
      account,
      api,
      now,
      places: this.places,
      people: this.#people,
      threads: this.#threads,
      files: this.#files,
    });
    this.#connection = new SlackConnection({
      account,
      api,
      closing,
      now,
      warn: parts.warn,
      prepare: () => this.#catchUp.load(),
      connected: (identity) => this.#connected(identity),
      heard: (envelope, ack) => this.#heard(envelope, ack),
    });
  }

  get ownUserId(): string {
    return this.#ownUserId;
  }

  open(): void {
    this.#connection.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queues.close();
    await this.#connection.close();
    await this.#catchUp.flush();
  }

  status(): AccountStatus {
    return this.#connection.status();
  }

  /** The conversations that the bot is in, and the people of the workspace. */
  async listPeers(
    query: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<ActionOutcome<readonly DirectoryEntry[]>> {
    const types = 'public_channel,private_channel,mpim,im';
    const conversations = await this.#readAll('users.conversations', 'channels', { types }, signal);
    if ('outcome' in conversations) return conversations;
    const members = await this.#readAll('users.list', 'members', {}, signal);
    // Without the scope for it, the conversations are known all the same.
    const people = 'outcome' in members ? [] : members;
    const entries = new Map<string, DirectoryEntry>();
    for (const entry of [...conversations.map(conversationEntry), ...people.flatMap(personEntry)]) {
      const key = `${entry.peer.kind} ${entry.peer.id}`;
      const name = entries.get(key)?.name ?? entry.name;
      entries.set(key, { peer: entry.peer, ...(name !== undefined && { name }) });
    }
    const sought = query.toLowerCase();
    const found = [...entries.values()].filter(({ peer, name = '' }) =>
      [peer.id, name].some((each) => each.toLowerCase().includes(sought)),
    );
    return { outcome: 'done', value: found.slice(0, limit) };
  }

  async #readAll(
    method: string,
    name: string,
    args: JsonObject,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[] | Exclude<ActionOutcome<never>, { outcome: 'done' }>> {
    const wanted = { ...args, limit: DIRECTORY_PAGE };
    const answer = await this.#api.callPages(method, wanted, { pages: DIRECTORY_PAGES }, signal);
    if (!answer.ok) {
      const outcome = asActionOutcome<never>(answer.failure);
      return outcome.outcome === 'done' ? [] : outcome;
    }
    return answer.value.pages.flatMap((page) => {
      const list = page[name];
      return Array.isArray(list) ? list.filter(isJsonObject) : [];
    });
  }

  #connected(identity: SlackIdentity): void {
    const { account, port, places } = this;
    const { commands, now } = this.#parts;
    const parts = {
      account,
      places,
      commands,
      now,
      people: this.#people,
      threads: this.#threads,
      files: this.#files,
      loops: this.#loops,
    };
    const isFirst = this.#ownUserId === '';
    this.#ownUserId = identity.userId;
    this.#inbound = new SlackInbound(parts, this.#whileOpen(port), identity);
    // What was missed stands in each queue before what comes from now on.
    for (const place of this.#catchUp.places()) this.#catchUpLater(place);
    if (isFirst && this.#parts.mayAct) void this.#lookAgain();
  }

  /** Reads what Slack handed to a connection of another node. Never rejects. */
  async #lookAgain(): Promise<void> {
    this.#sharedUntil = this.#parts.now() + OTHER_CONNECTION_MS;
    for (const ms of LOOK_AGAIN_AFTER_MS) {
      await sleep(ms, undefined, { ref: false, signal: this.#closing }).catch(() => undefined);
      if (this.#isClosed) return;
      for (const place of this.#catchUp.places().slice(0, MOST_LOOKED_AT_AGAIN)) this.#catchUpLater(place);
    }
  }

  /** An event that is being read when the channel is closed reaches the gateway after the next start. */
  #whileOpen(port: ChannelPort): ChannelPort {
    const unlessClosed = <Value>(act: () => Promise<Value>) =>
      this.#isClosed ? Promise.reject(new Error('The channel is closed.')) : act();
    return {
      receive: (inbound) => unlessClosed(() => port.receive(inbound)),
      receiveChange: (change) => unlessClosed(() => port.receiveChange(change)),
      keep: (file) => unlessClosed(() => port.keep(file)),
      findUpload: (id) => port.findUpload(id),
      readAttachment: (hash) => port.readAttachment(hash),
    };
  }

  #heard(envelope: SlackEnvelope, ack: () => void): void {
    const event = this.#inbound?.read(envelope);
    if (!event) {
      ack();
      return;
    }
    if (this.#parts.now() < this.#sharedUntil) this.#readBefore(event);
    this.#queues.add(this.#noting(event), ack);
  }

  #readBefore({ conversation, seen, key }: HeardEvent): void {
    const place = this.#catchUp
      .places()
      .find((each) => each.conversation === conversation && each.threadId === seen?.threadId);
    // Another reading may be under way already, and have been answered before this message was written.
    if (seen && place && !this.#queues.isStored(key)) this.#catchUpLater(place, key);
  }

  /** After a message is stored, the reading goes on behind it. One that was read meanwhile is stored already. */
  #noting(event: HeardEvent): HeardEvent {
    const { seen, conversation, store } = event;
    if (!seen) return event;
    return {
      ...event,
      store: async () => {
        if (this.#queues.isStored(event.key)) return;
        await store();
        this.#catchUp.note(conversation, seen.threadId, seen.ts);
      },
    };
  }

  /** `before` is the message before which the place is read, if it is read for one. */
  #catchUpLater(place: KnownPlace, before = ''): void {
    const { conversation, threadId = '', since } = place;
    const name = `${conversation}/${threadId}/${before}`;
    // A connection that comes and goes must not ask for the same again and again.
    if (this.#catchingUp.has(name)) return;
    this.#catchingUp.add(name);
    let tries = 0;
    const store = async () => {
      tries += 1;
      const missed = await this.#reads.run(() => this.#catchUp.read(place));
      if (!missed.ok) {
        const { failure } = missed;
        const where = `in the conversation ${conversation} while it was not connected`;
        if (failure.kind !== 'refused' && tries < CATCH_UP_TRIES) {
          if (failure.kind === 'limited')
            await sleep(Math.min(failure.afterMs, LONGEST_WAIT_MS), undefined, { ref: false });
          throw new Error(sentenceOf(failure));
        }
        this.#catchingUp.delete(name);
        this.#parts.warn(`Slack did not tell what was written ${where}. ${sentenceOf(failure)}`);
        return;
      }
      if (!missed.value.isComplete) {
        this.#parts.warn(`More was written in ${conversation} while Slack was not connected than is read afterwards.`);
      }
      for (const message of missed.value.messages) {
        const event = this.#inbound?.readMessage(message);
        if (!event || this.#queues.isStored(event.key)) continue;
        await this.#noting(event).store();
        this.#queues.remember(event.key);
      }
      this.#catchingUp.delete(name);
    };
    this.#queues.add({ conversation, key: `catch-up:${name}:${since}:${this.#parts.now()}`, store });
  }
}

function conversationEntry({ id, name, is_im, is_mpim, user }: JsonObject): DirectoryEntry {
  if (is_im === true) return { peer: { kind: 'direct', id: String(user) } };
  const peer = { kind: is_mpim === true ? 'group' : 'channel', id: String(id) } as const;
  return { peer, ...(typeof name === 'string' && { name: oneLine(name, 80) }) };
}

function personEntry(user: JsonObject): readonly DirectoryEntry[] {
  const { id, is_bot, deleted } = user;
  if (typeof id !== 'string' || is_bot === true || deleted === true || id === 'USLACKBOT') return [];
  const { name } = senderFrom(id, user);
  return [{ peer: { kind: 'direct', id }, ...(name !== undefined && { name }) }];
}
