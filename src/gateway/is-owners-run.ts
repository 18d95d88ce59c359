// Whether a session's run is the operator's own. A session in which strangers speak is not, whoever speaks in it now: the
// model reads their words too. So the key decides, and with it the settings that say who reaches which session; a message
// that an agent wrote is nobody's own.

import { isCronSessionKey, parseSessionKey } from '../protocol/session-key.ts';
import type { Store } from '../store/store.ts';

/** Whoever gets through to one of these has the gateway's token. */
const OPERATOR_CHANNELS: ReadonlySet<string> = new Set(['web', 'cli', 'api']);

export interface OwnerFacts {
  readonly store: Store;
  /** True when the direct messages of everybody go to an agent's main session. */
  readonly isMainShared: boolean;
}

export async function isOwnersRun({ store, isMainShared }: OwnerFacts, sessionKey: string): Promise<boolean> {
  return isOwnersSession(sessionKey, isMainShared) && !(await isWrittenByAgent(store, sessionKey));
}

/** Other sessions without a channel in their key are reached by name, which only the operator's surfaces can do. */
function isOwnersSession(sessionKey: string, isMainShared: boolean): boolean {
  if (isCronSessionKey(sessionKey)) return true;
  const { channel, surface } = parseSessionKey(sessionKey);
  if (channel !== undefined) return OPERATOR_CHANNELS.has(channel);
  return surface === 'main' && !isMainShared;
}

/** One session speaks to another where people speak to that one, and is not their word. */
async function isWrittenByAgent(store: Store, sessionKey: string): Promise<boolean> {
  const [trigger] = await store.select('inbox', {
    where: { sessionKey, status: 'claimed' },
    orderBy: [['seq', 'asc']],
    limit: 1,
  });
  return trigger?.payload?.inbound.sender.id.startsWith('agent:') ?? false;
}
