// The Cluster contract: which nodes share one store, and what they tell each other. A gateway whose store is a file is the
// only node of its cluster (`single-node.ts`); on Postgres there may be several.
//
// Errors: `join` rejects with NodeNameTakenError when another process is the member of that name, and with the errors of
// a store when there is no connection. `drainNode` and `removeNode` reject with NodeUnknownError and with the errors of a store, and `whileMember`
// with the reason of its signal. Nothing else rejects or throws: what cannot be told or taken now is tried again.
// Rules: a node is a member as long as its lease holds, and a member renews its lease all the time. A node that does not
// (it died, it was frozen, or it cannot reach the database) is expelled by the others in less than two seconds. Before they learn
// of it, its last commit is made or has failed, and every later one fails with NodeExpelledError; so the others may take
// over what it had. A node that finds itself expelled joins again by itself, as a new member with another id.
// A message is a hint. It may be lost when a connection breaks, and then the listener must find out from rows: so every
// listener also looks by itself from time to time. Messages of one node arrive in the order in which they were published,
// and a node does not get its own.
// A duty is held by at most one member at a time. When that member leaves or is expelled, another one takes it.
// When it fires: listeners to members are called after a node has joined or is gone; duties are taken up after `join`.

import type { JsonValue } from '../protocol/json.ts';

export interface Cluster {
  /** The name of this node, as the operator chose it. */
  readonly node: string;
  /**
   * The id of this membership, which no other membership ever had: rows name it as the owner of what they describe. Null
   * for a single node, which owns everything, and for a node that is not a member at the moment.
   */
  readonly memberId: string | null;
  /**
   * The id of the first membership of this process. It stays the same when the node is expelled and joins again, so rows name by it who
   * waits at this process. Null for a single node.
   */
  readonly processId: string | null;
  /** Why the database could not be reached at the last try; undefined when it could. */
  readonly trouble: string | undefined;
  /** So far the clock of this node was ahead of the database's at the last look; negative when it is behind. */
  readonly clockAheadMs: number;
  /** False for a gateway that is alone and stays so. */
  readonly isShared: boolean;
  /** Whether this node is a member and has renewed its lease in time, so that no other node can have expelled it. */
  readonly isCertain: boolean;
  /** Resolves while this node is a member; waits until it is one again. Code that is about to send something waits for it. */
  whileMember(signal?: AbortSignal): Promise<void>;
  /** All members as they were known at the last look, this node among them. */
  readonly members: readonly Member[];
  /** Whether what this member owned may not be taken over. Null is the id of a single node, which is always alive to itself. */
  isAlive(memberId: string | null): boolean;
  /** Whether the process of this id is a member, under whatever id it is one now. */
  hasProcess(processId: string | null): boolean;
  /** Called when a node has joined or is gone, this one included. Returns the function that unsubscribes. */
  watchMembers(listener: (change: MemberChange) => void): () => void;

  /** Tells the other nodes. Messages that are published quickly one after the other travel together. */
  publish(topic: ClusterTopic, message: JsonValue): void;
  /** Returns the function that unsubscribes. A listener must not throw. */
  subscribe(topic: ClusterTopic, listener: (message: JsonValue, from: Member['id']) => void): () => void;

  /**
   * Takes part in a duty that one node does for all. Duties are spread over the nodes that take part in them; one that has
   * more than others for some seconds gives some of them up. `work` is called when this node has the duty, with a signal
   * that is aborted when it loses it or gives it up; what it returns is awaited before the duty is given up. When it was
   * lost, the reason of the signal is DUTY_LOST: another node may have it already. Returns the function that leaves it.
   */
  shareDuty(name: string, work: (signal: AbortSignal) => Promise<void>): () => Promise<void>;
  /** The member that has this duty, as it was known at the last look. */
  holderOf(duty: string): Member | undefined;

  join(): Promise<void>;
  /** Tells the others where the API of this node is, once it listens. */
  listensAt(url: string): Promise<void>;
  /** Tells the others which workspaces this node has. */
  hasWorkspaces(ids: WorkspaceIds): Promise<void>;
  /** From now on this node takes no new work; what it has goes on. Its duties pass to others. */
  drain(): Promise<void>;
  leave(): Promise<void>;
  /** Lets a node of this name drain, this one or another. */
  drainNode(node: string): Promise<void>;
  /** Expels a node of this name although it may live. Its work passes to others; when it lives, it joins again by itself. */
  removeNode(node: string): Promise<void>;
}

/** Why the signal of a duty was aborted, when it was not given up. */
export const DUTY_LOST = 'this node has lost the duty';

export interface Member {
  readonly id: string;
  readonly node: string;
  /** The id of the first membership of its process. */
  readonly process: string;
  /** The address of its API for the other nodes and for people; null until it listens. */
  readonly url: string | null;
  readonly version: string;
  readonly joinedAt: number;
  readonly status: 'up' | 'draining';
  /** By agent, the id that the node has found in the workspace; equal ids mean one shared folder. Empty until it has looked. */
  readonly workspaces: WorkspaceIds;
}

export type WorkspaceIds = Readonly<Record<string, string>>;

export interface MemberChange {
  readonly change: 'joined' | 'left' | 'expelled' | 'draining';
  readonly member: Member;
}

/** What nodes tell each other. One word for each kind of message. */
export const CLUSTER_TOPICS = [
  'live-event',
  'lane',
  'outbox',
  'channel',
  'config',
  'plugin',
  'change',
  'debug',
  'trace',
] as const;
export type ClusterTopic = (typeof CLUSTER_TOPICS)[number];
