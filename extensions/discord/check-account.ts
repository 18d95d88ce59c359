// Tries an account before it is used: who the bot is, and whether what it needs is ticked. It sends no message.

import type { AccountCheck } from '../../src/channels/channel-extension.ts';
import type { DiscordAccount } from './account.ts';
import { DiscordApi } from './discord-api.ts';
import { DiscordFailure } from './discord-failure.ts';

/** The flags of an application whose operator ticked the intent, with and without Discord's review. */
const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

export async function checkAccount(account: DiscordAccount, signal: AbortSignal): Promise<AccountCheck> {
  const api = await DiscordApi.load(account);
  try {
    const { username } = await api.me(signal);
    const { flags = 0 } = await api.application(signal);
    const guilds = await api.myGuilds(signal);
    const notes = [
      ...(flags & MESSAGE_CONTENT_FLAGS
        ? []
        : [
            'Tick "Message Content Intent" on the page "Bot" of the application; without it, Discord refuses the connection.',
          ]),
      ...(guilds.length > 0
        ? []
        : ['The bot is in no server yet; invite it with the scopes "bot" and "applications.commands".']),
    ];
    return { outcome: 'ok', name: username, notes };
  } catch (error) {
    const failure = error instanceof DiscordFailure ? error : undefined;
    const reason = failure?.message ?? 'Discord could not be asked.';
    if (failure?.kind !== 'unauthorized' && failure?.kind !== 'refused') return { outcome: 'unreachable', reason };
    const nextStep = 'Copy the token again from the page "Bot" of the application in the Developer Portal.';
    return { outcome: 'refused', reason, nextStep };
  } finally {
    api.close();
  }
}
