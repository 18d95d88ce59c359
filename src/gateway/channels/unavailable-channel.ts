// Takes the place of a platform's channel that is not there: because it is still being loaded, or because it could not be
// made. Answers for it wait instead of being given up, and the operator sees why. It receives nothing.

import type { Channel } from '../../channels/channel.ts';
import type { AccountStatus } from '../../channels/channel-capabilities.ts';
import type { ChannelAccount } from '../../channels/channel-extension.ts';

export function unavailableChannel(
  id: string,
  accounts: readonly ChannelAccount[],
  status: Required<Pick<AccountStatus, 'state'>> & { readonly detail: string },
): Channel {
  return {
    id,
    guarantee: { level: 'at-least-once', because: 'the channel is not available now, so its answers wait' },
    maxTextLength: 2_000,
    accounts: { list: () => accounts.map(({ accountId }) => ({ accountId, ...status })) },
    open: async () => {},
    send: async () => ({ outcome: 'retry', reason: status.detail }),
    close: async () => {},
  };
}
