// The events and answers of hooks for sessions that begin, end, are compacted or have children. Field names are the
// plugin contract's and do not change.

import type { SessionEndReason } from '../protocol/live-event.ts';
import type { ConversationHookContext } from './hook-context.ts';
import type { HookMessage } from './hook-message.ts';

export interface SessionHooks {
  session_start: { event: SessionStartEvent; context: ConversationHookContext; result: undefined };
  session_end: { event: SessionEndEvent; context: ConversationHookContext; result: undefined };
  before_reset: { event: BeforeResetEvent; context: ConversationHookContext; result: undefined };
  before_compaction: { event: BeforeCompactionEvent; context: ConversationHookContext; result: undefined };
  after_compaction: { event: AfterCompactionEvent; context: ConversationHookContext; result: undefined };
  subagent_spawning: { event: SubagentSpawningEvent; context: SubagentHookContext; result: SubagentSpawningResult };
  subagent_spawned: { event: SubagentSpawnedEvent; context: SubagentHookContext; result: undefined };
  subagent_delivery_target: {
    event: SubagentDeliveryTargetEvent;
    context: SubagentHookContext;
    result: SubagentDeliveryTargetResult;
  };
  subagent_ended: { event: SubagentEndedEvent; context: SubagentHookContext; result: undefined };
}

export interface SessionStartEvent {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  /** The previous session of the same key; this very session when it goes on after a restart. */
  readonly resumedFrom?: string | undefined;
}

export interface SessionEndEvent {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly messageCount: number;
  readonly durationMs?: number | undefined;
  readonly reason?: SessionEndReason | undefined;
  readonly sessionFile?: string | undefined;
  readonly transcriptArchived?: boolean | undefined;
  readonly nextSessionId?: string | undefined;
  readonly nextSessionKey?: string | undefined;
}

export interface BeforeResetEvent {
  readonly sessionFile?: string | undefined;
  readonly messages?: readonly HookMessage[] | undefined;
  readonly reason?: string | undefined;
}

export interface BeforeCompactionEvent {
  readonly messageCount: number;
  readonly compactingCount?: number | undefined;
  readonly tokenCount?: number | undefined;
  readonly messages?: readonly HookMessage[] | undefined;
  readonly sessionFile?: string | undefined;
}

export interface AfterCompactionEvent {
  readonly messageCount: number;
  readonly tokenCount?: number | undefined;
  readonly compactedCount: number;
  readonly sessionFile?: string | undefined;
}

export interface SubagentHookContext extends ConversationHookContext {
  readonly childSessionKey?: string | undefined;
  readonly requesterSessionKey?: string | undefined;
}

/** Where a child's answers go, in the terms of a platform. */
export interface DeliveryOrigin {
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  readonly to?: string | undefined;
  readonly threadId?: string | undefined;
}

export interface SubagentSpawningEvent {
  readonly childSessionKey: string;
  readonly agentId: string;
  readonly label?: string | undefined;
  readonly mode: 'run' | 'session';
  readonly requester?: DeliveryOrigin | undefined;
  readonly threadRequested: boolean;
}

export interface SubagentSpawningResult {
  readonly status?: 'ok' | 'error' | undefined;
  readonly error?: string | undefined;
  readonly threadBindingReady?: boolean | undefined;
  readonly deliveryOrigin?: DeliveryOrigin | undefined;
}

export interface SubagentSpawnedEvent extends SubagentSpawningEvent {
  readonly runId: string;
}

export interface SubagentDeliveryTargetEvent {
  readonly childSessionKey: string;
  readonly requesterSessionKey: string;
  readonly requesterOrigin?: DeliveryOrigin | undefined;
  readonly childRunId?: string | undefined;
  readonly spawnMode?: 'run' | 'session' | undefined;
  readonly expectsCompletionMessage: boolean;
}

export interface SubagentDeliveryTargetResult {
  readonly origin?: DeliveryOrigin | undefined;
}

export interface SubagentEndedEvent {
  readonly targetSessionKey: string;
  readonly targetKind: 'subagent' | 'acp';
  readonly reason: string;
  readonly sendFarewell?: boolean | undefined;
  readonly accountId?: string | undefined;
  readonly runId?: string | undefined;
  readonly endedAt?: number | undefined;
  readonly outcome?: 'ok' | 'error' | 'timeout' | 'killed' | 'reset' | 'deleted' | undefined;
  readonly error?: string | undefined;
}
