// The services over a store whose gateway is not running: stored values can be read, and everything that needs a
// running gateway is refused with the given error.

import { Sessions, type SessionsParts } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from './services.ts';

export function servicesOfStore(store: Store, refusal: Error): Services {
  const refuse = () => Promise.reject(refusal);
  const refusing = new Proxy(refuse, { get: () => refuse });
  const sessions = new Sessions(
    only<SessionsParts>(refuse, {
      store,
      // Only running plugins know what they show of a session, so nothing is shown.
      show: async (rows) => rows.map((row) => ({ ...row, pluginExtensions: [] })),
      telling: () => {
        throw refusal;
      },
    }),
  );
  return only<Services>(refusing, { store, sessions });
}

/** An object with these parts, in which every other part is `other`. */
function only<Parts extends object>(other: unknown, parts: Partial<Parts>): Parts {
  return new Proxy(parts as Parts, { get: (known, name) => known[name as keyof Parts] ?? other });
}
