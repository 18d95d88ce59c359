// Where the person is in the page, and how they get elsewhere without loading it again.

import { signal } from '@preact/signals';
import { formatRoute, parseRoute, type Route } from './route.ts';

export const currentRoute = signal<Route>(addressedRoute());

addEventListener('popstate', () => {
  currentRoute.value = addressedRoute();
});

/** What the address names now. */
export function addressedRoute(): Route {
  return parseRoute(location.pathname, location.search);
}

/** `isSilent` changes the address only: what is shown is already what it names. */
export function navigate(route: Route, { replace = false, isSilent = false } = {}): void {
  const address = formatRoute(route);
  if (address !== location.pathname + location.search) {
    if (replace) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
  }
  if (!isSilent) currentRoute.value = route;
}
