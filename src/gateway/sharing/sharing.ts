// The Sharing contract: what a gateway has to do with others that share its store. One that has its store alone
// (`alone.ts`) asks and tells nobody, and does at its start what earlier processes have left. One of several nodes
// (`shared.ts`) tells the others, hears them, and does its part of what one node does for all. Whoever builds the parts of a
// gateway asks this contract and does not know which of the two it has.

import type { RunParts } from '../../agent/run-parts.ts';
import type { Channel } from '../../channels/channel.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { SharedOutbox, SharedOutboxParts } from '../../delivery/shared-outbox.ts';
import type { Store } from '../../store/store.ts';
import type { GatewayPart } from '../gateway-part.ts';
import type { AskedTrace, TraceLine } from '../services/read-trace.ts';
import type { Chore } from './chores.ts';
import type { EndedRuns } from './ended-runs.ts';
import type { SharedConfigParts } from './shared-config.ts';
import type { SharedDebugParts } from './shared-debug.ts';
import type { SharedEventsParts } from './shared-events.ts';
import type { SharedPlatformParts } from './shared-platform.ts';
import type { SharedTracesParts } from './shared-traces.ts';

export interface Sharing {
  readonly cluster: Cluster;
  /** The name of this node; undefined when there is no other, so that nothing need say where it is. */
  readonly node: string | undefined;
  /** Whether this node does now what one node does for all. */
  readonly isMine: () => boolean;
  /** Whether the client that waits for a run is gone. */
  readonly isClientGone: RunParts['isClientGone'];
  /** Tells the other nodes; undefined when there is none, so that nothing is gathered for them. */
  readonly tellOthers: Cluster['publish'] | undefined;
  /** How often rows are looked at that another node may have written; undefined when no other writes them. */
  lookEveryMs(ms: number): number | undefined;
  /** Work that a process which has its store alone does at its start, because all that is unfinished was left by dead processes. */
  atStart(work: () => unknown): GatewayPart['open'];
  /**
   * Does work that a client has asked for. When a commit of it fails because this node was expelled meanwhile, it is done again as soon as
   * the node is a member again, as long as requests wait for that. So the work must be one that may be done again.
   */
  again<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Which rows of the outbox this node sends; undefined when it sends all. */
  shareOutbox(parts: Omit<SharedOutboxParts, 'cluster'>): SharedOutbox | undefined;
  /** Looks for the ends of runs whose events may be lost; undefined when none is. */
  watchEnds(store: Pick<Store, 'select'>): EndedRuns | undefined;
  /** The channel of a chat platform. Of several nodes, one connects each account. */
  openPlatform(parts: Omit<SharedPlatformParts, 'cluster'>): Channel;
  /** Tells the other nodes what happens, is set and is switched here, and hears them. */
  connect(parts: ConnectedParts): Connection;
}

export type ConnectedParts = Omit<
  SharedConfigParts & SharedEventsParts & SharedDebugParts & Pick<SharedTracesParts, 'cluster' | 'readTrace'>,
  'cluster'
>;

export interface Connection {
  readonly settings: SharedSettings;
  readonly traces: Traces;
  /** Opened behind the live events. */
  readonly events: readonly GatewayPart[];
  /** Opened behind everything else; the chores are what one node does for all. */
  listParts(chores: () => readonly Chore[]): readonly GatewayPart[];
}

export interface SharedSettings {
  /** The configuration was read again. */
  wasRead(): void;
  /** An operator has loaded a plugin again at this node, or all of them. */
  pluginReloaded(id: string | undefined): void;
  /** Says which other nodes have other settings. */
  readonly warnings: readonly string[];
}

/** What the trajectories of other nodes have about a run. */
export interface Traces {
  /** `owner` is the member that has or had the run. Never rejects. */
  ask(asked: AskedTrace, owner: string | null): Promise<FoundTraces>;
}

export interface FoundTraces {
  readonly lines: readonly TraceLine[];
  /** One sentence for each node whose part is not there. */
  readonly missing: readonly string[];
}
