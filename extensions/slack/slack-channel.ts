// The channel to Slack: it gives each request to the account that its surface names. Everything about one account is in
// SlackBot.

import type { Access } from '../../src/channels/access.ts';
import type { Channel, ChannelPort, DeliveryGuarantee, OutboundPart, SendOutcome } from '../../src/channels/channel.ts';
import type {
  Accounts,
  ActionOutcome,
  Attachments,
  Buttons,
  Deletes,
  Directory,
  Drafts,
  Edits,
  History,
  Reactions,
  Threads,
} from '../../src/channels/channel-capabilities.ts';
import type { ExtensionParts } from '../../src/channels/channel-extension.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { closedRules, rulesFor } from './access.ts';
import type { SlackAccount } from './account.ts';
import { LONGEST_UPDATE, MOST_BUTTONS } from './outbound.ts';
import { SlackBot } from './slack-bot.ts';
import { CHANNEL_ID } from './surface.ts';

const DEFAULT_TEXT_LENGTH = 4_000;
const DEFAULT_FILE_BYTES = 20 * 1_048_576;
/** Slack allows about one change of a message a second. */
const DRAFT_EVERY_MS = 1_200;
/** How long parts wait for an account that Slack refuses. */
const FAILED_RETRY_MS = 300_000;

export class SlackChannel implements Channel {
  readonly id = CHANNEL_ID;
  readonly guarantee: DeliveryGuarantee = {
    level: 'exactly-once',
    because: 'a message carries the key of its part as metadata, and is looked for by it before it is sent again',
  };
  readonly rendersMarkdown = true;
  readonly maxTextLength: number;
  readonly access: Access;
  readonly threads: Threads;
  readonly reactions: Reactions;
  readonly edits: Edits;
  readonly deletes: Deletes;
  readonly buttons: Buttons = { maxButtons: MOST_BUTTONS };
  readonly history: History;
  readonly directory: Directory;
  readonly accounts: Accounts;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly #parts: ExtensionParts<SlackAccount>;
  readonly #bots = new Map<string, SlackBot>();
  #isOpen = false;

