// The section `channels.discord`: its keys, and the accounts that it describes as plain values with every default filled
// in. An account that cannot be used is a sentence for the operator and keeps no other account from working. What
// protects and is not there closes the place or the account that it was meant for, unless `acceptUnused` names it.

import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { isAccepted } from '../list-unused-settings.ts';
import type { Config } from '../schema.ts';
import { filledText, flag, oneOf, recordOf, secret, shared, text, wholeNumber } from '../schema-kinds.ts';
import { accountToken } from './account-token.ts';
import { botLoopOf, botLoopProtection } from './bot-loop.ts';
import {
  accountKeys,
  DM_POLICIES,
  type FoundAccount,
  findAccounts,
  mapValues,
  people,
  replyModeOf,
  replyModes,
  streamingModeOf,
} from './channel-settings.ts';
import { closedSentence, closingSettings, type PlaceTools, placeTools } from './place-tools.ts';
import type { ReadToken } from './read-token-file.ts';

const place = {
  requireMention: flag().optional().describe('Whether the agent answers only messages that speak to it. Default true.'),
  ignoreOtherMentions: flag()
    .optional()
    .describe('Whether messages that mention somebody else, and not the bot, are left alone. Default false.'),
  users: people().optional().describe('The people whom the agent answers there, by their ids.'),
  roles: people().optional().describe('The roles whose members it answers there, by their ids, besides `users`.'),
  ...placeTools,
};

const archive = ['60', '1440', '4320', '10080'] as const;

const guildChannel = shared({
  ...place,
  enabled: flag().optional().describe('Whether the agent answers in this channel. Default true.'),
  allow: flag().optional().describe('The same as "enabled", as older configurations write it.'),
  autoThread: flag().optional().describe('`autoThread` for this channel.'),
  autoArchiveDuration: z
    .union([oneOf(archive), ...([60, 1440, 4320, 10_080] as const).map((each) => z.literal(each))], {
      error: 'one of 60, 1440, 4320, 10080',
    })
    .optional()
    .describe('After how many minutes without a message its threads are archived. Default 60.'),
});

const guild = shared({
  ...place,
  reactionNotifications: oneOf(['off', 'own', 'all', 'allowlist'])
    .optional()
    .describe('Which reactions are noted: "own" (to messages of the bot, the default), "all", "allowlist" or "off".'),
  channels: recordOf(guildChannel)
    .optional()
    .describe('The channels where the agent answers, by id or name; "*" is for all others. Default: every channel.'),
});

const discordKeys = {
  ...accountKeys,
  replyToMode: replyModes()
    .optional()
    .describe('Whether answers quote the message that they answer: "off", "first" or "all" parts. Default "off".'),
  token: secret().optional().describe('The token of the bot, from the page "Bot" in the Developer Portal.'),
  tokenFile: filledText().optional().describe('A private file that has the token in it.'),
  apiRoot: filledText().optional().describe('The address of the API. Default "https://discord.com/api".'),
  guilds: recordOf(guild)
    .optional()
    .describe('The servers where the agent answers, by id or name; "*" is for all others.'),
  dm: shared({
    enabled: flag().optional().describe('Whether direct messages are answered. Default true.'),
    policy: oneOf(DM_POLICIES).optional().describe('The same as "dmPolicy", as older configurations write it.'),
    allowFrom: people().optional().describe('The same as "allowFrom", as older configurations write it.'),
  }).optional(),
  allowBots: z
    .union([flag(), z.literal('mentions')], { error: 'true, false or "mentions"' })
    .optional()
    .describe('Whether messages of other bots are read: all, none, or those that mention the bot. Default false.'),
  botLoopProtection: botLoopProtection.optional(),
  historyLimit: wholeNumber(0, 1_000)
    .optional()
    .describe('How many messages that do not speak to the agent are kept for the next one that does. Default 20.'),
  autoThread: flag()
    .optional()
    .describe('Whether the answer to a message in a channel opens a thread from that message. Default false.'),
  thread: shared({
    initialHistoryLimit: wholeNumber(0, 1_000)
      .optional()
      .describe('How many earlier messages a fresh session of a thread is told. Default 100; 0 means none.'),
  }).optional(),
  commands: shared({
    native: z.union([flag(), text()], { error: 'true, false or "auto"' }).optional(),
    guilds: people().optional().describe('The servers that offer the commands. Default: all, and direct messages.'),
  })
    .optional()
    .describe('Whether Discord offers the chat commands when a slash is typed. Default true.'),
  actions: shared({
    reactions: flag().optional(),
    messages: flag().optional().describe('Editing and deleting messages.'),
    threads: flag().optional(),
  })
    .optional()
    .describe('What agents may do there besides answering. Default: everything.'),
  contextVisibility: oneOf(['all', 'allowlist', 'allowlist_quote'])
    .optional()
    .describe(
      'With "allowlist", the agent sees neither quotes of people who are not in the list, nor a past of threads.',
    ),
  suppressEmbeds: flag().optional().describe('Whether links are shown without a preview. Default true.'),
  proxy: text().optional().describe('Not used; the account is not started where it is set.'),
};

