// Tells the facts of a session's life, with who and where it is: a run that changes its session knows that from its message,
// everybody else from the session's row.

import type { Tell } from '../facts/facts.ts';
import type { HookContext } from '../hooks/hook-context.ts';
import type { SessionTelling } from '../sessions/end-session.ts';
import type { SessionRow } from '../store/tables.ts';

export interface SessionTeller {
  readonly contextOf: (session: SessionRow, happens: 'ends' | 'starts') => HookContext;
  /** Who gives the command that ends a session, where one is given. */
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
    ended: (fact) => tell('session-ended', { ...fact, context: contextOf(fact.session, 'ends') }),
    started: (fact) => tell('session-started', { ...fact, context: contextOf(fact.session, 'starts') }),
  };
}
