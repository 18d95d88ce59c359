// Which sessions a session may see through its tools: those of its own agent, or only itself. Never another agent's.

import { ToolSessionUnknownError } from '../protocol/errors.ts';
import {
  isCronSessionKey,
  isHeartbeatSessionKey,
  isSubagentSessionKey,
  normalizeSessionKey,
  surfaceOfSessionKey,
} from '../protocol/session-key.ts';
import type { Store, Where } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import type { ToolContext } from './tool.ts';

export type SessionVisibility = 'agent' | 'self';

export interface SessionToolOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly visibility: SessionVisibility;
}

type Onlooker = Pick<ToolContext, 'agentId' | 'sessionKey' | 'sessionId'>;

/** The condition that every look at sessions starts from. */
export function visibleSessions(visibility: SessionVisibility, onlooker: Onlooker): Where<'sessions'> {
  const { agentId, sessionKey } = onlooker;
  return visibility === 'self' ? { agentId, sessionKey } : { agentId };
}

/** The latest session of a key, or the very one of an id. */
export async function findVisibleSession(
  { store, visibility }: SessionToolOptions,
  onlooker: Onlooker,
  keyOrId: string,
): Promise<SessionRow> {
  const visible = visibleSessions(visibility, onlooker);
  for (const where of [{ sessionKey: keyOrId }, { sessionKey: normalizeSessionKey(keyOrId) }, { sessionId: keyOrId }]) {
    const [session] = await store.select('sessions', {
      // The onlooker's own conditions last: what a model asked for can narrow them and never replace them.
      where: { ...where, ...visible },
      orderBy: [['startedAt', 'desc']],
      limit: 1,
    });
    if (session && isAskedFor(session, where)) return session;
  }
  throw new ToolSessionUnknownError(keyOrId.length > 200 ? `${keyOrId.slice(0, 199)}…` : keyOrId);
}

function isAskedFor(
  session: SessionRow,
  where: { readonly sessionKey?: string; readonly sessionId?: string },
): boolean {
  return (
    (where.sessionKey === undefined || where.sessionKey === session.sessionKey) &&
    (where.sessionId === undefined || where.sessionId === session.sessionId)
  );
}

export const SESSION_KINDS = ['main', 'direct', 'group', 'channel', 'subagent', 'cron', 'heartbeat', 'other'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

export function kindOfSession(sessionKey: string): SessionKind {
  if (isSubagentSessionKey(sessionKey)) return 'subagent';
  if (isCronSessionKey(sessionKey)) return 'cron';
  if (isHeartbeatSessionKey(sessionKey)) return 'heartbeat';
  return surfaceOfSessionKey(sessionKey);
}
