// Whose session it is and where, for hooks that fire without a run.

import type { HookContext } from '../hooks/hook-context.ts';
import { rootTrace } from '../hooks/hook-trace.ts';
import type { SessionRow } from '../store/tables.ts';

/** `what` names the occasion, so that each has a span of its own in the session's trace. */
export function sessionHookContext(session: SessionRow, workspaceDir: string, what: string): HookContext {
  const { sessionId, sessionKey, agentId, surface } = session;
  return {
    agentId,
    sessionKey,
    sessionId,
    workspaceDir,
    ...(surface
      ? {
          messageProvider: surface.channel,
          channelId: surface.peer.id,
          accountId: surface.accountId,
          conversationId: surface.peer.id,
          threadId: surface.threadId,
        }
      : {}),
    trace: rootTrace(sessionId, what),
  };
}
