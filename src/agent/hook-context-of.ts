// Who and where a run is, as every hook of it is told.

import type { HookContext } from '../hooks/hook-context.ts';
import { runTrace } from '../hooks/hook-trace.ts';
import type { Trigger } from '../protocol/session-type.ts';
import type { InboxRow, SessionRow, TriggerKind, TriggerPayload } from '../store/tables.ts';

export function hookContextOf(
  { inbound, agentId, jobId }: TriggerPayload,
  { runId, kind }: Pick<InboxRow, 'runId' | 'kind'>,
  { sessionKey, sessionId }: Pick<SessionRow, 'sessionKey' | 'sessionId'>,
  workspaceDir: string,
  attempt: number,
  isRecovered: boolean = attempt > 1,
): HookContext {
  const { surface, sender, messageId, replyToId } = inbound;
  return {
    agentId,
    sessionKey,
    sessionId,
    runId,
    jobId,
    workspaceDir,
    trigger: TRIGGER_OF_KIND[kind],
    messageProvider: surface.channel,
    channelId: surface.peer.id,
    accountId: surface.accountId,
    conversationId: surface.peer.id,
    threadId: surface.threadId,
    senderId: sender.id,
    messageId,
    replyToId,
    ...(isRecovered ? { recovered: true } : {}),
    trace: runTrace(runId),
  };
}

export const TRIGGER_OF_KIND: Readonly<Record<TriggerKind, Trigger>> = {
  message: 'user',
  api: 'user',
  cron: 'cron',
  heartbeat: 'heartbeat',
  spawn: 'spawn',
  completion: 'manual',
  approval: 'manual',
};
