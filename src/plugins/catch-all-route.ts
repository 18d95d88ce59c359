// Handlers of the older kind look at every request that no route answers, and answer some of them. Both the gateway and the
// worker have to see whether such a handler, or any other, has left a request alone.

import type { RouteRegistration } from './registration.ts';

export function isCatchAll({ path, match }: Pick<RouteRegistration, 'path' | 'match'>): boolean {
  return match === 'prefix' && (path === '' || path === '/');
}

/** As the handler said. One of the older kind also returns nothing for this; a handler of one path may answer later. */
export function isLeftAlone(route: Pick<RouteRegistration, 'path' | 'match'>, took: unknown): boolean {
  return took === false || (isCatchAll(route) && took !== true);
}
