// Tells the facts of a session's life, with the people and the place: a run that changes its session knows them from
// its message, every other caller from the session's row.

import type { Tell } from '../facts/facts.ts';
import type { ConversationHookContext } from '../hooks/hook-context.ts';
import { hookContextOf } from '../hooks/hook-context-of.ts';
import { rootTrace } from '../hooks/hook-trace.ts';
import type { SessionTelling } from '../sessions/end-session.ts';
import type { SessionRow } from '../store/tables.ts';

export interface SessionTeller {
  readonly contextOf: (session: SessionRow, happens: 'ends' | 'starts') => ConversationHookContext;
  /** The command that ends the session and its sender, where there is one. */
  readonly command: {
    readonly source: string;
    readonly runId?: string | undefined;
    readonly senderId?: string | undefined;
    readonly workspaceDir?: string | undefined;
  };
}

export function sessionTelling(tell: Tell, { contextOf, command }: SessionTeller): SessionTelling {
  return {
    resetting: ({ session, ...fact }) => tell('session-resetting', { ...fact, context: contextOf(session, 'ends') }),
    commanded: (fact) => tell('command-given', { ...fact, ...command }),
    ended: ({ goesOn, ...fact }) =>
      tell(goesOn ? 'session-paused' : 'session-ended', { ...fact, context: contextOf(fact.session, 'ends') }),
    changed: (fact) => tell('session-changed', fact),
    started: (fact) => tell('session-started', { ...fact, context: contextOf(fact.session, 'starts') }),
  };
}

/**
 * The context of a session without a run. `occasion` differs for each event, so that each has a span of its own in the
 * session's trace.
 */
export function sessionContext(
  { sessionId, sessionKey, agentId, surface }: SessionRow,
  workspaceDir: string,
  occasion: string,
  isRecovered = false,
): ConversationHookContext {
  const known = { agentId, sessionKey, sessionId, workspaceDir, trace: rootTrace(sessionId, occasion) };
  return hookContextOf('conversation', { ...known, ...(isRecovered ? { recovered: true } : {}), surface });
}
