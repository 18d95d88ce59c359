// Who may see which session. Through its tools a session sees those of its own agent, or only itself, and never another
// agent's. And whether a run is the operator's own, which decides what it is allowed and told.

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

/** What sessions can see of each other, for the tools that are handed it. */
export class SessionSight {
  readonly #store: Store;
  readonly #visibility: SessionVisibility;

  constructor(store: Store, visibility: SessionVisibility) {
    this.#store = store;
    this.#visibility = visibility;
  }

  /** False where each session sees itself only. */
  get reachesOthers(): boolean {
    return this.#visibility === 'agent';
  }

  /** The condition that every look at sessions, and at what belongs to them, starts from. */
  scopeOf({ agentId, sessionKey }: Onlooker): { readonly agentId: string; readonly sessionKey?: string } {
    return this.reachesOthers ? { agentId } : { agentId, sessionKey };
  }

  /** The latest session of a key, or the very one of an id; undefined when there is none or it may not be seen. */
  async find(onlooker: Onlooker, keyOrId: string): Promise<SessionRow | undefined> {
    const scope = this.scopeOf(onlooker);
    const wanted = [{ sessionKey: keyOrId }, { sessionKey: normalizeSessionKey(keyOrId) }, { sessionId: keyOrId }];
    for (const where of wanted) {
      const [session] = await this.#store.select('sessions', {
        // The conditions of the one who looks come last: what a model asked for can narrow them and never replace them.
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
  /** True when the direct messages of everybody go to an agent's main session. */
  readonly isMainShared: boolean;
}

/**
 * A session in which strangers speak is not the operator's, even when the operator speaks in it now: the model reads the
 * strangers' words too. So the key decides, together with the settings that say who reaches which session. What an agent
 * or a plugin wrote is never the operator's word.
 */
export function isOwnersRun({ sessionKey, requester, isMainShared }: RunFacts): boolean {
  if (/^(agent|plugin):/.test(requester.senderId)) return false;
  if (isCronSessionKey(sessionKey)) return true;
  const { channel, surface } = parseSessionKey(sessionKey);
  if (channel !== undefined) return isOperatorChannel(channel);
  // Other sessions without a channel in their key are reached by name, which only the operator's surfaces can do.
  return surface === 'main' && !isMainShared;
}
