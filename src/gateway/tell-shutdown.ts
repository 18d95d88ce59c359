// Plugins that keep something per session are told that nothing more will come for now. The sessions themselves go on
// with the next process.

import type { RunParts } from '../agent/run-parts.ts';

/** More open sessions than this are not announced one by one. */
const MAX_ANNOUNCED = 1_000;

export async function tellShutdown(
  { store, hooks, now }: Pick<RunParts, 'store' | 'hooks' | 'now'>,
  budgetMs: number,
): Promise<void> {
  if (!hooks.has('session_end')) return;
  const deadline = now() + budgetMs;
  const open = await store.select('sessions', {
    where: { endedAt: null },
    orderBy: [['activeAt', 'desc']],
    limit: MAX_ANNOUNCED,
  });
  for (const { sessionId, sessionKey, agentId, startedAt } of open) {
    if (now() >= deadline) return;
    const messageCount = await store.count('transcript', { sessionId });
    const event = { sessionId, sessionKey, messageCount, durationMs: now() - startedAt, reason: 'shutdown' as const };
    await hooks.observeAndWait('session_end', event, { sessionId, sessionKey, agentId });
  }
}
