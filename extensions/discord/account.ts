// What the configuration says about one account of Discord, as plain values: defaults are filled in, and old spellings
// are already translated. Nothing here is looked up later.

import type { DirectRules, SharedRules } from '../../src/channels/access.ts';
import type { BotLoopSettings } from '../../src/channels/bot-loops.ts';
import type { DraftMode } from '../../src/channels/channel-capabilities.ts';
import type { ChannelAccount } from '../../src/channels/channel-extension.ts';
import type { ReplyToMode } from '../../src/channels/reply-target.ts';

export interface DiscordAccount extends ChannelAccount {
  readonly token: string;
  /** Where the API is, without the version: `https://discord.com/api`. */
  readonly apiRoot: string;
  /** Where an operator finds the settings: `channels.discord` or `channels.discord.accounts.work`. */
  readonly path: string;
  readonly dmPolicy: DirectRules['policy'];
  readonly allowFrom: readonly string[];
  readonly groupPolicy: SharedRules['policy'];
  /** Undefined means that the place decides alone. */
  readonly groupAllowFrom?: readonly string[] | undefined;
  readonly matchesNames: boolean;
  /** The settings of each server, by its id or by its name in the form `my-server`; `*` is for all others. */
  readonly guilds: Readonly<Record<string, GuildSettings>>;
  /** Whether messages of other bots are read: all, none, or those that mention this bot. */
  readonly allowBots: boolean | 'mentions';
  /** Where other bots are read: more messages of one bot than this are left alone. Undefined means no bound. */
  readonly botLoop?: BotLoopSettings | undefined;
  readonly streaming: DraftMode;
  readonly replyToMode: ReplyToMode;
  /** Whether the answer to a message in a channel opens a thread from that message. */
  readonly autoThread: boolean;
  /** How many messages a fresh session of a thread is told. */
  readonly initialHistoryLimit: number;
  /** Whether the agent sees only those quotes whose author is in the list of the place. */
  readonly quotesOnlyListed: boolean;
  readonly maxFileBytes: number;
  /** The longest text of one message; at most 2,000. */
  readonly maxTextLength: number;
  /** Whether links are shown without a preview. */
  readonly suppressEmbeds: boolean;
  readonly nativeCommands: NativeCommandSettings;
  /** What agents may do besides answering. */
  readonly allows: { readonly reactions: boolean; readonly messages: boolean; readonly threads: boolean };
}

export interface GuildSettings extends PlaceSettings {
  /** Which reactions are noted: none, those to messages of the bot, all, or those of the people in `users`. */
  readonly reactionNotifications?: 'off' | 'own' | 'all' | 'allowlist' | undefined;
  /** The settings of each channel, by its id or its name; `*` is for all others. Undefined means every channel of the server. */
  readonly channels?: Readonly<Record<string, GuildChannelSettings>> | undefined;
}

export interface GuildChannelSettings extends PlaceSettings {
  readonly autoThread?: boolean | undefined;
  /** After how many minutes without a message a thread is archived: 60, 1440, 4320 or 10080. */
  readonly autoArchiveMinutes?: number | undefined;
}

interface PlaceSettings {
  /** False for a place that is switched off. */
  readonly isOn: boolean;
  readonly requireMention?: boolean | undefined;
  /** Whether messages that mention somebody else, and not the bot, are left alone. */
  readonly ignoreOtherMentions?: boolean | undefined;
  readonly users?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
}

export interface NativeCommandSettings {
  readonly isOn: boolean;
  /** The servers where commands are registered. Empty means everywhere, in servers and direct conversations. */
  readonly guilds: readonly string[];
}
