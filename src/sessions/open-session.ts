// Finds the session that a message belongs to: the one that is open, or a new one in its place when a person asked for
// it or the lifetime of the open one is over. This file only plans writes: a run commits the plan, and a preview only
// looks at it.

import type { Surface } from '../protocol/inbound.ts';
import { newId } from '../protocol/new-id.ts';
import type { Store, Write } from '../store/store.ts';
import type { SessionRow, TranscriptRow } from '../store/tables.ts';
import type { SessionEnd } from './end-session.ts';
import { decideRollover, type LifetimeSettings } from './session-lifetime.ts';
import { loadTranscript, type TranscriptMemory } from './transcript-memory.ts';

export interface SessionRequest {
  readonly agentId: string;
  readonly sessionKey: string;
  /** The place where a person writes; null when a schedule starts the run. */
  readonly surface: Surface | null;
  readonly now: number;
  /** Set when a person asked for a new session. */
  readonly reset?: 'new' | 'reset' | undefined;
  /** Set when the run must see no history: the open session ends, and another one takes its place. */
  readonly isIsolated?: true | undefined;
}

export interface SessionPlan {
  readonly session: SessionRow;
  /** The writes for the first commit of the run. */
  readonly writes: readonly Write[];
  readonly isNew: boolean;
  /** The session that this one replaces. Its end is committed on its own, before the run goes on. */
  readonly ended?: SessionEnd | undefined;
}

export interface LoadedSession {
  readonly plan: SessionPlan;
  /** The transcript of the session so far, without what a summary has replaced. */
  readonly entries: readonly TranscriptRow[];
  /** The transcript was empty before this run. */
  readonly isFresh: boolean;
}

export interface SessionParts {
  readonly store: Store;
  readonly lifetime: () => LifetimeSettings;
  /** Only for a run that begins: what it reads is remembered for the next one. */
  readonly transcripts?: TranscriptMemory | undefined;
}

export async function loadSession(
  { store, lifetime, transcripts }: SessionParts,
  request: SessionRequest & {
    /** A run that was claimed before, and whether it has recorded its request or another step. */
    readonly begun?: { readonly runId: string; readonly hasSteps: boolean } | undefined;
  },
): Promise<LoadedSession> {
  const { sessionKey, begun } = request;
  const opened = begun && (await sessionOfRun(store, begun.runId));
  const latest = await store.select('sessions', { where: { sessionKey }, orderBy: [['startedAt', 'desc']], limit: 2 });
  const current = latest.find(({ endedAt }) => endedAt === null) ?? latest[0];
  const plan = opened
    ? takeUp(opened, begun.hasSteps, current, lifetime(), request)
    : planSession(current, lifetime(), request);
  const { sessionId } = plan.session;
  const entries = plan.isNew ? [] : await loadEntries(store, sessionId, begun ? 'begun' : transcripts);
  return { plan, entries, isFresh: plan.isNew || (opened !== undefined && entries.length === 0) };
}

/** A run that is taken up again also needs what it has said itself, although a summary may have replaced it meanwhile. */
function loadEntries(
  store: Store,
  sessionId: string,
  from: 'begun' | TranscriptMemory | undefined,
): Promise<readonly TranscriptRow[]> {
  if (from === 'begun') return store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
  return from ? from.load(sessionId) : loadTranscript(store, sessionId);
}

/** The session that a note is written into. A note neither ends a session nor keeps one from ending. */
export async function openForNote(
  store: Store,
  request: Omit<SessionRequest, 'surface' | 'reset'> & {
    readonly surface: Surface;
    /** Whether a session is opened when there is none. */
    readonly mayOpen: boolean;
  },
): Promise<(SessionPlan & { readonly lastEntry: number }) | undefined> {
  const { sessionKey, surface, mayOpen } = request;
  const [current] = await store.select('sessions', {
    where: { sessionKey },
    orderBy: [['startedAt', 'desc']],
    limit: 1,
  });
  if (current?.endedAt === null) {
    const { sessionId } = current;
    const last = { where: { sessionId }, orderBy: [['position', 'desc']], limit: 1 } as const;
    const [entry] = await store.select('transcript', last);
    const plan = continueSession(current, { ...request, agentId: current.agentId, surface: null });
    return { ...plan, lastEntry: entry?.position ?? 0 };
  }
  if (!mayOpen) return undefined;
  const session = newSession(current, { ...request, surface });
  return { session, writes: [{ insert: 'sessions', row: session }], isNew: true, lastEntry: 0 };
}

/**
 * A run that has already opened its session does not roll it over again. Once it has taken a step in a session, it ends
 * in that session.
 */
function takeUp(
  opened: SessionRow,
  hasSteps: boolean,
  current: SessionRow | undefined,
  lifetime: LifetimeSettings,
  request: SessionRequest,
): SessionPlan {
  if (hasSteps) return { session: opened, writes: [], isNew: false };
  if (opened.endedAt === null) return continueSession(opened, request);
  return planSession(current, lifetime, { ...request, reset: undefined, isIsolated: undefined });
}

/** `current` is the latest session of the key, open or ended. */
export function planSession(
  current: SessionRow | undefined,
  lifetime: LifetimeSettings,
  request: SessionRequest,
): SessionPlan {
  const open = current?.endedAt === null ? current : undefined;
  const reason = open && (request.reset ?? (request.isIsolated ? 'new' : decideRollover(open, lifetime, request.now)));
  if (open && reason === undefined) return continueSession(open, request);
  const session = newSession(current, request);
  if (!open || reason === undefined) {
    return { session, writes: [{ insert: 'sessions', row: session }], isNew: true };
  }
  return {
    ...continueSession(session, request),
    ended: { session: open, reason, endedAt: request.now, next: session },
    isNew: true,
  };
}

/** The precondition makes the commit fail when the session has been ended since; the run then opens another. */
function continueSession(open: SessionRow, { agentId, surface, now }: SessionRequest): SessionPlan {
  // A schedule is not a person: it neither changes the session's surface nor keeps the session from ending when people
  // are silent.
  const activeAt = surface === null ? open.activeAt : Math.max(open.activeAt, now);
  // A message of a person brings a session back that was put away.
  const archivedAt = surface === null ? open.archivedAt : null;
  const set = { agentId, activeAt, archivedAt, surface: surface ?? open.surface };
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
    endToTell: false,
    title: null,
    archivedAt: null,
    seenAt: null,
    branchOf: null,
    branchAt: null,
    state: {},
  };
}

async function sessionOfRun(store: Store, runId: string): Promise<SessionRow | undefined> {
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run?.sessionId) return undefined;
  const [session] = await store.select('sessions', { where: { sessionId: run.sessionId }, limit: 1 });
  return session;
}
