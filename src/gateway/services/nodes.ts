// The gateways that share the store, as they are shown, and what an operator does with them. A gateway whose store is a file is the only
// one, and is shown as such.
// Errors: `drain` and `remove` reject as the cluster does; `whileMember` as it says.

import type { Cluster, Member } from '../../cluster/cluster.ts';
import type { Config } from '../../config/schema.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { VERSION } from '../../protocol/version.ts';
import { NodeExpelledError } from '../../store/errors.ts';
import { type WorkspacePlace, workspacePlaces } from './workspace-places.ts';

export interface ShownNode extends Omit<Member, 'id' | 'process' | 'status' | 'workspaces'> {
  /** `silent`: it does not renew its lease, and no other node is there that would expel it. */
  readonly status: Member['status'] | 'silent';
  /** The id of its membership; null for a gateway that is alone. */
  readonly id: string | null;
  /** The node that answers. */
  readonly isHere: boolean;
}

/** What this node is to the others. Without a cluster it is always a member. */
export interface Membership {
  readonly node: string;
  readonly member: string | null;
  readonly status: 'member' | 'draining' | 'not-a-member';
}

export interface NodeParts {
  readonly cluster: Cluster;
  readonly config: Config;
  readonly url: () => string | undefined;
  readonly startedAt: number;
  /** The name of the store in error sentences. */
  readonly store: string;
}

/** As long as a commit waits for a database. */
const WAIT_MS = 10_000;

export class Nodes {
  readonly #parts: NodeParts;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  async list(): Promise<readonly ShownNode[]> {
    const { cluster, url, startedAt } = this.#parts;
    if (!cluster.isShared) {
      const { node } = cluster;
      const alone = { id: null, node, url: url() ?? null, version: VERSION, joinedAt: startedAt };
      return [{ ...alone, status: 'up', isHere: true }];
    }
    return cluster.members.map(({ workspaces: _, process: __, ...member }) => ({
      ...member,
      isHere: member.id === cluster.memberId,
    }));
  }

  /** Where the workspace of each agent is. */
  async workspaces(): Promise<readonly WorkspacePlace[]> {
    const { cluster, config } = this.#parts;
    return cluster.isShared ? workspacePlaces(config, cluster.members) : [];
  }

  membership(): Membership | undefined {
    const { cluster } = this.#parts;
    if (!cluster.isShared) return undefined;
    const { node, memberId: member } = cluster;
    if (!cluster.isCertain) return { node, member, status: 'not-a-member' };
    const isDraining = cluster.members.some(({ id, status }) => id === member && status === 'draining');
    return { node, member, status: isDraining ? 'draining' : 'member' };
  }

  /** Says that the database cannot be reached, while this node is no member because of that. */
  problem(): string | undefined {
    const { cluster, store } = this.#parts;
    const { trouble } = cluster;
    return cluster.isCertain || trouble === undefined ? undefined : new NodeExpelledError({ store, trouble }).message;
  }

  /**
   * Waits until this node is a member, as long as requests wait for a server. Rejects with NodeExpelledError when it is none by then, and with the
   * reason of the signal when the client has left.
   */
  async whileMember(signal: AbortSignal): Promise<void> {
    const { cluster, store } = this.#parts;
    if (cluster.isCertain) return;
    const limit = timeLimit(WAIT_MS, () => new NodeExpelledError({ store, trouble: cluster.trouble }), signal);
    try {
      await cluster.whileMember(limit.signal);
    } finally {
      limit.clear();
    }
  }

  async drain(node: string): Promise<void> {
    await this.#parts.cluster.drainNode(node);
  }

  async remove(node: string): Promise<void> {
    await this.#parts.cluster.removeNode(node);
  }
}
