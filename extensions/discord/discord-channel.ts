// The channel to Discord: one for all accounts. Each account has its own connection and its own state, and an account
// that cannot connect does not disturb the others. The channel only finds the account that something is for.

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
  Typing,
} from '../../src/channels/channel-capabilities.ts';
import type { ExtensionParts } from '../../src/channels/channel-extension.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { accessRulesFor } from './access.ts';
import type { DiscordAccount } from './account.ts';
import { AccountState } from './account-state.ts';
import { MOST_BUTTONS } from './buttons.ts';
import { listPeers } from './directory.ts';
import { readHistory } from './history.ts';
import { LiveAccount } from './live-account.ts';
import {
  deleteMessage,
  editMessage,
  findDraft,
  findPart,
  LONGEST_TEXT,
  react,
  sendPart,
  showDraft,
  showTyping,
  withdrawDraft,
} from './outbound.ts';
import { CHANNEL_ID } from './surface.ts';
import { createThread } from './threads.ts';

/** Discord shows the sign for ten seconds. */
const TYPING_MS = 8_000;
/** Discord allows five edits of a channel in five seconds, and answers share them. */
const DRAFT_MS = 1_200;
/** More code than two messages can hold is easier to read as a file. */
const LONG_CODE = 4_000;
const MOST_HISTORY = 1_000;
const CLOSED = 'The channel to Discord is closed.';

export class DiscordChannel implements Channel {
  readonly id = CHANNEL_ID;
  readonly guarantee: DeliveryGuarantee = {
    level: 'exactly-once',
    because:
      'Discord drops a nonce that it has seen in the last minutes, and later the channel looks for the message before it sends it again',
  };
  readonly rendersMarkdown = true;
  readonly maxTextLength: number;
  readonly access: Access;
  readonly threads: Threads;
  readonly reactions: Reactions;
  readonly edits: Edits;
  readonly deletes: Deletes;
  readonly buttons: Buttons = { maxButtons: MOST_BUTTONS };
  readonly typing: Typing;
  readonly history: History;
  readonly directory: Directory;
  readonly accounts: Accounts;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly #parts: ExtensionParts<DiscordAccount>;
  readonly #settings: ReadonlyMap<string, DiscordAccount>;
  readonly #states: ReadonlyMap<string, AccountState>;
  readonly #live = new Map<string, LiveAccount>();
  readonly #closing = new AbortController();
  #opening: readonly Promise<void>[] = [];

