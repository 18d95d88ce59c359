// The session that a run takes place in: the one that is open, or a new one in its place. Planned as writes, so that it
// happens in the same commit as the message that asked for it, and a message is never lost to a reset.

import type { Surface } from '../protocol/inbound.ts';
import type { SessionEndReason } from '../protocol/live-event.ts';
import type { Write } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { planSessionEnd } from './end-session.ts';

export interface SessionRequest {
  /** The latest session of the key, whether it has ended or not. */
  readonly current: SessionRow | undefined;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly surface: Surface | null;
  readonly now: number;
  /** Why the open session is to end; undefined to go on with it. */
  readonly rollover: SessionEndReason | undefined;
  /** Used only when there has to be a new one. */
  readonly newSessionId: string;
}

export interface PlannedSession {
  readonly session: SessionRow;
  readonly writes: readonly Write[];
  readonly ended?: { readonly sessionId: string; readonly reason: SessionEndReason } | undefined;
  readonly isNew: boolean;
}

export function planSession(request: SessionRequest): PlannedSession {
  const { current, rollover, now } = request;
  const open = current?.endedAt === null ? current : undefined;
  if (open && rollover === undefined) return continueSession(open, request);
  const session = newSession(request);
  const insert: Write = { insert: 'sessions', row: session };
  if (!open || rollover === undefined) return { session, writes: [insert], isNew: true };
  return {
    session,
    writes: [...planSessionEnd(open, rollover, now), insert],
    ended: { sessionId: open.sessionId, reason: rollover },
    isNew: true,
  };
}

/** The precondition makes the commit fail when somebody has ended the session since; the run then opens another. */
function continueSession(open: SessionRow, { agentId, surface, now }: SessionRequest): PlannedSession {
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

function newSession({ current, agentId, sessionKey, surface, now, newSessionId }: SessionRequest): SessionRow {
  return {
    sessionId: newSessionId,
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
