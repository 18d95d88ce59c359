// Decides which sessions a session may see through its tools: those of its own agent, or only itself, and never another
// agent's. It also decides whether a run is the operator's own, which determines what the run may do and is told.

import { isOperatorChannel } from '../protocol/operator-channels.ts';
import type { Requester } from '../protocol/requester.ts';
import { isCronSessionKey, normalizeSessionKey, parseSessionKey } from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';

export type SessionVisibility = 'agent' | 'self';

/** The session that looks. */
export interface Onlooker {
  readonly agentId: string;
  readonly sessionKey: string;
}

/** What sessions can see of each other. It is handed to the tools that read sessions. */
export class SessionSight {
  readonly #store: Store;
  readonly #visibility: SessionVisibility;

  constructor(store: Store, visibility: SessionVisibility) {
    this.#store = store;
    this.#visibility = visibility;
  }

  /** This is false where each session sees only itself. */
  get reachesOthers(): boolean {
    return this.#visibility === 'agent';
  }

  /** The condition that every query for sessions, and for what belongs to them, starts from. */
  scopeOf({ agentId, sessionKey }: Onlooker): { readonly agentId: string; readonly sessionKey?: string } {
    return this.reachesOthers ? { agentId } : { agentId, sessionKey };
  }

  /** The latest session of a key, or the session of an id; undefined when there is none or it may not be seen. */
  async find(onlooker: Onlooker, keyOrId: string): Promise<SessionRow | undefined> {
    const scope = this.scopeOf(onlooker);
    const wanted = [{ sessionKey: keyOrId }, { sessionKey: normalizeSessionKey(keyOrId) }, { sessionId: keyOrId }];
    for (const where of wanted) {
      const [session] = await this.#store.select('sessions', {
        // The conditions of the session that looks come last: the model's own conditions can narrow them but never
        // replace them.
        where: { ...where, ...scope },
        orderBy: [['startedAt', 'desc']],
        limit: 1,
      });
      if (session && isAskedFor(session, where)) return session;
    }
    return undefined;
  }
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

export interface RunFacts {
  readonly sessionKey: string;
  readonly requester: Requester;
  /** True when the direct messages of all people go to an agent's main session. */
  readonly isMainShared: boolean;
}

/**
 * A session in which strangers speak is not the operator's, even when the operator speaks in it now: the model reads
 * the strangers' words too. So the session key decides, together with the settings that say which people reach which
 * session. What an agent or a plugin wrote never counts as the operator's word.
 */
export function isOwnersRun({ sessionKey, requester, isMainShared }: RunFacts): boolean {
  if (/^(agent|plugin):/.test(requester.senderId)) return false;
  if (isCronSessionKey(sessionKey)) return true;
  const { channel, surface } = parseSessionKey(sessionKey);
  if (channel !== undefined) return isOperatorChannel(channel);
  // Other sessions without a channel in their key are reached by name, which only the operator's surfaces can do.
  return surface === 'main' && !isMainShared;
}
