// The session that a message belongs to and what was said in it, with nothing written: a run opens what this plans, and
// a preview only looks at it.

import type { Surface } from '../protocol/inbound.ts';
import type { TranscriptRow } from '../store/tables.ts';
import type { RunParts, SessionPlan } from './run-parts.ts';

export interface LoadedSession {
  readonly plan: SessionPlan;
  readonly entries: readonly TranscriptRow[];
}

export async function loadSession(
  parts: Pick<RunParts, 'store' | 'sessions'>,
  about: {
    readonly agentId: string;
    readonly sessionKey: string;
    readonly surface: Surface;
    readonly now: number;
    readonly reset?: 'new' | 'reset' | undefined;
    /** An attempt that got as far as its request has opened the session already. */
    readonly isResumed: boolean;
  },
): Promise<LoadedSession> {
  const { sessionKey, isResumed } = about;
  const latest = await parts.store.select('sessions', {
    where: { sessionKey },
    orderBy: [['startedAt', 'desc']],
    limit: 2,
  });
  const open = latest.find(({ endedAt }) => endedAt === null);
  const current = open ?? latest[0];
  const plan: SessionPlan =
    isResumed && open ? { session: open, writes: [], isNew: false } : parts.sessions.plan({ ...about, current });
  const { sessionId } = plan.session;
  const entries = plan.isNew
    ? []
    : await parts.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return { plan, entries };
}
