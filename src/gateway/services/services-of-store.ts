// The services over a store whose gateway is not running: stored values can be read, and everything that needs a
// running gateway is refused with the given error. The limits on spending are in the configuration, which the caller
// knows.

import { Sessions, type SessionsParts } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import { Receipts } from './receipts/receipts.ts';
import type { Services } from './services.ts';

/** What the configuration says, for services that need more than the store. */
interface OfConfiguration {
  readonly pricesOf: Services['models']['pricesOf'];
  readonly spending: Services['spending'];
  /** Undefined where the store is a file, which only one gateway has. */
  readonly nodes: Pick<Services['nodes'], 'list' | 'workspaces' | 'remove'> | undefined;
}

export function servicesOfStore(
  store: Store,
  refusal: Error,
  { pricesOf, spending, nodes: known }: OfConfiguration,
): Services {
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
  // Without a gateway nothing is a webhook.
  const webhooks = { subpath: () => undefined } as unknown as Services['webhooks'];
  const models = only<Services['models']>(refuse, { pricesOf });
  const nodes = only<Services['nodes']>(refuse, known ?? { list: async () => [], workspaces: async () => [] });
  const receipts = new Receipts({ store });
  return only<Services>(refusing, { store, nodes, sessions, models, spending, webhooks, receipts });
}

/** An object with these parts, in which every other part is `other`. */
function only<Parts extends object>(other: unknown, parts: Partial<Parts>): Parts {
  return new Proxy(parts as Parts, { get: (known, name) => known[name as keyof Parts] ?? other });
}
