// For replays, which read the store themselves: says that there is no session of this key, and which one is probably
// meant. Does nothing when there is one.

import { BadFlagError } from '../../gateway/errors.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { Store } from '../../store/store.ts';

const MOST_KEYS = 1_000;

export async function checkSession(store: Store, sessionKey: string): Promise<void> {
  if ((await store.count('sessions', { sessionKey })) > 0) return;
  const rows = await store.select('sessions', { orderBy: [['startedAt', 'desc']], limit: MOST_KEYS });
  const meant = nearMatch(sessionKey, new Set(rows.map((row) => row.sessionKey)));
  const expected = `the key of a session, as "atrium sessions list" shows it${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
  throw new BadFlagError({ flag: '--session', value: sessionKey, expected });
}
