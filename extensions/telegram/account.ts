// What the configuration says about one bot, as plain values with every default filled in. The gateway makes it of the
// section `channels.telegram`; nothing here reads a file or the environment.

import type { DirectRules, SharedRules } from '../../src/channels/access.ts';
import type { DraftMode } from '../../src/channels/channel-capabilities.ts';
import type { ChannelAccount } from '../../src/channels/channel-extension.ts';
import type { ReplyToMode } from '../../src/channels/reply-target.ts';

export interface TelegramAccount extends ChannelAccount {
  /** Where an operator finds it: `channels.telegram` or `channels.telegram.accounts.work`. */
  readonly path: string;
  readonly token: string;
  /** It has no slash at the end. */
  readonly apiRoot: string;
  readonly dmPolicy: DirectRules['policy'];
  readonly allowFrom: readonly string[];
  readonly groupPolicy: SharedRules['policy'];
  /** Undefined means `allowFrom`. */
  readonly groupAllowFrom?: readonly string[] | undefined;
  readonly matchesNames: boolean;
  /** Settings of single direct chats, by the id of the chat. */
  readonly direct: Readonly<Record<string, TelegramDirect>>;
  /** Settings of groups and channels, by the id of the chat; `*` is for those that have none of their own. */
  readonly groups: Readonly<Record<string, TelegramGroup>>;
  /** Whether messages of other bots are handed over. */
  readonly allowBots: boolean;
  /** Whether a topic of a direct chat is a place of its own. */
  readonly hasDirectTopics: boolean;
  /** Whether a quoted message is handed over only when its author is in the list of the place. */
  readonly quotesOnlyListed: boolean;
  readonly streaming: DraftMode;
  readonly replyToMode: ReplyToMode;
  readonly maxTextLength: number;
  readonly maxFileBytes: number;
  readonly showsLinkPreviews: boolean;
  readonly showsButtons: { readonly direct: boolean; readonly shared: boolean };
  /** What agents may do besides answering. */
  readonly allows: Readonly<Record<'reactions' | 'editMessage' | 'deleteMessage' | 'createForumTopic', boolean>>;
  /** Which reactions of people are handed over: none, those to the bot's messages, or all. */
  readonly reactionNotifications: 'off' | 'own' | 'all';
  /** How long the rest of an album is waited for. */
  readonly albumWaitMs: number;
  /** How long a request may take. */
  readonly timeoutSeconds: number;
  /** Whether the commands of the gateway are in the menu of the bot. */
  readonly showsCommands: boolean;
  /** Entries of the menu besides them. */
  readonly customCommands: readonly { readonly command: string; readonly description: string }[];
  /** Without it, updates are fetched. */
  readonly webhook?: TelegramWebhook | undefined;
}

export interface TelegramDirect {
  readonly enabled?: boolean | undefined;
  readonly dmPolicy?: DirectRules['policy'] | undefined;
  readonly allowFrom?: readonly string[] | undefined;
  /** The settings of each topic, by its id. */
  readonly topics?: Readonly<Record<string, Pick<TelegramTopic, 'enabled' | 'allowFrom'>>> | undefined;
}

export interface TelegramTopic {
  readonly enabled?: boolean | undefined;
  readonly groupPolicy?: SharedRules['policy'] | undefined;
  readonly allowFrom?: readonly string[] | undefined;
  readonly requireMention?: boolean | undefined;
  /** The agent that answers there; the gateway has checked that it exists. */
  readonly agentId?: string | undefined;
}

export interface TelegramGroup extends Omit<TelegramTopic, 'agentId'> {
  /** The settings of each topic, by its id; `1` is the main topic of a forum, and `*` is for topics that have none of their own. */
  readonly topics?: Readonly<Record<string, TelegramTopic>> | undefined;
}

export interface TelegramWebhook {
  /** What Telegram calls. */
  readonly url: string;
  readonly secret: string;
  /** Where this process listens. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** The first part of a token is the id of the bot. */
export function botIdOf({ token }: Pick<TelegramAccount, 'token'>): number {
  return Number(token.split(':')[0]);
}
