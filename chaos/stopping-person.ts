// Somebody who stops subagents: those that would never end by themselves, and now and then one that works. They ask a
// gateway that may die over it, and look again.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildView } from '../src/protocol/child-view.ts';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { unlessDown } from './approving-person.ts';
import { isEndless } from './scripted-model.ts';

const PAUSE_MS = 50;
/** How many are stopped at each look: of those that never end, and of all others. */
const SHARE_OF_ENDLESS = 0.3;
const SHARE_OF_OTHERS = 0.02;

export class StoppingPerson {
  readonly #gateway: GatewayProcess;
  readonly #random: () => number;
  readonly #life: Promise<void>;
  #isDone = false;

  constructor(gateway: GatewayProcess, random: () => number) {
    this.#gateway = gateway;
    this.#random = random;
    this.#life = this.#live();
  }

  async close(): Promise<void> {
    this.#isDone = true;
    await this.#life;
  }

  async #live(): Promise<void> {
    for (; !this.#isDone; await sleep(PAUSE_MS)) await this.#stopSome().catch(unlessDown);
  }

  async #stopSome(): Promise<void> {
    const { subagents = [] } = await this.#gateway.json<{ subagents?: readonly ChildView[] }>(
      '/api/subagents?active=true&limit=100',
    );
    for (const { sessionKey, task, endedAt } of subagents.flatMap(withDescendants)) {
      const share = isEndless(task) ? SHARE_OF_ENDLESS : SHARE_OF_OTHERS;
      if (endedAt !== null || this.#random() >= share) continue;
      const stopped = await this.#gateway.fetch(`/api/subagents/${encodeURIComponent(sessionKey)}/kill`, { body: {} });
      await stopped.text();
    }
  }
}

function withDescendants(child: ChildView): readonly ChildView[] {
  return [child, ...child.children.flatMap(withDescendants)];
}
