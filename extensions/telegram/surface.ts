// Telegram's ids as surfaces, and back. A direct chat, a group and a channel are named by the id of the chat; a topic of a
// forum is the thread `threadId` of its chat. The main topic of a forum, General, is the chat itself.

import type { Chat, Message } from 'grammy/types';
import type { Peer, Surface } from '../../src/protocol/inbound.ts';
import type { TelegramAccount } from './account.ts';

export const TELEGRAM = 'telegram';

/** The id that Telegram gives to General in some places, where it names a topic at all. */
export const GENERAL_TOPIC = 1;

export function surfaceOf(accountId: string, chat: Pick<Chat, 'id' | 'type'>, topic: number | undefined): Surface {
  const place = { channel: TELEGRAM, accountId, peer: peerOf(chat) };
  return topic === undefined ? place : { ...place, threadId: String(topic) };
}

export function peerOf({ id, type }: Pick<Chat, 'id' | 'type'>): Peer {
  const kind = type === 'private' ? 'direct' : type === 'channel' ? 'channel' : 'group';
  return { kind, id: String(id) };
}

/**
 * The topic that a message stands in. Telegram also numbers the chains of replies in groups without topics; these are no
 * places of their own.
 */
export function topicOf(
  message: Pick<Message, 'is_topic_message' | 'message_thread_id' | 'chat'>,
  { hasDirectTopics }: Pick<TelegramAccount, 'hasDirectTopics'>,
): number | undefined {
  if (message.is_topic_message !== true || message.message_thread_id === GENERAL_TOPIC) return undefined;
  return message.chat.type === 'private' && !hasDirectTopics ? undefined : message.message_thread_id;
}

/** The chat to write to: an id, or the public name of a channel. Undefined for what can be neither. */
export function chatIdOf({ peer }: Pick<Surface, 'peer'>): number | string | undefined {
  if (/^@\w{3,}$/.test(peer.id)) return peer.id;
  return /^-?\d{1,16}$/.test(peer.id) ? Number(peer.id) : undefined;
}

/** The topic to write to. General must not be named. */
export function threadOf({ threadId }: Pick<Surface, 'threadId'>): { readonly message_thread_id?: number } {
  const topic = Number(threadId);
  return Number.isSafeInteger(topic) && topic > GENERAL_TOPIC ? { message_thread_id: topic } : {};
}

/** Undefined for an id that Telegram cannot have given. */
export function messageIdOf(messageId: string): number | undefined {
  return /^[1-9]\d{0,15}$/.test(messageId) ? Number(messageId) : undefined;
}