  constructor(parts: ExtensionParts<DiscordAccount>) {
    const { accounts, now } = parts;
    this.#parts = parts;
    this.#settings = new Map(accounts.map((account) => [account.accountId, account]));
    this.#states = new Map(accounts.map(({ accountId }) => [accountId, new AccountState(accountId, now)]));
    this.maxTextLength = Math.min(LONGEST_TEXT, ...accounts.map((account) => account.maxTextLength));
    const maxBytes = Math.min(...accounts.map(({ maxFileBytes }) => maxFileBytes), Number.MAX_SAFE_INTEGER);
    this.attachments = { maxBytes, longCode: LONG_CODE };
    this.access = {
      rulesFor: (inbound) => {
        const { accountId } = inbound.surface;
        const account = this.#settings.get(accountId);
        const nameOf = (id: string) => this.#live.get(accountId)?.places.known(id)?.name;
        return account ? accessRulesFor(account, inbound, nameOf) : noRules(inbound.surface);
      },
    };
    this.threads = {
      create: (request, signal) => this.#act(request.surface, (live) => createThread(live, request, signal), 'threads'),
    };
    this.reactions = {
      react: (reaction, signal) => this.#act(reaction.surface, (live) => react(live, reaction, signal), 'reactions'),
    };
    this.edits = {
      edit: (message, signal) => this.#act(message.surface, (live) => editMessage(live, message, signal), 'messages'),
    };
    this.deletes = {
      delete: (message, signal) =>
        this.#act(message.surface, (live) => deleteMessage(live, message, signal), 'messages'),
    };
    this.typing = {
      everyMs: TYPING_MS,
      show: (surface) => {
        const live = this.#live.get(surface.accountId);
        if (live) void showTyping(live, surface, this.#closing.signal);
      },
    };
    this.history = {
      // The contract has one bound for the whole channel, so that of the strictest account is taken.
      initialLimit: Math.min(...accounts.map(({ initialHistoryLimit }) => initialHistoryLimit), MOST_HISTORY),
      readHistory: (request, signal) => this.#act(request.surface, (live) => readHistory(live, request, signal)),
    };
    this.directory = {
      listPeers: (request, signal) =>
        this.#act({ accountId: request.accountId, channel: CHANNEL_ID }, (live) => listPeers(live, request, signal)),
    };
    this.accounts = { list: () => [...this.#states.values()].map(({ status }) => status) };
    this.drafts = {
      everyMs: DRAFT_MS,
      modeOf: ({ accountId }) => this.#settings.get(accountId)?.streaming ?? 'off',
      show: (draft, signal) => this.#act(draft.surface, (live) => showDraft(live, draft, signal)),
      find: (draft, signal) => this.#act(draft.surface, (live) => findDraft(live, draft, signal)),
      withdraw: (draft, signal) => this.#act(draft.surface, (live) => withdrawDraft(live, draft, signal)),
    };
  }

  async open(port: ChannelPort): Promise<void> {
    this.#opening = this.#parts.accounts.map((account) => this.#openAccount(account, port));
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
    const { channel, accountId } = part.surface;
    if (channel !== CHANNEL_ID || !this.#settings.has(accountId)) {
      return { outcome: 'failed', reason: `There is no account ${accountId} of ${channel} here.` };
    }
    const live = await this.#liveAccount(accountId);
    if (!live) return { outcome: 'retry', reason: CLOSED };
    return sendPart(live, part, signal);
  }

  async find(part: OutboundPart, signal: AbortSignal): Promise<JsonValue | undefined> {
    const live = await this.#liveAccount(part.surface.accountId);
    return live && findPart(live, part, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const live = [...this.#live.values()];
    this.#live.clear();
    await Promise.all(live.map((each) => each.close()));
    for (const state of this.#states.values()) if (!state.isFailed) state.become('stopped', CLOSED);
  }

  /** Never rejects: what goes wrong is the state of the account. */
  async #openAccount(account: DiscordAccount, port: ChannelPort): Promise<void> {
    const { accountId } = account;
    const state = this.#states.get(accountId);
    if (!state) return;
    try {
      const live = await LiveAccount.open(account, state, port, this.#parts);
      if (this.#closing.signal.aborted) return live.close();
      this.#live.set(accountId, live);
      void live.connect().catch((error: unknown) => this.#failed(state, error));
    } catch (error) {
      this.#failed(state, error);
    }
  }

  #failed(state: AccountState, error: unknown): void {
    const reason = error instanceof Error ? error.message : 'the reason is unknown';
    state.become('failed', `The account could not be opened: ${reason}`, 'Restart the gateway.');
  }

  /** Undefined before `open` and after `close`. */
  async #liveAccount(accountId: string): Promise<LiveAccount | undefined> {
    await Promise.all(this.#opening);
    return this.#live.get(accountId);
  }

  async #act<Value>(
    { channel, accountId }: Pick<Surface, 'channel' | 'accountId'>,
    action: (live: LiveAccount) => Promise<ActionOutcome<Value>>,
    /** The setting that can forbid it. */
    kind?: keyof DiscordAccount['allows'],
  ): Promise<ActionOutcome<Value>> {
    const account = this.#settings.get(accountId);
    if (channel !== CHANNEL_ID || !account) {
      return { outcome: 'failed', reason: `There is no account ${accountId} of ${channel} here.` };
    }
    if (kind && !account.allows[kind]) {
      return { outcome: 'failed', reason: `The operator does not allow it: ${account.path}.actions.${kind} is false.` };
    }
    const live = await this.#liveAccount(accountId);
    return live ? action(live) : { outcome: 'retry', reason: CLOSED };
  }
}

/** For an account that is not configured: no person. */
function noRules({ peer }: Surface): ReturnType<Access['rulesFor']> {
  const setting = 'channels.discord.accounts';
  const allowFrom = { entries: [], matchesNames: false };
  if (peer.kind === 'direct') return { kind: 'direct', policy: 'disabled', allowFrom, setting };
  return { kind: 'shared', policy: 'disabled', isListed: false, requireMention: true, setting };
}
