// Telegram, as an extension: how its channel is made, and how a bot is tried before it is used. The client library is
// loaded with this file, which is loaded only when the configuration has an account. It is taken in its form for the web,
// which uses Node's own fetch and costs a fifth of the time and of the memory.

import { Api } from 'grammy/web';
import type { AccountCheck, ChannelExtension } from '../../src/channels/channel-extension.ts';
import type { TelegramAccount } from './account.ts';
import { readApiFailure } from './api-failure.ts';
import { TELEGRAM } from './surface.ts';
import { TelegramChannel } from './telegram-channel.ts';

export const telegram: ChannelExtension<TelegramAccount> = {
  id: TELEGRAM,
  create: (parts) => new TelegramChannel(parts),
  check,
};

async function check(account: TelegramAccount, signal: AbortSignal): Promise<AccountCheck> {
  const { apiRoot, token, path, webhook } = account;
  try {
    const api = new Api(token, { apiRoot, timeoutSeconds: 20 });
    const me = await api.getMe(signal as Parameters<Api['getMe']>[0]);
    const { url = '' } = await api.getWebhookInfo(signal as Parameters<Api['getMe']>[0]);
    const notes: string[] = [];
    if (!me.can_join_groups) {
      notes.push('The bot cannot be added to groups. Allow it with /setjoingroups at @BotFather.');
    }
    if (!me.can_read_all_group_messages) {
      notes.push(
        'In groups the bot sees only commands, replies to it and mentions. To let it see everything, switch its privacy mode off with /setprivacy at @BotFather, and add it to the group again.',
      );
    }
    if (url !== '' && url !== webhook?.url && !webhook) {
      notes.push(
        'The updates of this bot go to a webhook that another program has set. Remove it with the method deleteWebhook.',
      );
    }
    return { outcome: 'ok', name: `@${me.username}`, notes };
  } catch (error) {
    const failure = readApiFailure(error);
    if (failure.kind === 'unreachable' || failure.kind === 'limited') {
      return { outcome: 'unreachable', reason: `${failure.words}.` };
    }
    return {
      outcome: 'refused',
      reason: `Telegram does not accept the token of this bot (${failure.words}).`,
      nextStep: `Ask @BotFather for the current token with /token, and write it into ${path}.botToken.`,
    };
  }
}