const discordAccount = shared(discordKeys);
type DiscordSettings = z.infer<typeof discordAccount>;
type GuildSettings = z.infer<typeof guild>;

export const discordSection = shared({
  ...discordKeys,
  accounts: recordOf(discordAccount)
    .optional()
    .describe('Several accounts by name; each takes from the section what it does not set.'),
});

const API_ROOT = 'https://discord.com/api';
/** Discord does not say how its tokens look; these signs and no others are in all of them. */
const TOKEN = /^[\w.=-]{20,}$/;
const MEGABYTE = 1_048_576;
const MESSAGE_LENGTH = 2_000;

/** Has the form of `DiscordAccount` in `extensions/discord/account.ts`. */
export type ConfiguredDiscordAccount = ReturnType<typeof accountOf>;

export function discordAccountsOf(
  config: Config,
  environment: Environment,
): { readonly accounts: readonly ConfiguredDiscordAccount[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const accounts: ConfiguredDiscordAccount[] = [];
  const section: z.infer<typeof discordSection> | undefined = config.channels?.discord;
  const variable = environment.variables.DISCORD_BOT_TOKEN?.trim() || undefined;
  const hasToken = ({ token, tokenFile }: DiscordSettings) => (token ?? tokenFile ?? variable) !== undefined;
  for (const found of findAccounts<DiscordSettings>('discord', section, hasToken)) {
    const { token, problem } = tokenOf(found, environment);
    if (problem !== undefined) problems.push(problem);
    if (token === undefined) continue;
    const same = accounts.find((other) => other.token === token);
    const reason =
      refusalOf(config, found) ??
      (same &&
        `${found.path} has the same token as ${same.path}, and one bot can be connected once. Write its own token into ${found.path}.token.`);
    if (reason !== undefined) {
      problems.push(reason);
      continue;
    }
    problems.push(...closedPlaces(config, found).map(closedSentence));
    accounts.push(accountOf(config, found, token));
  }
  return { accounts, problems };
}

function tokenOf(found: FoundAccount<DiscordSettings>, environment: Environment): ReadToken {
  const { path, settings } = found;
  const { token: written, tokenFile: file } = settings;
  const places = { key: 'token', written, fileKey: 'tokenFile', file, variable: 'DISCORD_BOT_TOKEN' };
  const read = accountToken(found, places, environment);
  if (read.token === undefined) {
    const missing = `${path} has no token, so this account of Discord is not started. The page "Bot" of the application in the Developer Portal gives one.`;
    return { problem: read.problem ?? missing };
  }
  // Some people copy the word that stands before the token in requests.
  const token = read.token.replace(/^Bot\s+/i, '');
  if (TOKEN.test(token)) return { ...read, token };
  return { problem: `The token of ${path} does not look like one of Discord, and is not used.` };
}

/** Why the account must not be started as it is. */
function refusalOf(config: Config, { settings, path }: FoundAccount<DiscordSettings>): string | undefined {
  if (settings.proxy && !isAccepted(config, `${path}.proxy`)) {
    return `${path}.proxy is set, and Atrium reaches Discord directly. The account is not started; take the setting back, or accept it with "acceptUnused": ["${path}.proxy"].`;
  }
  return /^https?:\/\/[^\s/]+/.test(settings.apiRoot?.trim() ?? API_ROOT)
    ? undefined
    : `${path}.apiRoot is not an address that begins with http:// or https://.`;
}

/** The settings that ask for other tools in one place. */
function closedPlaces(config: Config, { settings, path }: FoundAccount<DiscordSettings>): readonly string[] {
  return Object.entries(settings.guilds ?? {}).flatMap(([id, server]) => [
    ...closingSettings(config, `${path}.guilds.${id}`, server),
    ...Object.entries(server.channels ?? {}).flatMap(([name, each]) =>
      closingSettings(config, `${path}.guilds.${id}.channels.${name}`, each),
    ),
  ]);
}

function accountOf(config: Config, found: FoundAccount<DiscordSettings>, token: string) {
  const { accountId, settings, path } = found;
  const { dm = {}, thread = {}, commands = {}, actions = {}, guilds = {} } = settings;
  const isClosed = (at: string, place: PlaceTools) => closingSettings(config, at, place).length > 0;
  const seesOnlyListed = settings.contextVisibility === 'allowlist';
  return {
    accountId,
    path,
    token,
    apiRoot: (settings.apiRoot?.trim() ?? API_ROOT).replace(/(\/v\d+)?\/*$/, ''),
    dmPolicy: dm.enabled === false ? ('disabled' as const) : (settings.dmPolicy ?? dm.policy ?? ('pairing' as const)),
    allowFrom: idsOf(settings.allowFrom ?? dm.allowFrom) ?? [],
    groupPolicy: settings.groupPolicy ?? ('allowlist' as const),
    groupAllowFrom: idsOf(settings.groupAllowFrom),
    matchesNames: settings.dangerouslyAllowNameMatching ?? false,
    guilds: mapValues(guilds, (server, id) => ({
      ...placeOf(server),
      isOn: !isClosed(`${path}.guilds.${id}`, server),
      reactionNotifications: server.reactionNotifications,
      channels:
        server.channels &&
        mapValues(server.channels, (each, name) => ({
          ...placeOf(each),
          isOn:
            each.enabled !== false && each.allow !== false && !isClosed(`${path}.guilds.${id}.channels.${name}`, each),
          autoThread: each.autoThread,
          autoArchiveMinutes: each.autoArchiveDuration === undefined ? undefined : Number(each.autoArchiveDuration),
        })),
    })),
    allowBots: settings.allowBots ?? false,
    botLoop: botLoopOf(settings.botLoopProtection ?? {}),
    streaming: streamingModeOf(settings.streaming, 'progress'),
    replyToMode: replyModeOf(settings.replyToMode),
    autoThread: settings.autoThread ?? false,
    initialHistoryLimit: seesOnlyListed ? 0 : (thread.initialHistoryLimit ?? 100),
    quotesOnlyListed: seesOnlyListed,
    maxFileBytes: Math.floor((settings.mediaMaxMb ?? 25) * MEGABYTE),
    maxTextLength: Math.min(settings.textChunkLimit ?? MESSAGE_LENGTH, MESSAGE_LENGTH),
    suppressEmbeds: settings.suppressEmbeds ?? true,
    nativeCommands: { isOn: commands.native !== false, guilds: commands.guilds ?? [] },
    allows: {
      reactions: actions.reactions ?? true,
      messages: actions.messages ?? true,
      threads: actions.threads ?? true,
    },
  };
}

function placeOf({ requireMention, ignoreOtherMentions, users, roles }: GuildSettings) {
  return { requireMention, ignoreOtherMentions, users: idsOf(users), roles: idsOf(roles) };
}

/** Ids may be written as mentions and with what they are: `<@123>`, `user:123`, `role:456`. */
function idsOf(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.map((entry) =>
    entry
      .trim()
      .replace(/^<@[!&]?(\d+)>$/, '$1')
      .replace(/^(?:user|role):/i, ''),
  );
}
