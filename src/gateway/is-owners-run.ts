// Whether a run is the operator's own. A session in which strangers speak is not, whoever speaks in it now: the model
// reads their words too. So the key decides, and with it the settings that say who reaches which session; and what an
// agent wrote is nobody's own.

import { isOperatorChannel } from '../protocol/operator-channels.ts';
import type { Requester } from '../protocol/requester.ts';
import { isCronSessionKey, parseSessionKey } from '../protocol/session-key.ts';

export interface RunFacts {
  readonly sessionKey: string;
  readonly requester: Requester;
  /** True when the direct messages of everybody go to an agent's main session. */
  readonly isMainShared: boolean;
}

export function isOwnersRun({ sessionKey, requester, isMainShared }: RunFacts): boolean {
  // One session speaks to another where people speak to that one, and is not their word; nor is a plugin's.
  if (/^(agent|plugin):/.test(requester.senderId)) return false;
  if (isCronSessionKey(sessionKey)) return true;
  const { channel, surface } = parseSessionKey(sessionKey);
  if (channel !== undefined) return isOperatorChannel(channel);
  // Other sessions without a channel in their key are reached by name, which only the operator's surfaces can do.
  return surface === 'main' && !isMainShared;
}
