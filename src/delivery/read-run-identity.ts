// Finds the agent, session and sender of a run, for handlers that are called after the run is over and its context is
// gone. Data that a gate scrubbed or a person deleted is left out.

import type { HookContext } from '../hooks/hook-context.ts';
import { resolveAgentIdFromSessionKey } from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';
import type { OutboxRow } from '../store/tables.ts';

export async function readRunIdentity(
  store: Pick<Store, 'select'>,
  { runId, sessionKey }: Pick<OutboxRow, 'runId' | 'sessionKey'>,
): Promise<Pick<HookContext, 'agentId' | 'sessionId' | 'jobId' | 'senderId'>> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  const [trigger] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  return {
    agentId: resolveAgentIdFromSessionKey(sessionKey),
    sessionId: run?.sessionId ?? undefined,
    jobId: trigger?.payload?.jobId,
    senderId: trigger?.payload?.inbound.sender.id,
  };
}
