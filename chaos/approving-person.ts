// Somebody who answers what is asked, now and then, yes or no. Sometimes they do so while no gateway is there: then the
// answer goes straight into the store, as an earlier process would have left it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { withStoreOf } from '../src/testkit/with-store-of.ts';
import { answerApproval } from '../src/tools/approvals/answer-approval.ts';

const PAUSE_MS = 50;
/** Of those that wait, how many are answered at each look. */
const SHARE = 0.3;

export class ApprovingPerson {
  readonly #gateway: GatewayProcess;
  readonly #random: () => number;
  readonly #life: Promise<void>;
  #isDone = false;

  constructor(gateway: GatewayProcess, random: () => number) {
    this.#gateway = gateway;
    this.#random = random;
    this.#life = this.#live();
  }

  /** Only while no process has the store. */
  async answerInStore(): Promise<number> {
    return withStoreOf(this.#gateway.home, async (store) => {
      const waiting = await store.select('approvals', { where: { status: 'waiting' } });
      const chosen = waiting.filter(() => this.#random() < SHARE);
      for (const { id } of chosen) {
        await answerApproval(store, { id, decision: this.#decide(), by: 'somebody', now: Date.now() });
      }
      return chosen.length;
    });
  }

  async close(): Promise<void> {
    this.#isDone = true;
    await this.#life;
  }

  async #live(): Promise<void> {
    for (; !this.#isDone; await sleep(PAUSE_MS)) await this.#answerSome().catch(unlessDown);
  }

  async #answerSome(): Promise<void> {
    const { approvals } = await this.#gateway.json<{ approvals: { id: string }[] }>('/api/approvals');
    for (const { id } of approvals) {
      if (this.#random() < SHARE)
        await this.#gateway.fetch(`/api/approvals/${id}`, { body: { decision: this.#decide() } });
    }
  }

  #decide(): 'allow-once' | 'deny' {
    return this.#random() < 0.7 ? 'allow-once' : 'deny';
  }
}

/** A connection that broke, or an answer that was cut, says nothing about what was asked. */
export function unlessDown(error: unknown): undefined {
  if (error instanceof TypeError || error instanceof SyntaxError) return undefined;
  throw error;
}
