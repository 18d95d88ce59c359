// The section `channels.slack` and the accounts that it has, with OpenClaw's keys and defaults. An account without its
// tokens is a problem in words and does not disturb the others.

import { z } from 'zod';
import type { Environment } from '../environment.ts';
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
  type ReplyToMode,
  replyModeOf,
  replyModes,
  STREAMING_MODES,
  streamingModeOf,
} from './channel-settings.ts';
import { closedSentence, closingSettings, placeTools } from './place-tools.ts';
import type { ReadToken } from './read-token-file.ts';

const bots = () => z.union([flag(), z.literal('mentions')], { error: 'true, false or "mentions"' });

const channel = shared({
  enabled: flag().optional().describe('Whether the agent answers in this channel. Default true.'),
  allow: flag().optional().describe('The same as "enabled", as older configurations write it.'),
  requireMention: flag().optional().describe('Whether the agent answers only messages that speak to it.'),
  users: people().optional().describe('The people whom the agent answers in this channel.'),
  allowBots: bots().optional().describe('Whether messages of other bots are heard in this channel.'),
  botLoopProtection: botLoopProtection.optional(),
  ...placeTools,
});

const slackKeys = {
  ...accountKeys,
  mode: oneOf(['socket', 'http']).optional().describe('"socket", the default. "http" is not there.'),
  botToken: secret().optional().describe('The Bot User OAuth Token, "xoxb-…".'),
  botTokenFile: filledText().optional().describe('A private file that has the bot token in it.'),
  appTokenFile: filledText().optional().describe('A private file that has the app-level token in it.'),
  replyToMode: replyModes()
    .optional()
    .describe('Whether answers go into a thread of the message: "off", "first" or "all" parts. Default "off".'),
  appToken: secret().optional().describe('The app-level token with the scope connections:write, "xapp-…".'),
  apiRoot: text().optional().describe("Where the Web API is, when it is not Slack's own."),
  dm: shared({
    enabled: flag().optional().describe('Whether direct messages are answered. Default true.'),
    policy: oneOf(DM_POLICIES).optional().describe('The same as "dmPolicy", as older configurations write it.'),
    allowFrom: people().optional().describe('The same as "allowFrom", as older configurations write it.'),
    groupEnabled: flag().optional().describe('Whether group direct messages are answered. Default false.'),
    groupChannels: people().optional().describe('The only group direct messages that are answered, by their ids.'),
    replyToMode: replyModes().optional().describe('"replyToMode" for direct messages.'),
  }).optional(),
  channels: recordOf(channel).optional().describe('Channels by their ids; "*" stands for all others.'),
  requireMention: flag()
    .optional()
    .describe('Whether the agent answers only messages that speak to it, in channels and groups. Default true.'),
  allowBots: bots().optional().describe('Whether messages of other bots are heard. Default false.'),
  historyLimit: wholeNumber(0, 1_000)
    .optional()
    .describe('How many messages that do not speak to the agent are kept for the next one that does. Default 50.'),
  botLoopProtection: botLoopProtection.optional(),
  actions: shared({
    reactions: flag().optional(),
    messages: flag().optional().describe('Editing and deleting messages.'),
  })
    .optional()
    .describe('What agents may do there besides answering. Default: everything.'),
  contextVisibility: oneOf(['all', 'allowlist', 'allowlist_quote'])
    .optional()
    .describe(
      'With "allowlist", the agent sees neither quotes of people who are not in the list, nor a past of threads.',
    ),
  replyToModeByChatType: shared({
    direct: replyModes().optional(),
    group: replyModes().optional(),
    channel: replyModes().optional(),
  })
    .optional()
    .describe('"replyToMode" by the kind of conversation.'),
  thread: shared({
    initialHistoryLimit: wholeNumber(0, 1_000)
      .optional()
      .describe('How many earlier messages a fresh session of a thread is told. Default 100; 0 means none.'),
    requireExplicitMention: flag()
      .optional()
      .describe('Whether a thread that the bot takes part in needs a mention all the same. Default false.'),
  }).optional(),
  reactionNotifications: oneOf(['off', 'own', 'all', 'allowlist'])
    .optional()
    .describe('Which reactions are noted: "own" (to messages of the bot, the default), "all", "allowlist" or "off".'),
  reactionAllowlist: people().optional().describe('The people whose reactions are noted under "allowlist".'),
  slashCommand: shared({
    enabled: flag().optional().describe('Whether slash commands of the app are taken. Default true.'),
  }).optional(),
  unfurlLinks: flag().optional().describe('Whether Slack shows previews of links. Default false.'),
  unfurlMedia: flag().optional().describe('Whether Slack shows previews of media.'),
  socketMode: shared({
    clientPingTimeout: wholeNumber(1_000, 600_000).optional().describe('In milliseconds. Default 15000.'),
    serverPingTimeout: wholeNumber(1_000, 600_000).optional().describe('In milliseconds. Default 30000.'),
  }).optional(),
};

