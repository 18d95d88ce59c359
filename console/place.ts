// The places where a person can talk on this page. Every agent has a conversation of its own in this browser; other
// sessions can be opened and joined.

import type { Agent, OpenSession } from './client/gateway-client.ts';
import { shortHash } from './short-hash.ts';

export interface Place {
  readonly id: string;
  readonly agentId: string;
  /** Set for a session that began elsewhere; messages go to it by its key. */
  readonly sessionKey?: string | undefined;
  /** The name under which the gateway stores what was sent to this place. */
  readonly surface: string;
}

/** `browser` is the name of this browser; the names of all its surfaces begin with it. */
export function listPlaces(
  browser: string,
  agents: readonly Agent[],
  sessions: readonly OpenSession[],
): readonly Place[] {
  const own = agents.map(
    ({ agentId }): Place => ({
      id: `agent:${agentId}`,
      agentId,
      surface: `${browser}.${agentId}`.replace(/[^\w.-]/g, '_').slice(0, LONGEST_SURFACE),
    }),
  );
  const ownSurfaces = new Set(own.map(({ surface }) => surface.toLowerCase()));
  const others = sessions
    .filter(({ surface }) => !(surface?.channel === 'web' && ownSurfaces.has(surface.peer.id.toLowerCase())))
    .map(
      ({ sessionKey, agentId }): Place => ({
        id: `session:${sessionKey}`,
        agentId,
        sessionKey,
        surface: `${browser}.s${shortHash(sessionKey)}`,
      }),
    );
  return [...own, ...others];
}

/** The place that was open last in this browser, else the default agent's. Undefined when the gateway has no agents. */
export function firstPlace(
  places: readonly Place[],
  agents: readonly Agent[],
  lastId: string | undefined,
): Place | undefined {
  const first = agents.find(({ isDefault }) => isDefault) ?? agents[0];
  return places.find(({ id }) => id === lastId) ?? places.find(({ id }) => id === `agent:${first?.agentId}`);
}

export function newBrowserName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const LONGEST_SURFACE = 64;
