// The connection of one account: who the bot is, how its updates come, and what is done when Telegram does not answer. By
// fetching, the offset moves only behind updates that the gateway has stored; by webhook, an update is answered after
// that. A connection mends itself until the token is refused, and closes at once, also in the middle of a wait.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Update } from 'grammy/types';
import type { Api } from 'grammy/web';
import type { NativeCommand } from '../../src/channels/channel-extension.ts';
import { clip, oneLine } from '../../src/protocol/one-line.ts';
import { within } from '../../src/protocol/time-limit.ts';
import type { TelegramAccount } from './account.ts';
import type { AccountMemory } from './account-memory.ts';
import type { AccountState } from './account-state.ts';
import { type ApiFailure, readApiFailure } from './api-failure.ts';
import { type Pace, waitBefore } from './pace.ts';
import { UpdateIntake } from './update-intake.ts';
import type { WebhookListeners } from './webhook-listeners.ts';

export interface ConnectionParts {
  readonly account: TelegramAccount;
  readonly api: Api;
  readonly state: AccountState;
  readonly memory: AccountMemory;
  readonly listeners: WebhookListeners;
  readonly commands: () => readonly NativeCommand[];
  /** Resolves when the updates are stored. */
  readonly take: (updates: readonly Update[], signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
  readonly pace: Pace;
}

/** Telegram leaves reactions out unless they are named. */
const WANTED = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'callback_query',
  'message_reaction',
] as const;

const MOST_COMMANDS = 100;
const LONGEST_DESCRIPTION = 256;
const CLOSE_WITHIN_MS = 800;

