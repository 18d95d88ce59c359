// One account of Slack as the configuration has it, as plain values: its tokens, who may talk where, and how answers are
// shown. Defaults were filled in before; this file reads nothing.

import type { AccessRules } from '../../src/channels/access.ts';
import type { BotLoopSettings } from '../../src/channels/bot-loops.ts';
import type { DraftMode } from '../../src/channels/channel-capabilities.ts';
import type { ChannelAccount } from '../../src/channels/channel-extension.ts';
import type { ReplyToMode } from '../../src/channels/reply-target.ts';
import type { Peer } from '../../src/protocol/inbound.ts';

export interface SlackAccount extends ChannelAccount {
  /** `xoxb-…` */
  readonly botToken: string;
  /** `xapp-…`, with the scope `connections:write`. */
  readonly appToken: string;
  /** Where the Web API is, when it is not Slack's own. */
  readonly apiRoot?: string | undefined;
  /** Where the operator finds the account: `channels.slack` or `channels.slack.accounts.work`. */
  readonly path: string;
  readonly dmPolicy: Extract<AccessRules, { kind: 'direct' }>['policy'];
  readonly allowFrom: readonly string[];
  /** Whether group direct messages are answered, and in which of them; undefined means in all. */
  readonly groupDirects: { readonly isEnabled: boolean; readonly only?: readonly string[] | undefined };
  readonly groupPolicy: Extract<AccessRules, { kind: 'shared' }>['policy'];
  readonly groupAllowFrom?: readonly string[] | undefined;
  readonly requireMention: boolean;
  /** By the id of the channel, by `*`, and by name where names may be matched. */
  readonly channels: Readonly<Record<string, SlackChannelSettings>>;
  readonly matchesNames: boolean;
  readonly allowBots: BotPolicy;
  /** Undefined means that messages of bots are not counted. */
  readonly botLoop?: BotLoopSettings | undefined;
  /** What agents may do besides answering. */
  readonly allows: { readonly reactions: boolean; readonly messages: boolean };
  /** Whether the agent sees only quotes of people who may talk to it in this place. */
  readonly quotesOnlyListed: boolean;
  readonly replyToMode: Readonly<Record<Peer['kind'], ReplyToMode>>;
  readonly streaming: DraftMode;
  readonly initialHistoryLimit: number;
  /** Whether a thread that the bot takes part in needs a mention all the same. */
  readonly requireExplicitMention: boolean;
  readonly reactions: { readonly mode: 'off' | 'own' | 'all' | 'allowlist'; readonly only: readonly string[] };
  readonly takesCommands: boolean;
  readonly unfurlLinks: boolean;
  readonly unfurlMedia?: boolean | undefined;
  readonly textChunkLimit: number;
  readonly maxFileBytes: number;
  readonly clientPingTimeoutMs: number;
  readonly serverPingTimeoutMs: number;
}

/** Whether messages of other bots are handed over: never, always, or when they mention this bot. */
export type BotPolicy = boolean | 'mentions';

export interface SlackChannelSettings {
  readonly isEnabled: boolean;
  readonly requireMention?: boolean | undefined;
  readonly users?: readonly string[] | undefined;
  readonly allowBots?: BotPolicy | undefined;
  /** Null means that messages of bots are not counted here. */
  readonly botLoop?: BotLoopSettings | null | undefined;
}

/** The settings of a channel: by its id, else by its name where that is allowed, else those for all. */
export function channelSettingsOf(
  { channels, matchesNames }: Pick<SlackAccount, 'channels' | 'matchesNames'>,
  id: string,
  name: string | undefined,
): SlackChannelSettings | undefined {
  const named = matchesNames && name !== undefined ? (own(channels, name) ?? own(channels, `#${name}`)) : undefined;
  return own(channels, id) ?? named ?? own(channels, '*');
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
