// The cluster of a gateway that is alone: it is always a member, has every duty, and has no other node to tell anything.

import type { Cluster, Member } from './cluster.ts';
import { NodeUnknownError } from './errors.ts';

export class SingleNode implements Cluster {
  readonly node: string;
  readonly memberId = null;
  readonly processId = null;
  readonly trouble = undefined;
  readonly clockAheadMs = 0;
  readonly isShared = false;
  readonly isCertain = true;
  readonly members: readonly Member[] = [];
  readonly #duties = new Map<AbortController, Promise<void>>();

  constructor(node: string) {
    this.node = node;
  }

  async whileMember(): Promise<void> {}

  isAlive(memberId: string | null): boolean {
    return memberId === null;
  }

  hasProcess(processId: string | null): boolean {
    return processId === null;
  }

  watchMembers(): () => void {
    return () => {};
  }

  publish(): void {}

  subscribe(): () => void {
    return () => {};
  }

  shareDuty(_name: string, work: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
    const controller = new AbortController();
    const done = work(controller.signal);
    this.#duties.set(controller, done);
    return async () => {
      controller.abort();
      await this.#duties.get(controller);
      this.#duties.delete(controller);
    };
  }

  holderOf(): undefined {
    return undefined;
  }

  async join(): Promise<void> {}

  async listensAt(): Promise<void> {}

  async hasWorkspaces(): Promise<void> {}

  async drain(): Promise<void> {}

  async drainNode(node: string): Promise<void> {
    throw new NodeUnknownError({ node });
  }

  async removeNode(node: string): Promise<void> {
    throw new NodeUnknownError({ node });
  }

  async leave(): Promise<void> {
    for (const controller of this.#duties.keys()) controller.abort();
    await Promise.allSettled(this.#duties.values());
    this.#duties.clear();
  }
}