/** grammY's own name for the type of a signal. */
type Signal = Parameters<Api['getMe']>[0];

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** The last trouble that was told, so that it is told once. */
  #told: string | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Begins, and does not wait for Telegram. */
  open(): void {
    this.#running ??= this.#run().catch((error) => {
      if (!this.#isClosing) this.#parts.warn(`The Telegram account ${this.#name} has stopped: ${oneLine(error)}`);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await within(CLOSE_WITHIN_MS, this.#running ?? Promise.resolve());
    this.#parts.state.stopped();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  get #name(): string {
    return this.#parts.account.accountId;
  }

  get #signal(): Signal {
    return this.#closing.signal as Signal;
  }

  async #run(): Promise<void> {
    const { account, api, memory, state } = this.#parts;
    await memory.load();
    const me = await this.#persist(() => api.getMe(this.#signal));
    if (!me) return;
    state.identified(me.username);
    void this.#offerCommands();
    if (account.webhook) await this.#listen(account.webhook);
    else await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { account, api, state, pace, warn } = this.#parts;
    if (!(await this.#persist(() => this.#removeOwnWebhook()))) return;
    const intake = this.#newIntake();
    const patience = Math.max(1, Math.min(pace.pollSeconds, account.timeoutSeconds - 5));
    let offset = 0;
    let troubles = 0;
    const ask = () => {
      // As long as it is not known whether Telegram answers, it is asked to answer at once.
      const timeout = state.isConnected ? patience : 0;
      return api.getUpdates({ offset, limit: 100, timeout, allowed_updates: WANTED }, this.#signal);
    };
    while (!this.#isClosing) {
      const updates = await this.#persist(ask);
      if (!updates) return;
      state.connected();
      this.#told = undefined;
      if (updates.length === 0) continue;
      const result = await intake.takeBatch(offset, updates);
      offset = result.offset;
      troubles = result.error === undefined ? 0 : troubles + 1;
      if (troubles === 1 && !this.#isClosing) {
        warn(`A Telegram update could not be stored and is fetched again: ${oneLine(result.error)}`);
      }
      const waitMs = troubles > 0 ? waitBefore(troubles, pace) : (result.waitMs ?? 0);
      if (waitMs > 0) await this.#wait(waitMs);
    }
  }

  async #listen(webhook: NonNullable<TelegramAccount['webhook']>): Promise<void> {
    const { api, state, memory, pace, listeners } = this.#parts;
    const intake = this.#newIntake();
    const take = (update: Update) => (this.#isClosing ? Promise.reject(new Error('closing')) : intake.takeOne(update));
    const undo = await this.#persist(
      () => listeners.add({ ...webhook, take }),
      (error) => this.#cannotListen(webhook, error),
    );
    if (!undo) return;
    const { url, secret: secret_token } = webhook;
    const set = () => api.setWebhook(url, { secret_token, allowed_updates: WANTED }, this.#signal);
    try {
      let isSet = await this.#persist(set);
      memory.noteWebhook(url);
      while (isSet && !this.#isClosing) {
        await this.#wait(state.status().state === 'connecting' ? 0 : pace.checkEveryMs);
        const info = await this.#persist(() => api.getWebhookInfo(this.#signal));
        if (!info) return;
        if (info.url !== url) isSet = await this.#persist(set);
        this.#judgeWebhook(webhook, info);
      }
    } finally {
      await undo();
    }
  }

  /** Telegram says whether it could deliver of late. */
  #judgeWebhook(
    { url, host, port }: NonNullable<TelegramAccount['webhook']>,
    info: {
      readonly last_error_date?: number;
      readonly last_error_message?: string;
      readonly pending_update_count: number;
    },
  ): void {
    const { state, now, pace } = this.#parts;
    const isRecent = (info.last_error_date ?? 0) * 1_000 > now() - 2 * pace.checkEveryMs;
    if (!isRecent || info.pending_update_count === 0) {
      this.#told = undefined;
      state.connected();
      return;
    }
    const words = oneLine(info.last_error_message ?? 'no answer', 200);
    state.tell({
      state: 'reconnecting',
      detail: `Telegram cannot deliver to the webhook: ${words}.`,
      nextStep: `Check that ${hostOf(url)} leads to ${host}:${port} of this machine.`,
    });
  }

  #cannotListen({ host, port }: NonNullable<TelegramAccount['webhook']>, error: unknown): void {
    const { state, account } = this.#parts;
    const { code } = error as { readonly code?: string };
    state.tell({
      state: 'reconnecting',
      detail: `The address ${host}:${port} cannot be listened at (${code ?? oneLine(error)}).`,
      nextStep: `Stop the other program there, or choose another port with ${account.path}.webhookPort.`,
    });
  }

  /** Only a webhook that this channel has set is taken away; another program's is a conflict that the operator decides. */
  async #removeOwnWebhook(): Promise<true> {
    const { api, memory } = this.#parts;
    const own = memory.webhook();
    if (own === undefined) return true;
    const { url } = await api.getWebhookInfo(this.#signal);
    if (url === own) await api.deleteWebhook({}, this.#signal);
    memory.noteWebhook('');
    return true;
  }

  async #offerCommands(): Promise<void> {
    const { account, api, commands, warn } = this.#parts;
    const own = account.showsCommands ? commands() : [];
    const all = [...own.map(({ name, description }) => ({ command: name, description })), ...account.customCommands];
    const valid = all.filter(
      ({ command }, index) =>
        /^[a-z0-9_]{1,32}$/.test(command) && all.findIndex((each) => each.command === command) === index,
    );
    const menu = valid.slice(0, MOST_COMMANDS).map(({ command, description }) => ({
      command,
      description: clip(oneLine(description) || command, LONGEST_DESCRIPTION),
    }));
    try {
      await api.setMyCommands(menu, {}, this.#signal);
    } catch (error) {
      if (this.#isClosing) return;
      warn(`The command menu of the Telegram account ${this.#name} could not be set: ${readApiFailure(error).words}.`);
    }
  }

  #newIntake(): UpdateIntake {
    const { account, take, now } = this.#parts;
    return new UpdateIntake({
      take: (updates) => {
        this.#closing.signal.throwIfAborted();
        return take(updates, this.#closing.signal);
      },
      now,
      albumWaitMs: account.albumWaitMs,
    });
  }

  /** Tries until it works. Undefined when the channel closes first, or when Telegram refuses for good. */
  async #persist<Value>(
    ask: () => Promise<Value>,
    cannot: (error: unknown) => void = (error) => this.#cannotReach(readApiFailure(error)),
  ): Promise<Value | undefined> {
    const { state, pace } = this.#parts;
    for (let attempt = 1; !this.#isClosing && !state.isFailed; attempt++) {
      try {
        return await ask();
      } catch (error) {
        if (this.#isClosing) return undefined;
        const failure = readApiFailure(error);
        cannot(error);
        if (failure.kind === 'revoked') return undefined;
        await this.#wait(failure.kind === 'limited' ? failure.afterMs : waitBefore(attempt, pace));
      }
    }
    return undefined;
  }

  #cannotReach(failure: ApiFailure): void {
    const { state, warn } = this.#parts;
    state.failed(failure);
    if (this.#told === failure.kind) return;
    this.#told = failure.kind;
    const { detail = '', nextStep } = state.status();
    warn(`Telegram, account ${this.#name}: ${[detail, nextStep].filter(Boolean).join(' ')}`);
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the address';
}
