// The state of the gateway, in numbers and sentences for an operator. It only reads and counts.

import type { Channel, DeliveryGuarantee } from '../../channels/channel.ts';
import type { AccountStatus } from '../../channels/channel-capabilities.ts';
import { type AgentIdentity, agentIdentityOf } from '../../config/agent-identity.ts';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Config } from '../../config/schema.ts';
import type { KeySource } from '../../config/secrets/list-key-sources.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { ActiveDebugLog } from '../../protocol/debug-log.ts';
import type { UnusedSetting } from '../../protocol/unused-setting.ts';
import { VERSION } from '../../protocol/version.ts';
import type { ScheduleStatus } from '../../schedule/schedule.ts';
import type { Store } from '../../store/store.ts';
import type { WaitingSetting } from '../settings/config-state.ts';
import type { RecordSize } from '../upkeep/record-sizes.ts';
import type { ShownNode } from './nodes.ts';

export interface GatewayStatus {
  readonly version: string;
  readonly url: string;
  readonly startedAt: number;
  readonly store: string;
  readonly stateDir: string;
  readonly agents: readonly AgentStatus[];
  readonly channels: readonly ChannelStatus[];
  readonly running: readonly { readonly sessionKey: string; readonly runId: string; readonly since: number }[];
  readonly waiting: number;
  /** The number of tool calls that wait for a person. */
  readonly approvals: number;
  readonly pairing: {
    /** The number of people on chat platforms who wait for the operator's answer. */
    readonly waiting: number;
    /** How many messages of people who may not talk were refused since the start. */
    readonly refused: number;
  };
  readonly outbox: { readonly queued: number; readonly failed: number };
  readonly deadLetters: { readonly in: number; readonly out: number };
  readonly sessions: number;
  readonly schedule: ScheduleStatus;
  /** Warnings for the operator: cut bootstrap files, a trajectory folder that cannot be written, a missing key. */
  readonly warnings: readonly string[];
  /** What the configuration says differently since the start, and what only a restart takes up. */
  readonly changedSinceStart: readonly WaitingSetting[];
  /** Settings of OpenClaw that were found and are not used, the most dangerous first. */
  readonly unused: readonly UnusedSetting[];
  /** From where each key and token comes, without its value. */
  readonly keys: readonly KeySource[];
  /** The debug logs that are on. */
  readonly debug: readonly ActiveDebugLog[];
  /** Whether trajectories are written, and where. */
  readonly trajectory: { readonly isOn: boolean; readonly dir: string };
  /** How much room the records take, and how fast they grow. */
  readonly records: readonly RecordSize[];
  /** The gateways that share the database; absent where the store is a file. */
  readonly nodes?: readonly ShownNode[] | undefined;
}

export interface AgentStatus extends AgentIdentity {
  readonly agentId: string;
  readonly isDefault: boolean;
  readonly workspaceDir: string;
  /** `provider/model`. */
  readonly model: string;
  readonly fallbacks: readonly string[];
}

export interface ChannelStatus {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  /** How each account is, on channels that say so. */
  readonly accounts?: readonly AccountStatus[] | undefined;
}

export interface StatusParts {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'running' | 'waiting'>;
  readonly jobs: { status(): Promise<ScheduleStatus> };
  readonly channels: () => readonly Pick<Channel, 'id' | 'guarantee' | 'maxTextLength' | 'accounts'>[];
  readonly agents: () => readonly AgentStatus[];
  readonly refused: () => number;
  readonly now: () => number;
  readonly warnings: () => readonly string[];
  readonly changedSinceStart: () => readonly WaitingSetting[];
  readonly unused: () => readonly UnusedSetting[];
  readonly keys: () => readonly KeySource[];
  readonly debug: () => readonly ActiveDebugLog[];
  readonly trajectory: GatewayStatus['trajectory'];
  readonly sizes: { read(asked?: { readonly kinds?: boolean }): Promise<readonly RecordSize[]> };
  /** Undefined while the gateway does not listen. */
  readonly url: () => string | undefined;
  readonly stateDir: string;
  readonly startedAt: number;
}

export async function readGatewayStatus(
  parts: StatusParts,
  { kinds = true }: { readonly kinds?: boolean } = {},
): Promise<GatewayStatus> {
  const { store, lanes, channels } = parts;
  const [waiting, approvals, pairings, queued, failed, deadIn, deadOut, sessions, schedule] = await Promise.all([
    lanes.waiting(),
    store.count('approvals', { status: 'waiting' }),
    store.count('pairings', { status: 'waiting', expiresAt: { gt: parts.now() } }),
    store.count('outbox', { status: 'queued' }),
    store.count('outbox', { status: { in: ['failed', 'dead'] } }),
    store.count('deadLetters', { direction: 'in' }),
    store.count('deadLetters', { direction: 'out' }),
    store.count('sessions', { endedAt: null }),
    parts.jobs.status(),
  ]);
  return {
    version: VERSION,
    url: parts.url() ?? '',
    startedAt: parts.startedAt,
    store: store.description,
    stateDir: parts.stateDir,
    agents: parts.agents(),
    channels: channels().map(({ id, guarantee, maxTextLength, accounts }) => ({
      id,
      guarantee,
      maxTextLength,
      ...(accounts && { accounts: accounts.list() }),
    })),
    running: lanes.running,
    waiting,
    approvals,
    pairing: { waiting: pairings, refused: parts.refused() },
    outbox: { queued, failed },
    deadLetters: { in: deadIn, out: deadOut },
    sessions,
    schedule,
    warnings: parts.warnings(),
    changedSinceStart: parts.changedSinceStart(),
    unused: parts.unused(),
    keys: parts.keys(),
    debug: parts.debug(),
    trajectory: parts.trajectory,
    records: await parts.sizes.read({ kinds }),
  };
}

/** The agents of a configuration, in the form that people are shown. */
export function listAgentStatuses(
  config: Config,
  workspaceDirOf: (agentId: string) => string,
  /** `provider/model`, first choice first. */
  modelsOf: (agentId: string) => readonly string[],
): readonly AgentStatus[] {
  return listAgentIds(config).map((agentId) => {
    const [model = 'none', ...fallbacks] = modelsOf(agentId);
    const isDefault = agentId === resolveDefaultAgentId(config);
    const identity = agentIdentityOf(config, agentId);
    return { agentId, ...identity, isDefault, workspaceDir: workspaceDirOf(agentId), model, fallbacks };
  });
}