const slackAccount = shared(slackKeys);

export const slackSection = shared({
  ...slackKeys,
  accounts: recordOf(slackAccount)
    .optional()
    .describe('Several accounts by name; each takes from the section what it does not set.'),
});

type SlackSettings = z.infer<typeof slackAccount>;

const MEGABYTE = 1_048_576;

/** Has the form of `SlackAccount` in `extensions/slack/account.ts`. */
type ConfiguredSlackAccount = ReturnType<typeof valuesOf> &
  Tokens & { readonly accountId: string; readonly path: string };

interface Tokens {
  readonly botToken: string;
  readonly appToken: string;
}

export function slackAccountsOf(
  config: Pick<Config, 'channels' | 'acceptUnused'>,
  environment: Pick<Environment, 'variables' | 'home' | 'cwd'>,
): { readonly accounts: readonly ConfiguredSlackAccount[]; readonly problems: readonly string[] } {
  const section: z.infer<typeof slackSection> | undefined = config.channels?.slack;
  const { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app } = environment.variables;
  const hasTokens = (settings: SlackSettings) =>
    Object.values(TOKENS).some(({ key }) => (settings[key] ?? settings[`${key}File`]) !== undefined) ||
    Boolean(bot?.trim() || app?.trim());
  const problems: string[] = [];
  const accounts: ConfiguredSlackAccount[] = [];
  for (const found of findAccounts<SlackSettings>('slack', section, hasTokens)) {
    const { accountId, settings, path } = found;
    const botToken = tokenOf(found, 'bot', environment);
    const appToken = tokenOf(found, 'app', environment);
    problems.push(...[botToken, appToken].flatMap(({ problem }) => (problem === undefined ? [] : [problem])));
    if (botToken.token === undefined || appToken.token === undefined) continue;
    const tokens = { botToken: botToken.token, appToken: appToken.token };
    const refusal = refusalOf(found, tokens, accounts);
    if (refusal !== undefined) {
      problems.push(refusal);
      continue;
    }
    const closed = closedChannels(config, found);
    problems.push(...closed.map(({ setting }) => closedSentence(setting)));
    accounts.push({ accountId, path, ...tokens, ...valuesOf(settings, new Set(closed.map(({ id }) => id))) });
  }
  return { accounts, problems };
}

const TOKENS = {
  bot: { key: 'botToken', variable: 'SLACK_BOT_TOKEN', prefix: 'xoxb-', name: 'the Bot User OAuth Token of the app' },
  app: { key: 'appToken', variable: 'SLACK_APP_TOKEN', prefix: 'xapp-', name: 'an app-level token of the app' },
} as const;

function tokenOf(
  found: FoundAccount<SlackSettings>,
  kind: keyof typeof TOKENS,
  environment: Pick<Environment, 'variables' | 'home' | 'cwd'>,
): ReadToken {
  const { key, variable, prefix, name } = TOKENS[kind];
  const { settings, path } = found;
  const fileKey = `${key}File` as const;
  const places = { key, written: settings[key], fileKey, file: settings[fileKey], variable };
  const read = accountToken(found, places, environment);
  if (read.token === undefined) {
    return {
      problem: read.problem ?? `${path} has no ${key}, so this account is not started. It is ${name}, ${prefix}….`,
    };
  }
  return read.token.startsWith(prefix)
    ? read
    : {
        problem: `${path}.${key} does not begin with ${prefix}, so it is not ${name}, and this account is not started.`,
      };
}

