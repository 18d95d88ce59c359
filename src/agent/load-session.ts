// The session that a message belongs to and what was said in it, with nothing written: a run opens what this plans, and
// a preview only looks at it.

import type { Surface } from '../protocol/inbound.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
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
    /** Where somebody speaks; null when nobody does. */
    readonly surface: Surface | null;
    readonly now: number;
    readonly reset?: 'new' | 'reset' | undefined;
    /** A run that got as far as its request has opened its session already, and ends in it whatever became of it. */
    readonly resumes?: string | undefined;
  },
): Promise<LoadedSession> {
  const { store, sessions } = parts;
  const { sessionKey, resumes } = about;
  const begun = resumes === undefined ? undefined : await sessionOfRun(store, resumes);
  const latest = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'desc']], limit: 2 });
  const current = latest.find(({ endedAt }) => endedAt === null) ?? latest[0];
  const plan: SessionPlan = begun ? { session: begun, writes: [], isNew: false } : sessions.plan({ ...about, current });
  const { sessionId } = plan.session;
  const entries = plan.isNew
    ? []
    : await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return { plan, entries };
}

async function sessionOfRun(store: Store, runId: string): Promise<SessionRow | undefined> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run?.sessionId) return undefined;
  const [session] = await store.select('sessions', { where: { sessionId: run.sessionId }, limit: 1 });
  return session;
}
