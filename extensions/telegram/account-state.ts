// How one account is, as the operator sees it. Every state that needs one has a plain sentence, and a next step where
// only a person can help. No sentence contains a token.

import type { AccountStatus } from '../../src/channels/channel-capabilities.ts';
import type { TelegramAccount } from './account.ts';
import type { ApiFailure } from './api-failure.ts';

type Told = Pick<AccountStatus, 'state' | 'detail' | 'nextStep'>;

export class AccountState {
  readonly #account: TelegramAccount;
  readonly #now: () => number;
  #told: Told = { state: 'connecting' };
  #since: number;
  #name: string | undefined;
  #limitedUntil = 0;

  constructor(account: TelegramAccount, now: () => number) {
    this.#account = account;
    this.#now = now;
    this.#since = now();
  }

  /** The name of the bot on Telegram, without the `@`. */
  get name(): string | undefined {
    return this.#name;
  }

  status(): AccountStatus {
    const { accountId } = this.#account;
    const name = this.#name === undefined ? {} : { name: `@${this.#name}` };
    const about = { accountId, ...name, since: this.#since };
    if (this.isConnected && this.#limitedUntil > this.#now()) {
      const until = new Date(this.#limitedUntil).toISOString();
      return { ...about, state: 'limited', detail: `Telegram asked this bot to write less until ${until}.` };
    }
    return { ...about, ...this.#told };
  }

  /** True when Telegram answers, also while it asks to write less. */
  get isConnected(): boolean {
    return this.#told.state === 'connected';
  }

  /** True when the platform has refused for good, so that it is not asked any more. */
  get isFailed(): boolean {
    return this.#told.state === 'failed';
  }

  identified(username: string): void {
    this.#name = username;
  }

  connected(): void {
    if (!this.isFailed) this.tell({ state: 'connected' });
  }

  stopped(): void {
    this.tell({ state: 'stopped' });
  }

  /** Telegram asked to wait; until then other requests may work. */
  limited(afterMs: number): void {
    this.#limitedUntil = Math.max(this.#limitedUntil, this.#now() + afterMs);
  }

  /** What a request found out about the account as a whole. */
  failed(failure: ApiFailure): void {
    const { path } = this.#account;
    if (this.isFailed || this.#told.state === 'stopped') return;
    if (failure.kind === 'revoked') {
      this.tell({
        state: 'failed',
        detail: `Telegram does not accept the token of this bot (${failure.words}).`,
        nextStep: `Ask @BotFather for the current token with /token, and write it into ${path}.botToken.`,
      });
    }
    if (failure.kind === 'limited') {
      this.limited(failure.afterMs);
      const seconds = Math.ceil(failure.afterMs / 1_000);
      this.tell({ state: 'limited', detail: `Telegram asked to wait for ${seconds} s.` });
    }
    if (failure.kind === 'conflict') this.tell(conflict(failure.words, path));
    if (failure.kind === 'unreachable' || failure.kind === 'refused' || failure.kind === 'moved') {
      const state = this.#name === undefined ? 'connecting' : 'reconnecting';
      this.tell({ state, detail: `${failure.words}. The channel tries again.` });
    }
  }

  tell(told: Told): void {
    if (told.state !== this.#told.state) this.#since = this.#now();
    this.#told = told;
  }
}

function conflict(words: string, path: string): Told {
  if (/webhook/i.test(words)) {
    return {
      state: 'reconnecting',
      detail: 'The updates of this bot go to a webhook that another program has set.',
      nextStep: `Remove the webhook there (the method deleteWebhook of the Bot API), or use another bot in ${path}.botToken.`,
    };
  }
  return {
    state: 'reconnecting',
    detail: 'Another program fetches the updates of this bot.',
    nextStep: `Stop the other program, or use another bot in ${path}.botToken.`,
  };
}
