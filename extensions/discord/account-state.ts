// How an account is, as the operator sees it. A limit that Discord has set is shown as long as it lasts, over what else
// is true; nothing is shown over a failure that only the operator can mend.

import type { AccountStatus } from '../../src/channels/channel-capabilities.ts';

export class AccountState {
  readonly #accountId: string;
  readonly #now: () => number;
  #status: Pick<AccountStatus, 'state' | 'detail' | 'nextStep' | 'since'>;
  #name: string | undefined;
  #limitedSince = 0;
  #limitedUntil = 0;

  constructor(accountId: string, now: () => number) {
    this.#accountId = accountId;
    this.#now = now;
    this.#status = { state: 'connecting', detail: 'The connection to Discord is being made.', since: now() };
  }

  get isFailed(): boolean {
    return this.#status.state === 'failed';
  }

  get isConnected(): boolean {
    return this.#status.state === 'connected';
  }

  named(name: string): void {
    this.#name = name;
  }

  become(state: AccountStatus['state'], detail?: string, nextStep?: string): void {
    const isSame = this.#status.state === state;
    this.#status = { state, detail, nextStep, since: isSame ? this.#status.since : this.#now() };
  }

  limitedFor(ms: number): void {
    const now = this.#now();
    if (this.#limitedUntil <= now) this.#limitedSince = now;
    this.#limitedUntil = Math.max(this.#limitedUntil, now + ms);
  }

  get status(): AccountStatus {
    const base = { accountId: this.#accountId, ...(this.#name !== undefined && { name: this.#name }) };
    const left = this.#limitedUntil - this.#now();
    const isOver = this.#status.state === 'failed' || this.#status.state === 'stopped';
    if (left <= 0 || isOver) return { ...base, ...this.#status };
    const detail = `Discord asks to wait another ${Math.ceil(left / 1_000)} s before more is sent; then it goes on.`;
    return { ...base, state: 'limited', detail, since: this.#limitedSince };
  }
}
