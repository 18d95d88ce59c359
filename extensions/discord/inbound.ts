// Discord's events as inbounds and changes. The words of people are taken as they are, but for the mention of the bot at
// the start, so that a command after it is one. Everything that the bot itself wrote is left out, and so is what other
// bots write unless the operator wants it.

import type {
  APIAttachment,
  APIMessage,
  APIUser,
  GatewayMessageDeleteDispatchData,
  GatewayMessageReactionAddDispatchData,
  GatewayMessageReactionRemoveDispatchData,
} from '@discordjs/core';
import { isInList } from '../../src/channels/access.ts';
import type { Inbound, Quote, Sender, Space, Surface } from '../../src/protocol/inbound.ts';
import type { InboundChange } from '../../src/protocol/inbound-change.ts';
import { accessRulesFor, settingsFor } from './access.ts';
import type { DiscordAccount } from './account.ts';
import type { AutoThreads } from './auto-threads.ts';
import type { KeptFiles } from './files.ts';
import type { Place, Places } from './places.ts';
import { surfaceOf } from './surface.ts';

/** A message as the gateway or the REST API has it; only the gateway says which server and which member. */
export type ReceivedMessage = APIMessage & {
  readonly guild_id?: string | undefined;
  readonly member?: { readonly roles?: readonly string[]; readonly nick?: string | null } | undefined;
};

export interface InboundParts {
  readonly account: DiscordAccount;
  readonly bot: { readonly id: string; readonly name: string };
  readonly places: Places;
  readonly keepFiles: (files: readonly APIAttachment[]) => Promise<KeptFiles>;
  /** The roles of a member, for messages that do not bring them along. */
  readonly rolesOf: (guildId: string, userId: string) => Promise<readonly string[]>;
  readonly autoThreads: AutoThreads;
  /** Whether a bot writes so much in a channel that it seems to answer the agent for ever. */
  readonly isLooping: (channelId: string, botId: string) => boolean;
}

const MESSAGE_TYPES = { default: 0, reply: 19 };
const LONGEST_QUOTE = 2_000;
const LONGEST_THREAD_NAME = 80;

export async function readMessage(message: ReceivedMessage, parts: InboundParts): Promise<Inbound | undefined> {
  const { account, bot, places } = parts;
  if (message.author.id === bot.id) return undefined;
  if (message.type !== MESSAGE_TYPES.default && message.type !== MESSAGE_TYPES.reply) return undefined;
  const place = await places.find(message.channel_id, message.guild_id);
  const isMentioned = await speaksToBot(message, place, parts);
  const isBot = message.author.bot === true || message.webhook_id !== undefined;
  if (isBot && !(account.allowBots === true || (account.allowBots === 'mentions' && isMentioned))) return undefined;
  if (isBot && parts.isLooping(message.channel_id, message.author.id)) return undefined;
  const space = await spaceOf(place.guildId, message, parts);
  const surface = surfaceOf(account.accountId, place);
  const settings = settingsFor(account, space, surface, (id) => places.known(id)?.name);
  const ignoresOthers = settings.channel?.ignoreOtherMentions ?? settings.guild?.ignoreOtherMentions ?? false;
  if (ignoresOthers && !isMentioned && mentionsOthers(message, bot.id)) return undefined;
  const { refs, missing } = await parts.keepFiles(message.attachments);
  const text = [textOf(message, bot, missing.length + refs.length > 0), ...missing].filter(Boolean).join('\n');
  if (text === '' && refs.length === 0) return undefined;
  const requiresMention = settings.channel?.requireMention ?? settings.guild?.requireMention ?? true;
  const opensThread = (settings.channel?.autoThread ?? account.autoThread) && place.hasThreads;
  const threadId = opensThread && (isMentioned || !requiresMention) ? message.id : undefined;
  if (threadId !== undefined) parts.autoThreads.add(threadId, threadNameOf(text));
  const { message_reference: reference } = message;
  const quote = quoteOf(message, bot.id);
  const isQuoteSeen = quote?.isOwn || !account.quotesOnlyListed || isListed(quote, surface, space, parts);
  return {
    surface: threadId === undefined ? surface : { ...surface, threadId },
    sender: senderOf(message.author, message.member?.nick),
    text,
    at: Date.parse(message.timestamp),
    eventId: `message:${message.id}`,
    messageId: message.id,
    wasMentioned: isMentioned,
    ...(refs.length > 0 && { attachments: refs }),
    ...(reference?.message_id !== undefined && !isForward(message) && { replyToId: reference.message_id }),
    ...(quote && isQuoteSeen && { quote }),
    ...(space && { space }),
    ...(place.name !== undefined && { placeName: place.name }),
  };
}

