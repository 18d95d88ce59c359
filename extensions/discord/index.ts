// Discord as a chat platform. The client libraries are loaded when a channel is opened or an account is checked.

import type { ChannelExtension } from '../../src/channels/channel-extension.ts';
import type { DiscordAccount } from './account.ts';
import { checkAccount } from './check-account.ts';
import { DiscordChannel } from './discord-channel.ts';
import { CHANNEL_ID } from './surface.ts';

export const discord: ChannelExtension<DiscordAccount> = {
  id: CHANNEL_ID,
  create: (parts) => new DiscordChannel(parts),
  check: checkAccount,
};
