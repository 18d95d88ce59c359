// Tells the observers of `agent_end` how a run ended, and records that they were told. Without that record the next
// process tells them again, so that every end is told; an end may be told twice, and the second time it is marked as
// recovered.

import type { ConversationHookContext } from '../hooks/hook-context.ts';
import type { RunStatus } from '../protocol/live-event.ts';
import type { RunParts } from './run-parts.ts';

export interface EndedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly error?: string | undefined;
  readonly durationMs: number;
  /** The observers may have been told before. */
  readonly recovered?: boolean | undefined;
}

export async function tellAgentEnd(
  parts: Pick<RunParts, 'tell' | 'store'>,
  { runId, sessionId, ...told }: EndedRun,
  context: ConversationHookContext,
): Promise<void> {
  const rows = await parts.store
    .select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] })
    .catch(() => []);
  const messages = rows.filter(({ kind }) => kind === 'message');
  await parts.tell('agent-ended', { runId, messages, ...told, context });
  // The store may be closing; then the next process tells the end again.
  await parts.store
    .commit([{ update: 'runs', where: { runId }, set: { observed: true } }], { site: 'observed', lazy: true })
    .catch(() => {});
}
