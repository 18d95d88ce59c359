// The section `channels.telegram`: its keys, and the accounts that it describes as plain values with every default filled
// in. An account that cannot be used is a sentence for the operator and keeps no other account from working. What
// protects and is not there closes the place or the account that it was meant for, unless `acceptUnused` names it.

import { z } from 'zod';
import { listAgentIds } from '../agents.ts';
import type { Environment } from '../environment.ts';
import { isAccepted } from '../list-unused-settings.ts';
import type { Config } from '../schema.ts';
import { filledText, flag, oneOf, positive, recordOf, secret, shared, text, wholeNumber } from '../schema-kinds.ts';
import { accountToken } from './account-token.ts';
import {
  accountKeys,
  DM_POLICIES,
  type FoundAccount,
  findAccounts,
  GROUP_POLICIES,
  mapValues,
  mergeAccount,
  people,
  replyModeOf,
  streamingModeOf,
} from './channel-settings.ts';
import { givenSecret } from './given-secret.ts';
import { closedSentence, closingSettings, type PlaceTools, placeTools } from './place-tools.ts';
import type { ReadToken } from './read-token-file.ts';

const topic = {
  enabled: flag().optional().describe('Default true.'),
  groupPolicy: oneOf(GROUP_POLICIES).optional(),
  requireMention: flag().optional().describe('Whether the agent answers only messages that speak to it. Default true.'),
  allowFrom: people().optional().describe('The people whom the agent answers there. Default: `groupAllowFrom`.'),
};

const topics = recordOf(
  shared({ ...topic, agentId: text().optional().describe('The agent that answers in this topic.') }),
);

const account = {
  ...accountKeys,
  botToken: secret().optional().describe('The token that @BotFather gave.'),
  tokenFile: filledText().optional().describe('A private file that has the token in it.'),
  apiRoot: filledText().optional().describe('The address of the Bot API. Default "https://api.telegram.org".'),
  groups: recordOf(shared({ ...topic, ...placeTools, topics: topics.optional() }))
    .optional()
    .describe('The groups and channels where the agent answers, by the id of the chat; "*" is for all others.'),
  direct: recordOf(
    shared({
      enabled: flag().optional().describe('Default true.'),
      dmPolicy: oneOf(DM_POLICIES).optional(),
      allowFrom: people().optional(),
      ...placeTools,
      topics: recordOf(shared({ enabled: flag().optional(), allowFrom: people().optional() })).optional(),
    }),
  )
    .optional()
    .describe('Settings of single direct chats, by the id of the chat.'),
  dm: shared({
    threadReplies: oneOf(['off', 'inbound', 'always'])
      .optional()
      .describe('With "off", topics of a direct chat are one conversation. Default "inbound".'),
  }).optional(),
  allowBots: flag().optional().describe('Whether messages of other bots are read. Default false.'),
  reactionNotifications: oneOf(['off', 'own', 'all'])
    .optional()
    .describe('Which reactions are noted: none, those to the messages of the bot, or all. Default "all".'),
  contextVisibility: oneOf(['all', 'allowlist', 'allowlist_quote'])
    .optional()
    .describe('With "allowlist", a quoted message is shown only when its author is in the list of the place.'),
  capabilities: z
    .union(
      [
        shared({ inlineButtons: oneOf(['off', 'dm', 'group', 'all', 'allowlist']).optional() }),
        z.array(text(), { error: 'a list of texts' }),
      ],
      { error: 'an object' },
    )
    .optional()
    .describe('Where buttons are shown: "off", "dm", "group" or "all". Default: everywhere.'),
  actions: shared({
    reactions: flag().optional(),
    editMessage: flag().optional(),
    deleteMessage: flag().optional(),
    createForumTopic: flag().optional(),
    sendMessage: flag().optional().describe('Not used; with false the account is not started.'),
  })
    .optional()
    .describe('What agents may do there besides answering. Default: everything.'),
  commands: shared({ native: z.union([flag(), text()], { error: 'true, false or "auto"' }).optional() })
    .optional()
    .describe('Whether the menu of the bot has the chat commands. Default true.'),
  customCommands: z
    .array(shared({ command: text(), description: text() }), { error: 'a list of commands' })
    .optional()
    .describe('Entries of the menu besides them.'),
  historyLimit: wholeNumber(0, 100_000)
    .optional()
    .describe('How many messages of a group that did not speak to the agent it reads at the next one that does.'),
  linkPreview: flag().optional().describe('Whether Telegram shows what a link leads to. Default true.'),
  mediaGroupFlushMs: wholeNumber(10, 60_000)
    .optional()
    .describe('How long the rest of an album is waited for. Default 500.'),
  timeoutSeconds: positive().optional().describe('The longest that a request to Telegram may take. Default 60.'),
  proxy: text().optional().describe('Not used; the account is not started where it is set.'),
  webhookUrl: text().optional().describe('Where Telegram posts updates to. Without it, they are fetched.'),
  webhookSecret: secret().optional().describe('What Telegram proves itself with: letters, digits, "_" and "-".'),
  webhookPath: text().optional().describe('Default "/telegram-webhook".'),
  webhookHost: text().optional().describe('Where the gateway listens for it. Default "127.0.0.1".'),
  webhookPort: wholeNumber(1, 65_535).optional().describe('Default 8787.'),
};

