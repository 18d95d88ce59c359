// The chat platforms that come with the product, one row each: which accounts its section of the configuration has, and
// where its code is. The code of a platform and its client library are loaded when an account exists, and not before.

import type { ChannelAccount, ChannelExtension } from '../../channels/channel-extension.ts';
import type { Environment } from '../../config/environment.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';

export interface ExtensionRow extends PlatformFacts {
  readonly id: string;
  /** The accounts as the configuration has them, and what is wrong with it, one sentence each. */
  readonly find: (config: Config, environment: Environment) => Promise<FoundExtension>;
}

/** What a person has to know to add an account. */
export interface PlatformFacts {
  /** As people write it: `Telegram`. */
  readonly name: string;
  /** The secrets of an account, by their keys in the configuration. */
  readonly tokens: readonly TokenFacts[];
}

export interface TokenFacts {
  readonly key: string;
  /** The environment variable that has it where the configuration does not. */
  readonly variable: string;
  /** Where it comes from, in a few words: `the token that @BotFather gave you`. */
  readonly from: string;
  /** The form that every such token has, so that a mistake is found before the platform is asked. */
  readonly form: RegExp;
}

export interface FoundExtension {
  readonly accounts: readonly ChannelAccount[];
  readonly problems: readonly string[];
  /** Loads the code, bound to these accounts. */
  readonly load: () => Promise<LoadedExtension>;
}

/** An extension with the accounts that it is to serve. */
export interface LoadedExtension extends Pick<ChannelExtension<ChannelAccount>, 'id'> {
  /** With `only`, the channel has this account and no other. */
  create(
    parts: Omit<Parameters<ChannelExtension<ChannelAccount>['create']>[0], 'accounts'> & {
      readonly only?: string | undefined;
    },
  ): ReturnType<ChannelExtension<ChannelAccount>['create']>;
  check(accountId: string, signal: AbortSignal): ReturnType<ChannelExtension<ChannelAccount>['check']>;
}

type ReadAccounts<Account> = (
  config: Config,
  environment: Environment,
) => { readonly accounts: readonly Account[]; readonly problems: readonly string[] };

interface PlatformRow<Account extends ChannelAccount> extends PlatformFacts {
  readonly id: string;
  readonly load: () => Promise<ChannelExtension<Account>>;
  /** What reads the section is loaded only when there is one, because it brings the schema along. */
  readonly loadReader: () => Promise<ReadAccounts<Account>>;
}

export const CHANNEL_EXTENSIONS: readonly ExtensionRow[] = [
  extensionRow({
    id: 'discord',
    name: 'Discord',
    tokens: [
      {
        key: 'token',
        variable: 'DISCORD_BOT_TOKEN',
        from: 'the token from the page "Bot" of your application in the Developer Portal of Discord',
        form: /^[\w.=-]{20,}$/,
      },
    ],
    load: () => import('../../../extensions/discord/index.ts').then(({ discord }) => discord),
    loadReader: () => import('../../config/channels/discord.ts').then(({ discordAccountsOf }) => discordAccountsOf),
  }),
  extensionRow({
    id: 'slack',
    name: 'Slack',
    tokens: [
      {
        key: 'botToken',
        variable: 'SLACK_BOT_TOKEN',
        from: 'the Bot User OAuth Token of the app',
        form: /^xoxb-[\w-]+$/,
      },
      {
        key: 'appToken',
        variable: 'SLACK_APP_TOKEN',
        from: 'an app-level token with the scope connections:write',
        form: /^xapp-[\w-]+$/,
      },
    ],
    load: () => import('../../../extensions/slack/index.ts').then(({ slack }) => slack),
    loadReader: () => import('../../config/channels/slack.ts').then(({ slackAccountsOf }) => slackAccountsOf),
  }),
  extensionRow({
    id: 'telegram',
    name: 'Telegram',
    tokens: [
      {
        key: 'botToken',
        variable: 'TELEGRAM_BOT_TOKEN',
        from: 'the token that @BotFather gave you',
        form: /^\d{3,}:[\w-]{10,}$/,
      },
    ],
    load: () => import('../../../extensions/telegram/index.ts').then(({ telegram }) => telegram),
    loadReader: () => import('../../config/channels/telegram.ts').then(({ telegramAccountsOf }) => telegramAccountsOf),
  }),
];

/** Keeps the type of the accounts inside the row, so that rows of different platforms fit in one list. */
export function extensionRow<Account extends ChannelAccount>(row: PlatformRow<Account>): ExtensionRow {
  const { id, name, tokens } = row;
  return {
    id,
    name,
    tokens,
    find: async (config, environment) => {
      const isNamed = isPlainObject(config.channels) && config.channels[id] !== undefined;
      const read = isNamed ? await row.loadReader() : () => ({ accounts: [], problems: [] });
      const { accounts, problems } = read(config, environment);
      const load = async (): Promise<LoadedExtension> => {
        const extension = await row.load();
        return {
          id: extension.id,
          create: ({ only, ...parts }) => {
            const meant = only === undefined ? accounts : accounts.filter(({ accountId }) => accountId === only);
            return extension.create({ ...parts, accounts: meant });
          },
          check: async (accountId, signal) => {
            const account = accounts.find((each) => each.accountId === accountId);
            if (account) return extension.check(account, signal);
            return {
              outcome: 'refused',
              reason: `There is no account ${accountId} of ${row.id}.`,
              nextStep: `Add it below channels.${row.id}.accounts.`,
            };
          },
        };
      };
      return { accounts, problems, load };
    },
  };
}
