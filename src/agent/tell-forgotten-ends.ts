// Tells the ends of runs that an earlier process committed but did not tell before it died. They are marked as
// recovered.

import type { ConversationHookContext } from '../hooks/hook-context.ts';
import type { RunRow } from '../store/tables.ts';
import { runHookContext } from './run-hook-context.ts';
import type { RunParts } from './run-parts.ts';
import { tellAgentEnd } from './tell-agent-end.ts';

type TellParts = Pick<RunParts, 'tell' | 'store' | 'context'>;

/** Where several nodes share the store, `isAlive` says which of them tell the ends of their own runs. */
export async function tellForgottenEnds(
  parts: TellParts,
  isAlive: (node: string | null) => boolean = () => false,
): Promise<void> {
  const runs = await parts.store.select('runs', {
    where: { observed: false, status: { in: ['done', 'failed', 'stopped', 'blocked'] } },
  });
  for (const run of runs.filter(({ node }) => !isAlive(node))) {
    const { runId, sessionId, status, outcome, startedAt, endedAt } = run;
    const durationMs = (endedAt ?? startedAt) - startedAt;
    const ended = { runId, sessionId: sessionId ?? '', status, error: outcome?.error, durationMs, recovered: true };
    await tellAgentEnd(parts, ended, await contextOf(parts, run));
  }
}

/** The message is known as long as the store keeps it; that of a blocked run is removed. */
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