  constructor(parts: ExtensionParts<SlackAccount>) {
    const { accounts } = parts;
    this.#parts = parts;
    this.maxTextLength = lowest(
      accounts.map((each) => each.textChunkLimit),
      DEFAULT_TEXT_LENGTH,
    );
    const maxBytes = lowest(
      accounts.map((each) => each.maxFileBytes),
      DEFAULT_FILE_BYTES,
    );
    // Code that does not fit into one message comes as a file.
    this.attachments = { maxBytes, longCode: this.maxTextLength };
    this.access = { rulesFor: (inbound) => this.#rulesFor(inbound) };
    this.threads = {
      create: (request, signal) => this.#act(request.surface, ({ outbound }) => outbound.createThread(request, signal)),
    };
    this.reactions = {
      react: (reaction, signal) =>
        this.#act(reaction.surface, ({ outbound }) => outbound.react(reaction, signal), 'reactions'),
    };
    this.edits = {
      edit: (message, signal) =>
        this.#act(message.surface, ({ outbound }) => outbound.edit(message, signal), 'messages'),
    };
    this.deletes = {
      delete: (message, signal) =>
        this.#act(message.surface, ({ outbound }) => outbound.delete(message, signal), 'messages'),
    };
    this.history = {
      initialLimit: Math.max(0, ...accounts.map((each) => each.initialHistoryLimit)),
      readHistory: (request, signal) =>
        this.#act(request.surface, (bot) => bot.outbound.readHistory(request, bot.ownUserId, signal)),
    };
    this.directory = {
      listPeers: ({ accountId, query = '', limit }, signal) =>
        this.#act({ channel: CHANNEL_ID, accountId }, (bot) => bot.listPeers(query, limit, signal)),
    };
    this.accounts = { list: () => accounts.map((account) => this.#statusOf(account)) };
    this.drafts = {
      everyMs: DRAFT_EVERY_MS,
      maxTextLength: Math.min(this.maxTextLength, LONGEST_UPDATE),
      modeOf: (surface) => this.#draftModeOf(surface),
      show: (draft, signal) => this.#act(draft.surface, ({ outbound }) => outbound.showDraft(draft, signal)),
      find: (draft, signal) => this.#act(draft.surface, ({ outbound }) => outbound.findDraft(draft, signal)),
      withdraw: (draft, signal) => this.#act(draft.surface, ({ outbound }) => outbound.withdrawDraft(draft, signal)),
    };
  }

  async open(port: ChannelPort): Promise<void> {
    this.#isOpen = true;
    for (const account of this.#parts.accounts) {
      const bot = new SlackBot(account, this.#parts, port);
      this.#bots.set(account.accountId, bot);
      bot.open();
    }
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
    const bot = this.#botAt(part.surface);
    if (typeof bot === 'string') return { outcome: this.#isOpen ? 'failed' : 'retry', reason: bot };
    const { state, detail = '' } = bot.status();
    // The operator may mend it and start again before the part is too old.
    if (state === 'failed') return { outcome: 'retry', reason: detail, afterMs: FAILED_RETRY_MS };
    return bot.outbound.send(part, bot.port, signal);
  }

  async find(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined> {
    const bot = this.#botAt(part.surface);
    if (typeof bot === 'string') throw new Error(bot);
    return bot.outbound.find(part, signal);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#bots.values()].map((bot) => bot.close()));
  }

  async #act<Value>(
    surface: Pick<Surface, 'channel' | 'accountId'>,
    act: (bot: SlackBot) => Promise<ActionOutcome<Value>>,
    kind?: keyof SlackAccount['allows'],
  ): Promise<ActionOutcome<Value>> {
    const bot = this.#botAt(surface);
    if (typeof bot === 'string') return { outcome: this.#isOpen ? 'failed' : 'retry', reason: bot };
    if (kind && !bot.account.allows[kind]) {
      return {
        outcome: 'failed',
        reason: `The operator does not allow it: ${bot.account.path}.actions.${kind} is false.`,
      };
    }
    return act(bot);
  }

  /** The account of a surface, or a sentence that says why there is none. */
  #botAt({ channel, accountId }: Pick<Surface, 'channel' | 'accountId'>): SlackBot | string {
    if (channel !== CHANNEL_ID) return `This channel speaks to Slack and not to ${channel}.`;
    if (!this.#isOpen) return 'The channel to Slack is closed.';
    return this.#bots.get(accountId) ?? `There is no account ${accountId} of Slack.`;
  }

  #statusOf({ accountId }: SlackAccount): ReturnType<Accounts['list']>[number] {
    return this.#bots.get(accountId)?.status() ?? { accountId, state: 'stopped' };
  }

  #rulesFor(inbound: Parameters<Access['rulesFor']>[0]): ReturnType<Access['rulesFor']> {
    const { accountId, peer } = inbound.surface;
    const account = this.#accountOf(accountId);
    if (!account) return closedRules(inbound);
    return rulesFor(account, inbound, this.#bots.get(accountId)?.places.nameOf(peer.id));
  }

  /** Where the first part of an answer opens a thread, no draft can stand where that part will be. */
  #draftModeOf({ accountId, peer, threadId }: Surface): ReturnType<NonNullable<Drafts['modeOf']>> {
    const account = this.#accountOf(accountId);
    if (!account || (threadId === undefined && account.replyToMode[peer.kind] !== 'off')) return 'off';
    return account.streaming;
  }

  #accountOf(accountId: string): SlackAccount | undefined {
    return this.#parts.accounts.find((account) => account.accountId === accountId);
  }
}

function lowest(limits: readonly number[], otherwise: number): number {
  return limits.length === 0 ? otherwise : Math.min(...limits);
}