export async function readEdit(message: ReceivedMessage, parts: InboundParts): Promise<InboundChange | undefined> {
  // Discord also sends this event when it has made the preview of a link.
  if (!message.edited_timestamp || typeof message.content !== 'string' || !message.author) return undefined;
  if (message.author.id === parts.bot.id || message.author.bot === true) return undefined;
  const place = await parts.places.find(message.channel_id, message.guild_id);
  const space = await spaceOf(place.guildId, message, parts);
  return {
    kind: 'edit',
    surface: surfaceOfMessage(place, message.id, parts),
    sender: senderOf(message.author, message.member?.nick),
    ...(space && { space }),
    messageId: message.id,
    text: textOf(message, parts.bot, message.attachments.length > 0),
    at: Date.parse(message.edited_timestamp),
    eventId: `edit:${message.id}:${message.edited_timestamp}`,
  };
}

/** Discord does not say who deleted a message. In a direct conversation it was the person; elsewhere it is unknown. */
export async function readDelete(
  event: GatewayMessageDeleteDispatchData,
  authorId: string | undefined,
  now: number,
  parts: InboundParts,
): Promise<InboundChange | undefined> {
  const place = await parts.places.find(event.channel_id, event.guild_id);
  const space = await spaceOf(place.guildId, authorId === undefined ? {} : { author: { id: authorId } }, parts);
  return {
    kind: 'delete',
    surface: surfaceOfMessage(place, event.id, parts),
    sender: { id: authorId ?? place.recipientId ?? 'unknown' },
    ...(space && { space }),
    messageId: event.id,
    at: now,
    eventId: `delete:${event.id}`,
  };
}

export interface ReactionFacts {
  /** Tells this event from an equal one later. */
  readonly eventName: string;
  readonly isRemoved: boolean;
  /** Whether the bot wrote the message, as far as it is known. */
  readonly isToBot: boolean;
  readonly now: number;
}

/** In a server, the settings say which reactions are noted; in a direct conversation all are. */
export async function readReaction(
  event: GatewayMessageReactionAddDispatchData | GatewayMessageReactionRemoveDispatchData,
  facts: ReactionFacts,
  parts: InboundParts,
): Promise<InboundChange | undefined> {
  const { eventName, isRemoved, isToBot, now } = facts;
  if (event.user_id === parts.bot.id) return undefined;
  const place = await parts.places.find(event.channel_id, event.guild_id);
  const { id, name } = event.emoji;
  const member = 'member' in event ? event.member : undefined;
  const user = member?.user;
  const space = await spaceOf(place.guildId, { author: { id: event.user_id }, member }, parts);
  const surface = surfaceOfMessage(place, event.message_id, parts);
  const { guild } = settingsFor(parts.account, space, surface, (channelId) => parts.places.known(channelId)?.name);
  const noted = guild?.reactionNotifications ?? 'own';
  const isNoted = {
    off: false,
    own: isToBot,
    all: true,
    allowlist: guild?.users?.includes(event.user_id) === true,
  }[noted];
  if (space && !isNoted) return undefined;
  return {
    kind: 'reaction',
    surface,
    sender: user ? senderOf(user) : { id: event.user_id },
    ...(space && { space }),
    messageId: event.message_id,
    emoji: id ? `${name ?? ''}:${id}` : (name ?? ''),
    ...(isRemoved && { isRemoved }),
    at: now,
    eventId: `reaction:${eventName}`,
  };
}

export function senderOf(user: APIUser, nick?: string | null): Sender {
  return { id: user.id, name: nick ?? user.global_name ?? user.username, username: user.username };
}

