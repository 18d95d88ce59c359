// Plugins that keep something per session are told that nothing more will come for now. The sessions themselves go on
// with the next process.

import type { RunParts } from '../agent/run-parts.ts';
import { within } from '../protocol/time-limit.ts';
import { sessionHookContext } from './session-hook-context.ts';

/** More open sessions than this are not announced one by one. */
const MAX_ANNOUNCED = 1_000;

/** Who is told that the gateway stops has this long at least, although the time for stopping is over. */
export const LAST_WORDS_MS = 2_000;

/** Why a gateway stops: for good as far as it knows, or to be started again at once. */
export type StopReason = 'shutdown' | 'restart';

/** Bounded as a whole: what is slow keeps nobody from stopping. */
export async function tellShutdown(
  { store, hooks, tell, now, context }: Pick<RunParts, 'store' | 'hooks' | 'tell' | 'now' | 'context'>,
  budgetMs: number,
  reason: StopReason = 'shutdown',
): Promise<void> {
  if (!hooks.has('session_end')) return;
  const deadline = now() + budgetMs;
  const open = await store.select('sessions', {
    where: { endedAt: null },
    orderBy: [['activeAt', 'desc']],
    limit: MAX_ANNOUNCED,
  });
  for (const session of open) {
    const left = deadline - now();
    if (left <= 0) return;
    const { sessionId, agentId, startedAt } = session;
    const messageCount = await store.count('transcript', { sessionId });
    const told = tell('session-ended', {
      session,
      reason,
      messageCount,
      durationMs: now() - startedAt,
      goesOn: true,
      context: sessionHookContext(session, context.workspaceDirOf(agentId), reason),
    });
    await within(left, told);
  }
}
