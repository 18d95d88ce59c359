// Telegram's updates as inbounds and changes: pure reading, no request and no wait. An update that says nothing to an
// agent gives `ignored`. Never throws for an update that Telegram could send.

import type { Chat, Message, MessageReactionUpdated, ReactionType, Update, User } from 'grammy/types';
import { isInList } from '../../src/channels/access.ts';
import type { Inbound, Quote, Sender } from '../../src/protocol/inbound.ts';
import type { InboundChange } from '../../src/protocol/inbound-change.ts';
import { agentOf, rulesFor } from './access.ts';
import { botIdOf, type TelegramAccount } from './account.ts';
import type { AccountMemory } from './account-memory.ts';
import { readButtonData } from './button-data.ts';
import type { KnownMessages } from './known-messages.ts';
import { type MessageContent, type MessageFile, readContent } from './message-content.ts';
import { peerOf, surfaceOf, TELEGRAM, topicOf } from './surface.ts';

export type ReadUpdate =
  | {
      readonly kind: 'message';
      readonly inbound: Inbound;
      /** The files are fetched before the message is handed over. */
      readonly files: readonly MessageFile[];
      readonly chat: Chat;
      /** The ids of all messages of an album; else the only one. */
      readonly messageIds: readonly number[];
    }
  | { readonly kind: 'changes'; readonly changes: readonly InboundChange[] }
  | {
      readonly kind: 'press';
      readonly queryId: string;
      /** Undefined when the value of the button is no longer known. */
      readonly inbound: Inbound | undefined;
    }
  | { readonly kind: 'moved'; readonly from: string; readonly to: string }
  | { readonly kind: 'ignored' };

/** What has to be known to read an update. */
export interface ReadContext {
  readonly account: TelegramAccount;
  /** The name of the bot, without the `@`. */
  readonly username: string;
  readonly commands: ReadonlySet<string>;
  readonly known: KnownMessages;
  readonly memory: AccountMemory;
  readonly now: () => number;
}

const IGNORED: ReadUpdate = { kind: 'ignored' };

/** The updates of one album are read as one message; every other update is read alone. */
export function readUpdates(updates: readonly Update[], context: ReadContext): ReadUpdate {
  const [first] = updates;
  if (!first) return IGNORED;
  const eventId = eventIdOf(context, first.update_id);
  const message = first.message ?? first.channel_post;
  if (message) return readMessages(updates, message, context);
  const edited = first.edited_message ?? first.edited_channel_post;
  if (edited) return readEdit(edited, eventId, context);
  if (first.callback_query) return readPress(first.callback_query, eventId, context);
  if (first.message_reaction) return readReaction(first.message_reaction, eventId, context);
  return IGNORED;
}

/** The chat of an update; everything of one chat is handed over in order. */
export function conversationOf(update: Update): number {
  const { message, channel_post, edited_message, edited_channel_post, message_reaction, callback_query } = update;
  const about = message ?? channel_post ?? edited_message ?? edited_channel_post ?? message_reaction;
  return (about ?? callback_query?.message)?.chat.id ?? 0;
}

/** The album that a message is a part of. */
export function albumOf({ message, channel_post: post }: Update): string | undefined {
  return (message ?? post)?.media_group_id;
}

function readMessages(updates: readonly Update[], first: Message, context: ReadContext): ReadUpdate {
  const { account } = context;
  const { chat, migrate_to_chat_id: movedTo, migrate_from_chat_id: movedFrom } = first;
  if (movedTo !== undefined) return { kind: 'moved', from: String(chat.id), to: String(movedTo) };
  if (movedFrom !== undefined) return { kind: 'moved', from: String(movedFrom), to: String(chat.id) };
  if (isOfBot(first, context)) return IGNORED;
  const messages = updates.flatMap(({ message, channel_post: post }) => message ?? post ?? []);
  const contents = messages.flatMap((message) => readContent(message) ?? []);
  const [content] = contents;
  const sender = senderOf(first);
  if (!content || !sender) return IGNORED;
  const surface = surfaceOf(account.accountId, chat, topicOf(first, account));
  const said = readAddress(contents, context);
  // Telegram shows a command of another bot to every bot that may read along.
  if (said.isForOther && chat.type !== 'private') return IGNORED;
  const speaksTo = chat.type === 'private' || said.isAddressed || answersBot(first, context);
  const quote = shownQuote(quoteOf(first, context), { surface, sender }, context);
  const agentId = agentOf(account, { surface });
  const inbound: Inbound = {
    surface,
    sender,
    text: said.text,
    at: first.date * 1_000,
    eventId: eventIdOf(context, ...updates.map((update) => update.update_id)),
    messageId: String(first.message_id),
    ...(quote.replyToId !== undefined && { replyToId: quote.replyToId }),
    ...(quote.quote && { quote: quote.quote }),
    ...(chat.type !== 'private' && { wasMentioned: speaksTo, placeName: chat.title ?? '' }),
    ...(agentId !== undefined && { agentId }),
  };
  return {
    kind: 'message',
    inbound,
    files: contents.flatMap(({ files }) => files),
    chat,
    messageIds: messages.map((message) => message.message_id),
  };
}