export async function spaceOf(
  guildId: string | undefined,
  message: {
    readonly author?: Pick<APIUser, 'id'>;
    readonly member?: { readonly roles?: readonly string[] } | undefined;
  },
  { places, rolesOf }: Pick<InboundParts, 'places' | 'rolesOf'>,
): Promise<Space | undefined> {
  if (guildId === undefined) return undefined;
  const name = await places.guildName(guildId);
  const senderRoles = message.member?.roles ?? (message.author ? await rolesOf(guildId, message.author.id) : []);
  return { id: guildId, ...(name !== undefined && { name }), senderRoles };
}

/** The first message of a thread that an answer opens stands in the channel, and belongs to the thread. */
function surfaceOfMessage(place: Place, messageId: string, parts: InboundParts): Surface {
  const surface = surfaceOf(parts.account.accountId, place);
  return place.hasThreads && parts.autoThreads.has(messageId) ? { ...surface, threadId: messageId } : surface;
}

async function speaksToBot(message: ReceivedMessage, place: Place, { bot, places }: InboundParts): Promise<boolean> {
  if (place.recipientId !== undefined) return true;
  if (message.mentions.some(({ id }) => id === bot.id)) return true;
  if (message.referenced_message?.author.id === bot.id && !isForward(message)) return true;
  if (place.isThread && (place.ownerId === bot.id || place.isJoined)) return true;
  if (message.mention_roles.length === 0 || place.guildId === undefined) return false;
  const roles = await places.botRoles(place.guildId, bot.id);
  return message.mention_roles.some((role) => roles.includes(role));
}

function mentionsOthers({ mentions, mention_roles: roles }: ReceivedMessage, botId: string): boolean {
  return roles.length > 0 || mentions.some(({ id }) => id !== botId);
}

function textOf(message: ReceivedMessage, bot: InboundParts['bot'], hasFiles: boolean): string {
  const mention = new RegExp(`<@!?${bot.id}>`, 'g');
  const said = message.content.replace(new RegExp(`^\\s*<@!?${bot.id}>[\\s,:]*`), '').replace(mention, `@${bot.name}`);
  const lines = [
    said.trim(),
    ...(message.sticker_items ?? []).map(({ name }) => `[Sticker: ${name}]`),
    ...(message.poll?.question.text ? [`[Poll: ${message.poll.question.text}]`] : []),
    ...forwardedLines(message),
  ].filter((line) => line !== '');
  // A message that only calls the bot says its name.
  return lines.length === 0 && !hasFiles && message.content.trim() !== '' ? `@${bot.name}` : lines.join('\n');
}

function isForward({ message_reference: reference }: ReceivedMessage): boolean {
  return reference?.type === 1;
}

function forwardedLines(message: ReceivedMessage): readonly string[] {
  if (!isForward(message)) return [];
  return (message.message_snapshots ?? []).flatMap(({ message: { content } }) =>
    content ? [`[Forwarded: ${content.slice(0, LONGEST_QUOTE)}]`] : [],
  );
}

function quoteOf(message: ReceivedMessage, botId: string): Quote | undefined {
  const replied = message.referenced_message;
  if (!replied || isForward(message)) return undefined;
  const { author, content } = replied;
  return {
    sender: senderOf(author),
    text: content.slice(0, LONGEST_QUOTE),
    ...(author.id === botId && { isOwn: true as const }),
  };
}

/** Whether the author of a quote is in the list of the place. The roles of that person are not known here. */
function isListed(
  quote: Quote | undefined,
  surface: Surface,
  space: Space | undefined,
  { account, places }: InboundParts,
): boolean {
  if (!quote) return false;
  const here = { surface, sender: quote.sender, space: space && { ...space, senderRoles: [] } };
  const { allowFrom } = accessRulesFor(account, here, (id) => places.known(id)?.name);
  return allowFrom === undefined || isInList(allowFrom, surface.channel, quote.sender);
}

/** The first words of the message. */
export function threadNameOf(text: string): string {
  const line = text
    .replace(/<[@#][!&]?\d+>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= LONGEST_THREAD_NAME) return line || 'Thread';
  const cut = line.slice(0, LONGEST_THREAD_NAME);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), LONGEST_THREAD_NAME / 2)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
