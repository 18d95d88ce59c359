// Decides which session a message belongs to, with what only the store knows: a thread that was opened for a child
// belongs to that child, as long as its session exists, and the name under which pages show a conversation of another
// surface belongs to that conversation. Everything else is decided by the configuration.

import { type Inbound, type Surface, surfaceId } from '../../protocol/inbound.ts';
import { isNameOfOther, pageSurface } from '../../protocol/page-surface.ts';
import { normalizeSessionKey } from '../../protocol/session-key.ts';
import type { Route } from '../../routing/resolve-route.ts';
import type { Store } from '../../store/store.ts';
import type { ChildRow } from '../../store/tables.ts';

export async function routeInbound(
  { store, route }: { readonly store: Store; readonly route: (inbound: Inbound) => Route },
  inbound: Inbound,
): Promise<Route> {
  const { surface, sessionKey } = inbound;
  if (sessionKey !== undefined) return route(inbound);
  if (surface.channel === 'web' && isNameOfOther(surface.peer.id))
    return route({ ...inbound, sessionKey: await findSessionOfPage(store, surface) });
  if (surface.threadId === undefined) return route(inbound);
  const where = { boundId: surfaceId(surface) };
  const [child] = await store.select('children', { where, orderBy: [['seq', 'desc']], limit: 1 });
  return child ? routeToChild(child) : route(inbound);
}

/**
 * The key of the session that pages show under this name; undefined when there is none. Its answers to pages name it, and
 * where there are none, it is among the sessions that began last.
 */
async function findSessionOfPage(store: Store, surface: Surface): Promise<string | undefined> {
  const isIt = ({ sessionKey }: { readonly sessionKey: string }) => pageSurface(sessionKey) === surface.peer.id;
  const sent = await store.select('outbox', {
    where: { surfaceId: surfaceId(surface) },
    orderBy: [['seq', 'desc']],
    limit: ANSWERS_LOOKED_AT,
  });
  const told = sent.find(isIt);
  if (told) return told.sessionKey;
  const sessions = await store.select('sessions', { orderBy: [['startedAt', 'desc']], limit: SESSIONS_LOOKED_AT });
  return sessions.find(isIt)?.sessionKey;
}

const ANSWERS_LOOKED_AT = 50;
const SESSIONS_LOOKED_AT = 1_000;

/**
 * The child for which the thread was opened that a session key names; undefined when there is none. A key does not say
 * everything about a place, so the key of each such thread is compared with it.
 */
export async function findChildOfThread(
  { store, route }: { readonly store: Store; readonly route: (inbound: Inbound) => Route },
  sessionKey: string,
): Promise<ChildRow | undefined> {
  const key = normalizeSessionKey(sessionKey);
  const bound = await store.select('children', { where: { boundId: { not: null } }, orderBy: [['seq', 'desc']] });
  return bound.find(
    ({ boundTo }) =>
      boundTo && route({ surface: boundTo, sender: { id: boundTo.peer.id }, text: '', at: 0 }).sessionKey === key,
  );
}

function routeToChild({ agentId, childKey, parentKey }: ChildRow): Route {
  const rule = `This thread was opened for a child of the session ${parentKey}, so its messages go to that child.`;
  return { agentId, sessionKey: childKey, parentSessionKey: parentKey, rules: [rule] };
}