function readEdit(message: Message, eventId: string, context: ReadContext): ReadUpdate {
  const { account, known } = context;
  const content = readContent(message);
  const sender = senderOf(message);
  if (!content || !sender || isOfBot(message, context)) return IGNORED;
  const album = known.find(message.chat.id, message.message_id)?.album;
  return {
    kind: 'changes',
    changes: [
      {
        kind: 'edit',
        surface: surfaceOf(account.accountId, message.chat, topicOf(message, account)),
        sender,
        messageId: String(album ?? message.message_id),
        text: readAddress([content], context).text,
        at: (message.edit_date ?? message.date) * 1_000,
        eventId,
      },
    ],
  };
}

function readPress(
  { id, from, data, message }: NonNullable<Update['callback_query']>,
  eventId: string,
  { account, known, memory, now }: ReadContext,
): ReadUpdate {
  if (!message || data === undefined) return IGNORED;
  const value = readButtonData(data, memory);
  if (value === undefined) return { kind: 'press', queryId: id, inbound: undefined };
  const topic = known.find(message.chat.id, message.message_id)?.topic;
  const surface = surfaceOf(
    account.accountId,
    message.chat,
    'is_topic_message' in message ? topicOf(message, account) : topic,
  );
  const agentId = agentOf(account, { surface });
  return {
    kind: 'press',
    queryId: id,
    inbound: {
      surface,
      sender: personOf(from),
      text: value,
      at: now(),
      eventId,
      wasMentioned: true,
      ...(message.chat.type !== 'private' && { placeName: message.chat.title ?? '' }),
      ...(agentId !== undefined && { agentId }),
    },
  };
}

function readReaction(event: MessageReactionUpdated, eventId: string, { account, known }: ReadContext): ReadUpdate {
  const {
    chat,
    message_id: messageId,
    user,
    actor_chat: actor,
    date,
    old_reaction: before,
    new_reaction: after,
  } = event;
  const sender = user ? personOf(user) : actor && chatAsSender(actor);
  const message = known.find(chat.id, messageId);
  const { reactionNotifications: wanted } = account;
  if (!sender || wanted === 'off' || (wanted === 'own' && !message?.isOwn)) return IGNORED;
  const [had, has] = [before.map(emojiOf), after.map(emojiOf)];
  const about = {
    kind: 'reaction' as const,
    surface: surfaceOf(account.accountId, chat, message?.topic),
    sender,
    messageId: String(message?.album ?? messageId),
    at: date * 1_000,
  };
  const added = has.filter((emoji) => !had.includes(emoji)).map((emoji) => ({ ...about, emoji }));
  const removed = had
    .filter((emoji) => !has.includes(emoji))
    .map((emoji) => ({ ...about, emoji, isRemoved: true as const }));
  return {
    kind: 'changes',
    changes: [...removed, ...added].map((change, index) => ({ ...change, eventId: `${eventId}:${index}` })),
  };
}

/**
 * The text as the gateway reads it, and whether it is meant for this bot. `/new@bot` is the command `/new`; a command for
 * another bot is escaped, because it is no command here. The name of the bot at the beginning is left out.
 */
