// The session that a message belongs to: the one that is open, or a new one in its place when a person asked for it or
// the time of the open one is over. Everything is planned as writes and nothing is written here: a run commits the plan,
// and a preview only looks at it.

import type { Surface } from '../protocol/inbound.ts';
import type { SessionEndReason } from '../protocol/live-event.ts';
import { newId } from '../protocol/new-id.ts';
import type { Store, Write } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import { planSessionEnd } from './end-session.ts';
import { decideRollover, type LifetimeSettings } from './session-lifetime.ts';

export interface SessionRequest {
  readonly agentId: string;
  readonly sessionKey: string;
  /** Where somebody speaks; null when a schedule does. */
  readonly surface: Surface | null;
  readonly now: number;
  /** Set when a person asked for a new session. */
  readonly reset?: 'new' | 'reset' | undefined;
}

export interface SessionPlan {
  readonly session: SessionRow;
  readonly writes: readonly Write[];
  readonly isNew: boolean;
  readonly ended?: { readonly session: SessionRow; readonly reason: SessionEndReason } | undefined;
}

export interface LoadedSession {
  readonly plan: SessionPlan;
  /** What was said in it so far. */
  readonly entries: readonly TranscriptRow[];
}

export async function loadSession(
  { store, lifetime }: { readonly store: Store; readonly lifetime: LifetimeSettings },
  request: SessionRequest & {
    /** A run that got as far as its request has opened its session already, and ends in it whatever became of it. */
    readonly resumes?: string | undefined;
  },
): Promise<LoadedSession> {
  const { sessionKey, resumes } = request;
  const begun = resumes === undefined ? undefined : await sessionOfRun(store, resumes);
  const latest = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'desc']], limit: 2 });
  const current = latest.find(({ endedAt }) => endedAt === null) ?? latest[0];
  const plan = begun ? { session: begun, writes: [], isNew: false } : planSession(current, lifetime, request);
  const { sessionId } = plan.session;
  const entries = plan.isNew
    ? []
    : await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return { plan, entries };
}

/** `current` is the latest session of the key, whether it has ended or not. */
export function planSession(
  current: SessionRow | undefined,
  lifetime: LifetimeSettings,
  request: SessionRequest,
): SessionPlan {
  const open = current?.endedAt === null ? current : undefined;
  const reason = open && (request.reset ?? decideRollover(open, lifetime, request.now));
  if (open && reason === undefined) return continueSession(open, request);
  const session = newSession(current, request);
  const insert: Write = { insert: 'sessions', row: session };
  if (!open || reason === undefined) return { session, writes: [insert], isNew: true };
  return {
    session,
    writes: [...planSessionEnd(open, reason, request.now), insert],
    ended: { session: open, reason },
    isNew: true,
  };
}

/** The precondition makes the commit fail when the session was ended since; the run then opens another. */
function continueSession(open: SessionRow, { agentId, surface, now }: SessionRequest): SessionPlan {
  // A schedule is not somebody speaking: it neither moves the session nor keeps it from ending when people fall silent.
  const activeAt = surface === null ? open.activeAt : Math.max(open.activeAt, now);
  const set = { agentId, activeAt, surface: surface ?? open.surface };
  const { sessionId } = open;
  return {
    session: { ...open, ...set },
    writes: [{ update: 'sessions', where: { sessionId, endedAt: null }, set, expect: 1 }],
    isNew: false,
  };
}

function newSession(
  current: SessionRow | undefined,
  { agentId, sessionKey, surface, now }: SessionRequest,
): SessionRow {
  return {
    sessionId: newId('ses', now),
    sessionKey,
    agentId,
    startedAt: now,
    activeAt: now,
    endedAt: null,
    endReason: null,
    surface: surface ?? current?.surface ?? null,
    resumedFrom: current?.sessionId ?? null,
    state: {},
  };
}

async function sessionOfRun(store: Store, runId: string): Promise<SessionRow | undefined> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run?.sessionId) return undefined;
  const [session] = await store.select('sessions', { where: { sessionId: run.sessionId }, limit: 1 });
  return session;
}
