// The context that every hook of a run gets: from the trigger that started it, or from its row when the trigger is
// gone.

import type { ConversationHookContext } from '../hooks/hook-context.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { runTrace } from '../hooks/hook-trace.ts';
import type { Trigger } from '../protocol/session-type.ts';
import type { TriggerKind, TriggerPayload } from '../store/tables.ts';

export function runHookContext(run: {
  readonly runId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly workspaceDir: string;
  readonly agentId: string;
  readonly isRecovered: boolean;
  /** What the run resumes, if it resumes something; otherwise the kind of its trigger. */
  readonly kind: TriggerKind;
  /** Null when it was removed because a gate blocked it. */
  readonly payload: TriggerPayload | null;
}): ConversationHookContext {
  const { runId, sessionKey, sessionId, workspaceDir, agentId, isRecovered, kind, payload } = run;
  const known = { agentId, sessionKey, sessionId, runId, workspaceDir, trace: runTrace(runId) };
  const recovered = isRecovered ? { recovered: true } : {};
  if (!payload) return { ...known, ...recovered };
  const { surface, sender, messageId, replyToId } = payload.inbound;
  const about = { jobId: payload.jobId, trigger: TRIGGER_OF_KIND[kind], messageId, replyToId };
  return hookContextOf('conversation', { ...known, ...about, ...recovered, surface, sender });
}

export const TRIGGER_OF_KIND: Readonly<Record<TriggerKind, Trigger>> = {
  message: 'user',
  api: 'user',
  webhook: 'manual',
  cron: 'cron',
  heartbeat: 'heartbeat',
  spawn: 'spawn',
  completion: 'manual',
  approval: 'manual',
  wake: 'manual',
  client: 'manual',
  note: 'manual',
};
