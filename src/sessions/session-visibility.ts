// Decides which sessions a session may see through its tools: those of its own agent, or only itself, and never another
// agent's. It also decides whether a run is the operator's own, which determines what the run may do and is told.

import { isOperatorChannel, isOwner } from '../protocol/operator-channels.ts';
import type { Requester } from '../protocol/requester.ts';
import {
  isCronSessionKey,
  normalizeSessionKey,
  type ParsedSessionKey,
  parseSessionKey,
} from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow } from '../store/tables.ts';
import { isDescendant } from './is-descendant.ts';

export type SessionVisibility = 'agent' | 'self';

/** The session that looks. */
export interface Onlooker {
  readonly agentId: string;
  readonly sessionKey: string;
}

export type SessionAddress = Pick<SessionRow, 'sessionKey' | 'agentId' | 'surface'>;

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
    return this.#findDescendant(onlooker, keyOrId);
  }

  /**
   * Where a message to a session goes. A child that was accepted and has not begun has no session yet, but those that
   * spawned it reach it under its key.
   */
  async findAddress(onlooker: Onlooker, keyOrId: string): Promise<SessionAddress | undefined> {
    const session = await this.find(onlooker, keyOrId);
    if (session) return session;
    const where = { childKey: normalizeSessionKey(keyOrId), endedAt: null };
    const [child] = await this.#store.select('children', { where, limit: 1 });
    if (!child || !(await this.isDescendant(onlooker, child.childKey))) return undefined;
    return { sessionKey: child.childKey, agentId: child.agentId, surface: child.boundTo ?? child.origin };
  }

  /** Whether a session was spawned by the one that looks, or by one that it spawned, and so on. */
  isDescendant({ sessionKey }: Onlooker, key: string): Promise<boolean> {
    return isDescendant(this.#store, sessionKey, key);
  }

  /** A session sees what it spawned, whatever agent works there and however little it sees otherwise. */
  async #findDescendant(onlooker: Onlooker, keyOrId: string): Promise<SessionRow | undefined> {
    for (const where of [{ sessionKey: normalizeSessionKey(keyOrId) }, { sessionId: keyOrId }]) {
      const orderBy = [['startedAt', 'desc']] as const;
      const [session] = await this.#store.select('sessions', { where, orderBy, limit: 1 });
      if (session && (await this.isDescendant(onlooker, session.sessionKey))) return session;
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
  /** Who is the operator in their own direct conversation, as `channel:sender` in lower case. */
  readonly owners: readonly string[];
}

/** What an agent, a plugin or a webhook wrote never counts as the operator's word, and an owner is one in their own talk only. */
export function isOwnersRun({ requester, ...facts }: RunFacts): boolean {
  if (/^(agent|plugin|webhook):/.test(requester.senderId) || !isOwnersSession(facts)) return false;
  const { channel, peerId } = ownersTalk(facts) ?? {};
  if (channel === undefined) return true;
  return channel === requester.channel.toLowerCase() && peerId?.toLowerCase() === requester.senderId.toLowerCase();
}

/**
 * A session in which strangers speak is not the operator's, even when the operator speaks in it now: the model reads
 * the strangers' words too. So the session key decides, together with the settings that say which people reach which
 * session.
 */
export function isOwnersSession(facts: Omit<RunFacts, 'requester'>): boolean {
  const { sessionKey, isMainShared } = facts;
  if (isCronSessionKey(sessionKey)) return true;
  const { channel, surface } = parseSessionKey(sessionKey);
  if (channel !== undefined) return isOperatorChannel(channel) || ownersTalk(facts) !== undefined;
  // Other sessions without a channel in their key are reached by name, which only the operator's surfaces can do.
  return surface === 'main' && !isMainShared;
}

/** The direct conversation of an owner on a chat platform, in which only that person speaks; undefined for others. */
function ownersTalk({ sessionKey, owners }: Omit<RunFacts, 'requester'>): ParsedSessionKey | undefined {
  const talk = parseSessionKey(sessionKey);
  const { channel, surface, peerId } = talk;
  if (isCronSessionKey(sessionKey) || channel === undefined || isOperatorChannel(channel)) return undefined;
  return surface === 'direct' && peerId !== undefined && isOwner(owners, channel, peerId) ? talk : undefined;
}
