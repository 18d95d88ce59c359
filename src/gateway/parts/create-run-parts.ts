// Builds what a run is handed besides the parts that draft its request: delivery, telling, storage and time limits.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CapturedRequest, RunParts } from '../../agent/run-parts.ts';
import { resolveAgentDefaults } from '../../config/agents.ts';
import { loopDetectionOf } from '../../config/loop-detection.ts';
import { ownershipOf } from '../../config/owners.ts';
import type { Config } from '../../config/schema.ts';
import { announceTimeoutMsOf } from '../../config/subagent-settings.ts';
import { policyVersionOf } from '../../config/tool-settings.ts';
import type { Say } from '../../protocol/log.ts';
import { captureRequest, readCapture } from '../../recorder/capture.ts';
import { isOwnersRun } from '../../sessions/session-visibility.ts';
import { TranscriptMemory } from '../../sessions/transcript-memory.ts';
import type { Store, Write } from '../../store/store.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { Records } from './create-records.ts';

export interface RunPartsOptions {
  readonly config: Config;
  readonly store: Store;
  readonly drafting: BuiltDraftParts;
  readonly records: Records;
  readonly delivery: GatewayDelivery;
  readonly plugins: Pick<GatewayPlugins, 'commands' | 'trustedPolicies'>;
  readonly noteEnd: RunParts['noteEnd'];
  readonly wakeLane: RunParts['wakeLane'];
  readonly isResumed: RunParts['isResumed'];
  readonly worked: RunParts['worked'];
  readonly spend: RunParts['spend'];
  /** Told of every capture when it is made, with the writes that store it. */
  readonly noteCapture?: ((request: CapturedRequest, writes: readonly Write[]) => void) | undefined;
  readonly sleep?: RunParts['sleep'] | undefined;
  readonly isClientGone: RunParts['isClientGone'];
  readonly now: () => number;
  readonly warn: Say;
}

const MINUTE_MS = 60_000;

export function createRunParts(options: RunPartsOptions): RunParts {
  const { config, store, drafting, records, delivery, now, warn } = options;
  return {
    ...drafting.parts,
    delivery,
    isOwner: (who) => isOwnersRun({ ...who, ...ownershipOf(config) }),
    approvals: {
      get ttlMs() {
        return (config.approvals?.ttlMinutes ?? 30) * MINUTE_MS;
      },
      get timeoutBehavior() {
        return config.approvals?.timeoutBehavior ?? 'deny';
      },
      policyVersionOf: (agentId) => policyVersionOf(config, agentId),
    },
    spend: options.spend,
    tell: records.teller.tell,
    noteEnd: options.noteEnd,
    wakeLane: options.wakeLane,
    capture: (request) => {
      const writes = captureRequest(request);
      options.noteCapture?.(request, writes);
      return writes;
    },
    readCapture: async (runId, call) => {
      const capture = await readCapture(store, runId, call);
      if (capture?.body === undefined) return undefined;
      const { provider, model, headers, body, images } = capture;
      return { provider, model, wire: { url: capture.url, headers, body, ...(images.length > 0 && { images }) } };
    },
    loops: (agentId) => loopDetectionOf(config, agentId),
    commands: options.plugins.commands,
    trustedPolicies: () => options.plugins.trustedPolicies(),
    warn,
    now,
    isClientGone: options.isClientGone,
    isResumed: options.isResumed,
    worked: options.worked,
    transcripts: new TranscriptMemory(store),
    sleep: options.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal })),
    settings: {
      get maxToolRounds() {
        return resolveAgentDefaults(config).maxToolRounds ?? 50;
      },
      get runTimeoutMs() {
        return (resolveAgentDefaults(config).timeoutSeconds ?? 600) * 1_000;
      },
      get announceTimeoutMs() {
        return announceTimeoutMsOf(config);
      },
      toolTimeoutMs: 120_000,
    },
  };
}
