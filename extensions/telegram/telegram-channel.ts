// The channel of Telegram: all bots of the configuration behind one contract. Each account has its own connection, so one
// that cannot connect does not disturb the others. It only brings the parts together; what they do stands beside it.
//
// Telegram tells no bot what people delete, and cannot be asked what was said before: deletions go one way, and there is
// no history.

import { Api } from 'grammy/web';
import type { Access } from '../../src/channels/access.ts';
import type { Channel, ChannelPort, DeliveryGuarantee, OutboundPart, SendOutcome } from '../../src/channels/channel.ts';
import type {
  Accounts,
  ActionOutcome,
  Attachments,
  Buttons,
  Deletes,
  Directory,
  DirectoryEntry,
  DirectoryRequest,
  Drafts,
  Edits,
  Reactions,
  Threads,
  Typing,
} from '../../src/channels/channel-capabilities.ts';
import type { ExtensionParts } from '../../src/channels/channel-extension.ts';
import { requireAccount } from '../../src/channels/require-account.ts';
import type { Inbound, Surface } from '../../src/protocol/inbound.ts';
import { rulesFor } from './access.ts';
import type { TelegramAccount } from './account.ts';
import { AccountMemory } from './account-memory.ts';
import { AccountState } from './account-state.ts';
import { Connection } from './connection.ts';
import { KnownMessages } from './known-messages.ts';
import { LONGEST_TEXT, Outbound } from './outbound.ts';
import { type Pace, USUAL_PACE } from './pace.ts';
import { TELEGRAM } from './surface.ts';
import { takeUpdates } from './take-updates.ts';
import { WebhookListeners } from './webhook-listeners.ts';

/** The largest file that Telegram takes from a bot. */
const LARGEST_FILE = 50 * 1024 * 1024;

/** Code that is longer than this is easier to read in a file than in a message. */
const LONG_CODE = 3_000;

/** One account with everything that it needs. */
interface Bot {
  readonly account: TelegramAccount;
  readonly api: Api;
  readonly state: AccountState;
  readonly memory: AccountMemory;
  readonly known: KnownMessages;
  readonly outbound: Outbound;
  /** The forums that were seen, by the ids of their chats. */
  readonly forums: Set<string>;
  connection?: Connection | undefined;
}

export class TelegramChannel implements Channel {
  readonly id = TELEGRAM;
  readonly guarantee: DeliveryGuarantee = {
    level: 'at-least-once',
    because:
      'Telegram has neither a key that drops a second copy nor a way to look for the first, so a part whose answer got lost is sent again',
  };
  readonly rendersMarkdown = true;
  readonly maxTextLength: number;
  readonly access: Access;
  readonly threads: Threads;
  readonly reactions: Reactions;
  readonly edits: Edits;
  readonly deletes: Deletes;
  readonly buttons: Buttons = { maxButtons: 40 };
  readonly typing: Typing;
  readonly directory: Directory;
  readonly accounts: Accounts;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly #parts: ExtensionParts<TelegramAccount>;
  readonly #pace: Pace;
  readonly #bots: ReadonlyMap<string, Bot>;
  readonly #listeners = new WebhookListeners();
  #port: ChannelPort | undefined;

