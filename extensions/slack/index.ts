// The extension for Slack. It is loaded when the configuration has an account of Slack, and with it Slack's libraries.

import type { AccountCheck, ChannelExtension } from '../../src/channels/channel-extension.ts';
import type { SlackAccount } from './account.ts';
import { checkAccount } from './check-account.ts';
import { SlackChannel } from './slack-channel.ts';
import { CHANNEL_ID } from './surface.ts';

export const slack: ChannelExtension<SlackAccount> = {
  id: CHANNEL_ID,
  create: (parts) => new SlackChannel(parts),
  check: (account, signal): Promise<AccountCheck> => checkAccount(account, signal),
};