/** Why the account must not be started as it is. */
function refusalOf(
  { settings, path }: FoundAccount<SlackSettings>,
  { botToken }: Tokens,
  others: readonly ConfiguredSlackAccount[],
): string | undefined {
  const same = others.find((other) => other.botToken === botToken);
  if (same) return `${path} has the same botToken as ${same.path}, and one bot is one account. Give it its own app.`;
  if (settings.mode === 'http') {
    return `${path}.mode is "http", which is not there. Use "socket", which needs no public address.`;
  }
  return settings.apiRoot === undefined || /^https?:\/\/[^\s/]+/.test(settings.apiRoot.trim())
    ? undefined
    : `${path}.apiRoot is not an address that begins with http:// or https://.`;
}

/** The channels whose settings ask for other tools there. */
function closedChannels(config: object, { settings, path }: FoundAccount<SlackSettings>) {
  return Object.entries(settings.channels ?? {}).flatMap(([id, each]) =>
    closingSettings(config, `${path}.channels.${id}`, each).map((setting) => ({ id, setting })),
  );
}

function valuesOf(settings: SlackSettings, closed: ReadonlySet<string>) {
  const seesOnlyListed = settings.contextVisibility === 'allowlist';
  const { dm = {}, thread = {}, socketMode = {}, channels = {} } = settings;
  return {
    apiRoot: settings.apiRoot?.trim(),
    dmPolicy: dm.enabled === false ? ('disabled' as const) : (settings.dmPolicy ?? dm.policy ?? 'pairing'),
    allowFrom: idsOf(settings.allowFrom ?? dm.allowFrom) ?? [],
    groupDirects: { isEnabled: dm.groupEnabled === true, only: dm.groupChannels },
    groupPolicy: settings.groupPolicy ?? ('allowlist' as const),
    groupAllowFrom: idsOf(settings.groupAllowFrom),
    requireMention: settings.requireMention ?? true,
    channels: mapValues(channels, ({ enabled, allow, requireMention, users, allowBots, botLoopProtection }, id) => ({
      isEnabled: enabled !== false && allow !== false && !closed.has(id),
      requireMention,
      users: idsOf(users),
      allowBots,
      ...(botLoopProtection && { botLoop: botLoopOf(botLoopProtection) ?? null }),
    })),
    matchesNames: settings.dangerouslyAllowNameMatching ?? false,
    allowBots: settings.allowBots ?? false,
    replyToMode: replyModesOf(settings),
    streaming: streamingModeOf(settings.streaming, STREAMING_MODES[1]),
    initialHistoryLimit: seesOnlyListed ? 0 : (thread.initialHistoryLimit ?? 100),
    quotesOnlyListed: seesOnlyListed,
    botLoop: botLoopOf(settings.botLoopProtection ?? {}),
    allows: { reactions: settings.actions?.reactions ?? true, messages: settings.actions?.messages ?? true },
    requireExplicitMention: thread.requireExplicitMention ?? false,
    reactions: { mode: settings.reactionNotifications ?? ('own' as const), only: settings.reactionAllowlist ?? [] },
    takesCommands: settings.slashCommand?.enabled ?? true,
    unfurlLinks: settings.unfurlLinks ?? false,
    unfurlMedia: settings.unfurlMedia,
    textChunkLimit: settings.textChunkLimit ?? 4_000,
    maxFileBytes: Math.floor((settings.mediaMaxMb ?? 20) * MEGABYTE),
    clientPingTimeoutMs: socketMode.clientPingTimeout ?? 15_000,
    serverPingTimeoutMs: socketMode.serverPingTimeout ?? 30_000,
  };
}

function replyModesOf({ replyToMode, replyToModeByChatType = {}, dm = {} }: SlackSettings): {
  readonly direct: ReplyToMode;
  readonly group: ReplyToMode;
  readonly channel: ReplyToMode;
} {
  const { direct, group, channel } = replyToModeByChatType;
  return {
    direct: replyModeOf(direct ?? dm.replyToMode ?? replyToMode),
    group: replyModeOf(group ?? replyToMode),
    channel: replyModeOf(channel ?? replyToMode),
  };
}

/** Ids may be written as mentions and with what they are: `<@U123>`, `user:U123`. */
function idsOf(list: readonly string[] | undefined): readonly string[] | undefined {
  return list?.map((entry) =>
    entry
      .trim()
      .replace(/^<@([A-Z0-9]+)>$/, '$1')
      .replace(/^user:/i, ''),
  );
}