const accountSection = shared(account);
type AccountSettings = z.infer<typeof accountSection>;

export const telegramSection = shared({ ...account, accounts: recordOf(accountSection).optional() });

/** Has the form of `TelegramAccount` in `extensions/telegram/account.ts`. */
export type ConfiguredTelegramAccount = ReturnType<typeof accountOf>;

const API_ROOT = 'https://api.telegram.org';
const TOKEN = /^\d{3,}:[\w-]{10,}$/;

export function telegramAccountsOf(
  config: Config,
  environment: Environment,
): { readonly accounts: readonly ConfiguredTelegramAccount[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const accounts: ConfiguredTelegramAccount[] = [];
  const { telegram } = config.channels ?? {};
  const variable = environment.variables.TELEGRAM_BOT_TOKEN;
  const hasToken = ({ botToken, tokenFile }: AccountSettings) => (botToken ?? tokenFile ?? variable) !== undefined;
  for (const found of findAccounts<AccountSettings>('telegram', telegram, hasToken, mergeTelegram)) {
    const { token, problem } = tokenOf(found, environment);
    if (problem !== undefined) problems.push(problem);
    if (token === undefined) continue;
    const reason =
      refusalOf(config, found) ??
      accounts.flatMap((other) => (other.token === token ? sameToken(found, other) : []))[0] ??
      webhookProblem(found, accounts, environment);
    if (reason !== undefined) {
      problems.push(reason);
      continue;
    }
    problems.push(...noticesOf(config, found));
    accounts.push(accountOf(config, environment, found, token));
  }
  return { accounts, problems };
}

/**
 * As OpenClaw does it: of several accounts each names its own groups, and where the section names people, "*" of an
 * account does not open it to everybody.
 */
function mergeTelegram(
  shared: AccountSettings,
  own: Partial<AccountSettings>,
  isOneOfSeveral: boolean,
): AccountSettings {
  const hasGroups = Object.keys(own.groups ?? {}).length > 0;
  const namesPeople = shared.allowFrom?.some((entry) => !['', '*'].includes(entry.trim())) === true;
  const people = own.allowFrom?.filter((entry) => entry.trim() !== '*') ?? [];
  const isOpened = own.allowFrom !== undefined && people.length < own.allowFrom.length;
  return {
    ...mergeAccount(shared, own),
    groups: isOneOfSeveral || hasGroups ? own.groups : shared.groups,
    ...(namesPeople && isOpened && { allowFrom: people.length > 0 ? people : shared.allowFrom }),
  };
}

function tokenOf(found: FoundAccount<AccountSettings>, environment: Environment): ReadToken {
  const { path, settings } = found;
  const { botToken: written, tokenFile: file } = settings;
  const places = { key: 'botToken', written, fileKey: 'tokenFile', file, variable: 'TELEGRAM_BOT_TOKEN' };
  const read = accountToken(found, places, environment);
  if (read.token === undefined) {
    const missing = `${path} has no botToken, so this account of Telegram is not started. @BotFather gives one.`;
    return { problem: read.problem ?? missing };
  }
  if (TOKEN.test(read.token)) return read;
  return { problem: `The token of ${path} does not look like one of Telegram, such as 123456:ABC…, and is not used.` };
}

/** Why the account must not be started as it is. */
function refusalOf(config: Config, { settings, path }: FoundAccount<AccountSettings>): string | undefined {
  const closed = (key: string, why: string) =>
    isAccepted(config, `${path}.${key}`)
      ? undefined
      : `${path}.${key} is set, and ${why}. The account is not started; take the setting back, or accept it with "acceptUnused": ["${path}.${key}"].`;
  if (settings.proxy) return closed('proxy', 'Atrium reaches Telegram directly');
  if (settings.actions?.sendMessage === false) {
    return closed('actions.sendMessage', 'Atrium cannot keep agents from writing there');
  }
  if (rootOf(settings) === undefined) return `${path}.apiRoot is not an address that begins with http:// or https://.`;
  return undefined;
}

function sameToken({ path }: FoundAccount<AccountSettings>, other: { readonly path: string }): string {
  return `${path} has the same token as ${other.path}, and one bot can be connected once. Write its own token into ${path}.botToken.`;
}

function webhookProblem(
  { settings, path }: FoundAccount<AccountSettings>,
  others: readonly ConfiguredTelegramAccount[],
  environment: Environment,
): string | undefined {
  const { webhookUrl } = settings;
  if (!webhookUrl) return undefined;
  if (!/^https?:\/\/\S+$/.test(webhookUrl)) return `${path}.webhookUrl is not an address.`;
  const own = webhookOf(settings, environment);
  if (!own || !/^[\w-]{1,256}$/.test(own.secret)) {
    return `${path}.webhookUrl needs ${path}.webhookSecret: 1 to 256 letters, digits, "_" and "-", which only Telegram and you know.`;
  }
  const same = others.find(
    ({ webhook }) =>
      webhook && own && webhook.path === own.path && webhook.port === own.port && webhook.secret === own.secret,
  );
  return same && `${path} has the same webhookPath and webhookSecret as ${same.path}. Give it a secret of its own.`;
}

/** What the operator should know, although the account works. */
function noticesOf(config: Config, found: FoundAccount<AccountSettings>): readonly string[] {
  const { settings, path } = found;
  const known = new Set(listAgentIds(config));
  const closed = closedPlaces(config, found).map(closedSentence);
  const unknown = Object.entries(settings.groups ?? {}).flatMap(([chat, group]) =>
    Object.entries(group.topics ?? {})
      .filter(([, { agentId }]) => agentId !== undefined && !known.has(agentId))
      .map(
        ([id, { agentId }]) =>
          `${path}.groups.${chat}.topics.${id}.agentId names the agent ${agentId}, which does not exist. Topic ${id} is answered by the agent of the group.`,
      ),
  );
  return [...closed, ...unknown];
}

/** The settings that ask for other tools in one place. */
function closedPlaces(config: Config, { settings, path }: FoundAccount<AccountSettings>): readonly string[] {
  const { groups = {}, direct = {} } = settings;
  return Object.entries({ groups, direct }).flatMap(([kind, places]) =>
    Object.entries<PlaceTools>(places).flatMap(([id, place]) =>
      closingSettings(config, `${path}.${kind}.${id}`, place),
    ),
  );
}

function accountOf(config: Config, environment: Environment, found: FoundAccount<AccountSettings>, token: string) {
  const { accountId, settings, path } = found;
  const isClosed = (at: string, place: PlaceTools) => closingSettings(config, at, place).length > 0;
  const agents = new Set(listAgentIds(config));
  const buttons = buttonsOf(settings);
  const { actions = {} } = settings;
  return {
    accountId,
    path,
    token,
    apiRoot: rootOf(settings) ?? API_ROOT,
    dmPolicy: settings.dmPolicy ?? 'pairing',
    allowFrom: settings.allowFrom ?? [],
    groupPolicy: settings.groupPolicy ?? 'allowlist',
    groupAllowFrom: settings.groupAllowFrom,
    matchesNames: settings.dangerouslyAllowNameMatching ?? false,
    direct: mapValues(settings.direct ?? {}, (chat, id) => ({
      enabled: isClosed(`${path}.direct.${id}`, chat) ? false : chat.enabled,
      dmPolicy: chat.dmPolicy,
      allowFrom: chat.allowFrom,
      topics: mapValues(chat.topics ?? {}, (each) => ({ enabled: each.enabled, allowFrom: each.allowFrom })),
    })),
    groups: mapValues(settings.groups ?? {}, (group, id) => ({
      enabled: isClosed(`${path}.groups.${id}`, group) ? false : group.enabled,
      groupPolicy: group.groupPolicy,
      requireMention: group.requireMention,
      allowFrom: group.allowFrom,
      topics: mapValues(group.topics ?? {}, (each) => ({
        enabled: each.enabled,
        groupPolicy: each.groupPolicy,
        requireMention: each.requireMention,
        allowFrom: each.allowFrom,
        agentId: each.agentId !== undefined && agents.has(each.agentId) ? each.agentId : undefined,
      })),
    })),
    allowBots: settings.allowBots ?? false,
    hasDirectTopics: settings.dm?.threadReplies !== 'off',
    quotesOnlyListed: settings.contextVisibility === 'allowlist',
    streaming: streamingModeOf(settings.streaming, 'partial'),
    replyToMode: replyModeOf(settings.replyToMode),
    maxTextLength: Math.min(settings.textChunkLimit ?? 4_000, 4_096),
    maxFileBytes: (settings.mediaMaxMb ?? 100) * 1024 * 1024,
    showsLinkPreviews: settings.linkPreview ?? true,
    showsButtons: { direct: buttons !== 'off' && buttons !== 'group', shared: buttons !== 'off' && buttons !== 'dm' },
    allows: {
      reactions: actions.reactions ?? true,
      editMessage: actions.editMessage ?? true,
      deleteMessage: actions.deleteMessage ?? true,
      createForumTopic: actions.createForumTopic ?? true,
    },
    reactionNotifications: settings.reactionNotifications ?? 'all',
    albumWaitMs: settings.mediaGroupFlushMs ?? 500,
    timeoutSeconds: Math.max(10, settings.timeoutSeconds ?? 60),
    showsCommands: settings.commands?.native !== false,
    customCommands: (settings.customCommands ?? []).map(({ command, description }) => ({
      command: command.replace(/^\//, '').toLowerCase(),
      description,
    })),
    webhook: webhookOf(settings, environment),
  } as const;
}

/** Without a slash at the end, and without the token that some people write behind it. */
function rootOf({ apiRoot }: AccountSettings): string | undefined {
  const root = (apiRoot ?? API_ROOT).trim().replace(/(\/bot\d+:[\w-]+)?\/*$/, '');
  return /^https?:\/\/[^\s/]+/.test(root) ? root : undefined;
}

function webhookOf(settings: AccountSettings, environment: Environment) {
  const { webhookUrl: url, webhookHost, webhookPort, webhookPath } = settings;
  const { value: secret } = givenSecret(settings.webhookSecret, 'webhookSecret', environment.variables);
  if (!url || secret === undefined) return undefined;
  const path = webhookPath?.trim() || '/telegram-webhook';
  return {
    url,
    secret,
    host: webhookHost?.trim() || '127.0.0.1',
    port: webhookPort ?? 8787,
    path: path.startsWith('/') ? path : `/${path}`,
  };
}

/** An old form is a list of what the chat can do; buttons are only where it names them. */
function buttonsOf({ capabilities }: AccountSettings): string {
  if (capabilities === undefined) return 'all';
  if (Array.isArray(capabilities))
    return capabilities.some((each) => each.trim().toLowerCase() === 'inlinebuttons') ? 'all' : 'off';
  return capabilities.inlineButtons ?? 'all';
}