function readAddress(
  contents: readonly MessageContent[],
  { username, commands, account }: ReadContext,
): { readonly text: string; readonly isAddressed: boolean; readonly isForOther?: true } {
  const text = contents
    .map((content) => content.text)
    .filter((each) => each !== '')
    .join('\n');
  const me = username.toLowerCase();
  const mentions = contents.flatMap((content) => content.mentions);
  const isMentioned = mentions.includes(`@${me}`) || mentions.includes(botIdOf(account));
  const own = isMentioned ? withoutName(text, me) : text;
  const [whole = '', name = '', , address] = /^\/(\w{1,64})(@(\w+))?(?=\s|$)/.exec(own) ?? [];
  if (whole === '') return { text: own, isAddressed: isMentioned };
  if (address === undefined) {
    return { text: own, isAddressed: isMentioned || commands.has(name.toLowerCase()) };
  }
  if (address.toLowerCase() !== me) {
    return { text: `/${own}`, isAddressed: isMentioned, ...(!isMentioned && { isForOther: true }) };
  }
  return { text: `/${name}${own.slice(whole.length)}`, isAddressed: true };
}

/** A message that only calls the bot says its name. */
function withoutName(text: string, me: string): string {
  const [whole = '', name = ''] = /^\s*@(\w+)[\s,:]*/.exec(text) ?? [];
  const rest = text.slice(whole.length);
  return name.toLowerCase() === me && rest.trim() !== '' ? rest : text;
}

/** In a topic that the bot has opened, everything is said to it. */
function answersBot({ reply_to_message: answered, chat, ...message }: Message, context: ReadContext): boolean {
  if (answered?.from?.id === botIdOf(context.account)) return true;
  const topic = topicOf({ ...message, chat }, context.account);
  return topic !== undefined && context.memory.hasOpened(String(chat.id), topic);
}

/** Where the operator wants it so, the words of a person who may not speak there are not shown. */
function shownQuote(
  { replyToId, quote }: ReadQuote,
  inbound: Pick<Inbound, 'surface' | 'sender'>,
  { account, memory }: ReadContext,
): ReadQuote {
  if (!account.quotesOnlyListed || !quote || quote.isOwn) return { replyToId, quote };
  const { allowFrom } = rulesFor(account, inbound, memory.formerIds(inbound.surface.peer.id));
  return allowFrom && isInList(allowFrom, TELEGRAM, quote.sender) ? { replyToId, quote } : { replyToId };
}

interface ReadQuote {
  readonly replyToId?: string | undefined;
  readonly quote?: Quote | undefined;
}

/** A message in a topic names the message that opened the topic, unless it answers another one. */
function quoteOf({ reply_to_message: answered, quote }: Message, { account }: ReadContext): ReadQuote {
  if (!answered || answered.forum_topic_created) return {};
  const replyToId = String(answered.message_id);
  const sender = senderOf(answered);
  if (!sender) return { replyToId };
  const isOwn = answered.from?.id === botIdOf(account);
  const content = readContent(answered);
  const files = content?.files.map(({ name }) => `[${name}]`) ?? [];
  const text = quote?.text ?? [content?.text, ...files].filter(Boolean).join('\n');
  return { replyToId, quote: { sender, text, ...(isOwn && { isOwn: true }) } };
}

/** Who writes for a group or a channel has the number of a bot as well, and is none. */
function isOfBot({ from, sender_chat: written }: Message, { account }: ReadContext): boolean {
  if (written || !from?.is_bot) return false;
  return from.id === botIdOf(account) || !account.allowBots;
}

function senderOf({ from, sender_chat: written, chat, author_signature: signature }: Message): Sender | undefined {
  if (written) return chatAsSender(written, signature);
  if (from) return personOf(from);
  return chat.type === 'channel' ? chatAsSender(chat, signature) : undefined;
}

function personOf({ id, first_name, last_name, username }: User): Sender {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return { id: String(id), name, ...(username !== undefined && { username }) };
}

function chatAsSender(chat: Chat, signature?: string): Sender {
  const name = signature ?? ('title' in chat ? chat.title : undefined) ?? peerOf(chat).id;
  return { id: String(chat.id), name, ...('username' in chat && chat.username && { username: chat.username }) };
}

function emojiOf(reaction: ReactionType): string {
  if (reaction.type === 'emoji') return reaction.emoji;
  return reaction.type === 'custom_emoji' ? `custom:${reaction.custom_emoji_id}` : 'paid';
}

/**
 * Telegram numbers the updates of each bot, so the bot is a part of the id: the account may get another one. The id of an
 * album names its first and last item, because a late item makes another message.
 */
function eventIdOf({ account }: Pick<ReadContext, 'account'>, ...updates: readonly number[]): string {
  const ids = updates.length > 1 ? [updates[0], updates.at(-1)] : updates;
  return [botIdOf(account), ...ids].join(':');
}