  constructor(parts: ExtensionParts<TelegramAccount>, pace: Pace = USUAL_PACE) {
    this.#parts = parts;
    this.#pace = pace;
    this.#bots = new Map(parts.accounts.map((account) => [account.accountId, this.#newBot(account)]));
    const { accounts } = parts;
    this.maxTextLength = Math.min(LONGEST_TEXT, ...accounts.map((account) => account.maxTextLength));
    this.attachments = {
      longCode: LONG_CODE,
      maxBytes: Math.min(LARGEST_FILE, ...accounts.map((account) => account.maxFileBytes)),
    };
    this.access = { rulesFor: (inbound) => this.#rulesFor(inbound) };
    this.threads = {
      create: (request, signal) => this.#on(request.surface, (bot) => bot.outbound.createThread(request, signal)),
    };
    this.reactions = {
      react: (reaction, signal) => this.#on(reaction.surface, (bot) => bot.outbound.react(reaction, signal)),
    };
    this.edits = { edit: (edit, signal) => this.#on(edit.surface, (bot) => bot.outbound.edit(edit, signal)) };
    this.deletes = {
      isOneWay: true,
      delete: (message, signal) => this.#on(message.surface, (bot) => bot.outbound.delete(message, signal)),
    };
    this.typing = { everyMs: 4_500, show: (surface) => this.#showTyping(surface) };
    this.directory = { listPeers: async (request) => this.#listPeers(request) };
    this.accounts = { list: () => [...this.#bots.values()].map(({ state }) => state.status()) };
    this.drafts = {
      everyMs: 1_000,
      modeOf: ({ accountId }) => this.#bots.get(accountId)?.account.streaming ?? 'off',
      show: (draft, signal) => this.#on(draft.surface, (bot) => bot.outbound.showDraft(draft, signal)),
      withdraw: (draft, signal) => this.#on(draft.surface, (bot) => bot.outbound.withdrawDraft(draft, signal)),
    };
  }

  async open(port: ChannelPort): Promise<void> {
    if (this.#port) return;
    this.#port = port;
    for (const bot of this.#bots.values()) {
      bot.connection = this.#connect(bot, port);
      bot.connection.open();
    }
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
    const { surface } = part;
    const bot = surface.channel === this.id ? this.#bots.get(surface.accountId) : undefined;
    if (!bot)
      return { outcome: 'failed', reason: `there is no account ${surface.accountId} of ${surface.channel} here` };
    if (!this.#port) return { outcome: 'retry', reason: 'the channel is closed' };
    if (bot.state.isFailed) return { outcome: 'retry', reason: bot.state.status().detail ?? 'the account has failed' };
    return bot.outbound.send(part, signal);
  }

  async close(): Promise<void> {
    this.#port = undefined;
    await Promise.all([...this.#bots.values()].map(({ connection }) => connection?.close()));
    await Promise.all([...this.#bots.values()].map(({ memory }) => memory.settled()));
  }

  #newBot(account: TelegramAccount): Bot {
    const { memory: kept, now, mayAct } = this.#parts;
    const { apiRoot, token, timeoutSeconds } = account;
    const api = new Api(token, { apiRoot, timeoutSeconds });
    api.config.use(async (request, ...call) => {
      requireAccount(mayAct);
      return request(...call);
    });
    const state = new AccountState(account, now);
    const memory = new AccountMemory(kept, account.accountId);
    const known = new KnownMessages();
    const readAttachment = async (hash: string) => this.#port?.readAttachment(hash);
    const outbound = new Outbound({ account, api, state, memory, known, now, readAttachment });
    return { account, api, state, memory, known, outbound, forums: new Set() };
  }

  #connect({ account, api, state, memory, known, forums }: Bot, port: ChannelPort): Connection {
    const { commands, now, warn } = this.#parts;
    return new Connection({
      account,
      api,
      state,
      memory,
      listeners: this.#listeners,
      commands,
      now,
      warn,
      pace: this.#pace,
      take: (updates, signal) => {
        for (const { message } of updates) {
          if (message?.chat.is_forum) forums.add(String(message.chat.id));
        }
        const names = new Set(commands().map(({ name }) => name));
        const context = { account, username: state.name ?? '', commands: names, known, memory, now };
        return takeUpdates(updates, { ...context, api, port, warn, signal });
      },
    });
  }

  async #on<Value>(
    { channel, accountId }: Surface,
    act: (bot: Bot) => Promise<ActionOutcome<Value>>,
  ): Promise<ActionOutcome<Value>> {
    const bot = channel === this.id ? this.#bots.get(accountId) : undefined;
    if (!bot) return { outcome: 'failed', reason: `there is no account ${accountId} of ${channel} here` };
    if (!this.#port) return { outcome: 'retry', reason: 'the channel is closed' };
    if (bot.state.isFailed) return { outcome: 'retry', reason: bot.state.status().detail ?? 'the account has failed' };
    return act(bot);
  }

  #rulesFor(inbound: Pick<Inbound, 'surface' | 'sender'>) {
    const bot = this.#bots.get(inbound.surface.accountId);
    if (bot) return rulesFor(bot.account, inbound, bot.memory.formerIds(inbound.surface.peer.id));
    const setting = 'channels.telegram.accounts';
    const allowFrom = { entries: [], matchesNames: false };
    if (inbound.surface.peer.kind === 'direct') {
      return { kind: 'direct' as const, policy: 'disabled' as const, allowFrom, setting };
    }
    return { kind: 'shared' as const, policy: 'disabled' as const, isListed: false, requireMention: true, setting };
  }

  #showTyping(surface: Surface): void {
    const bot = this.#port && this.#bots.get(surface.accountId);
    bot?.outbound.showTyping(surface, bot.forums.has(surface.peer.id));
  }

  /** Telegram does not list chats, so these are the ones that have written to the bot. */
  #listPeers({ accountId, query = '', limit }: DirectoryRequest): ActionOutcome<readonly DirectoryEntry[]> {
    const bot = this.#bots.get(accountId);
    if (!bot) return { outcome: 'failed', reason: `there is no account ${accountId} of ${this.id} here` };
    if (!this.#port) return { outcome: 'retry', reason: 'the channel is closed' };
    const words = query.toLowerCase();
    const found = bot.memory
      .chats()
      .filter(({ id, name }) => id.includes(words) || name.toLowerCase().includes(words))
      .map(({ id, kind, name }) => ({ peer: { kind, id }, name }));
    return { outcome: 'done', value: found.slice(0, limit) };
  }
}
