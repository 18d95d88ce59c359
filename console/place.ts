// The places where a person can talk on this page: a conversation that exists, or one that begins with the next message.
// Each place has a surface, under which the gateway stores what was sent there. A conversation that has begun has the same
// one on every device.

import type { Agent, ListedSession } from './client/gateway-client.ts';

export interface Place {
  readonly id: string;
  readonly agentId: string;
  /** Undefined for a conversation that has not begun; the gateway decides its key. */
  readonly sessionKey?: string | undefined;
  /** The name under which the gateway stores what was sent to this place. */
  readonly surface: string;
  /** Set when messages cannot be sent here: a sentence that says why. */
  readonly closed?: string | undefined;
  /** Set for one session of a key, which has ended: the id of that session. */
  readonly sessionId?: string | undefined;
}

/** The agent's own conversation in this browser, which is the first one. */
export function agentPlace(browser: string, agentId: string): Place {
  return {
    id: `agent:${agentId}`,
    agentId,
    surface: `${browser}.${agentId}`.replace(/[^\w.-]/g, '_').slice(0, LONGEST_SURFACE),
  };
}

export function newPlace(browser: string, agentId: string, name: string): Place {
  return { id: `new:${name}`, agentId, surface: `${browser}.n${name}` };
}

export function sessionPlace(session: Pick<ListedSession, 'sessionKey' | 'agentId' | 'type' | 'pageSurface'>): Place {
  const { sessionKey, agentId, type, pageSurface: surface } = session;
  return {
    id: `session:${sessionKey}`,
    agentId,
    sessionKey,
    surface,
    ...(type === 'subagent' && { closed: 'A subagent answers to the conversation that started it.' }),
  };
}

/** An earlier session of a key. Its words can be read, and the conversation goes on in the latest one. */
export function pastPlace({ sessionKey, sessionId, agentId }: ListedSession): Place {
  return {
    id: `past:${sessionId}`,
    agentId,
    sessionKey,
    sessionId,
    surface: '',
    closed: 'This conversation has ended.',
  };
}

export function defaultAgent(agents: readonly Agent[]): Agent | undefined {
  return agents.find(({ isDefault }) => isDefault) ?? agents[0];
}

export function newBrowserName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const LONGEST_SURFACE = 64;
