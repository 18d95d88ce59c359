// Ends of runs that nobody was told of before the process before this one died. They are told now, marked as recovered.

import type { ConversationHookContext } from '../hooks/hook-context.ts';
import type { RunRow } from '../store/tables.ts';
import { runHookContext } from './run-hook-context.ts';
import type { RunParts } from './run-parts.ts';
import { tellAgentEnd } from './tell-agent-end.ts';

type TellParts = Pick<RunParts, 'tell' | 'store' | 'context'>;

export async function tellForgottenEnds(parts: TellParts): Promise<void> {
  const runs = await parts.store.select('runs', {
    where: { observed: false, status: { in: ['done', 'failed', 'stopped', 'blocked'] } },
  });
  for (const run of runs) {
    const { runId, sessionId, status, outcome, startedAt, endedAt } = run;
    const durationMs = (endedAt ?? startedAt) - startedAt;
    const ended = { runId, sessionId: sessionId ?? '', status, error: outcome?.error, durationMs, recovered: true };
    await tellAgentEnd(parts, ended, await contextOf(parts, run));
  }
}

/** What came in is known as long as it is kept; of a run that was blocked it is not. */
async function contextOf({ store, context }: TellParts, run: RunRow): Promise<ConversationHookContext> {
  const { runId, sessionKey, agentId, sessionId, outcome } = run;
  const [trigger] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
  const { payload = null, kind = 'message' } = trigger ?? {};
  return {
    ...runHookContext({
      runId,
      sessionKey,
      sessionId: sessionId ?? '',
      agentId,
      workspaceDir: context.workspaceDirOf(agentId),
      isRecovered: true,
      kind: payload?.resumes ?? kind,
      payload,
    }),
    ...(outcome?.model === undefined ? {} : { modelProviderId: outcome.provider, modelId: outcome.model }),
  };
}
