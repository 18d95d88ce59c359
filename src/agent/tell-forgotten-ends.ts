// Ends of runs that nobody was told of before the process before this one died. They are told now, marked as recovered.

import type { RunParts } from './run-parts.ts';
import { tellAgentEnd } from './tell-agent-end.ts';

export async function tellForgottenEnds(parts: Pick<RunParts, 'hooks' | 'store'>): Promise<void> {
  const runs = await parts.store.select('runs', {
    where: { observed: false, status: { in: ['done', 'failed', 'stopped', 'blocked'] } },
  });
  for (const { runId, sessionKey, sessionId, agentId, status, outcome, startedAt, endedAt } of runs) {
    const durationMs = (endedAt ?? startedAt) - startedAt;
    const ended = { runId, sessionId: sessionId ?? '', status, error: outcome?.error, durationMs, recovered: true };
    await tellAgentEnd(parts, ended, { runId, sessionKey, sessionId: sessionId ?? undefined, agentId });
  }
}
