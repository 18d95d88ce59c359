// The services over a store whose gateway is down: what stands in the store can be read, and everything that only a running
// gateway can do is refused with the given error.

import { Sessions, type SessionsParts } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from './services.ts';

export function servicesOfStore(store: Store, refusal: Error): Services {
  const refuse = () => Promise.reject(refusal);
  const refusing = new Proxy(refuse, { get: () => refuse });
  const sessions = new Sessions(
    only<SessionsParts>(refuse, {
      store,
      // What plugins show of a session, only plugins that run can say.
      show: async (rows) => rows.map((row) => ({ ...row, pluginExtensions: [] })),
      telling: () => {
        throw refusal;
      },
    }),
  );
  return only<Services>(refusing, { store, sessions });
}

/** These parts, and the same answer for each of the others. */
function only<Parts extends object>(other: unknown, parts: Partial<Parts>): Parts {
  return new Proxy(parts as Parts, { get: (known, name) => known[name as keyof Parts] ?? other });
}
