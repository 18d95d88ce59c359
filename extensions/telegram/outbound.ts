// Parts, drafts and actions as requests to Telegram, and its answers as outcomes, for one account. Never throws.
// Telegram has no key by which it would drop a message that it has, and no way to look for one. So a part whose answer
// got lost is sent again and may be seen twice. Within this process, a part that was sent by halves goes on where it
// stopped.

import type { InlineKeyboardMarkup, Message } from 'grammy/types';
import { type Api, InputFile } from 'grammy/web';
import type { ChannelPort, OutboundPart, SendOutcome } from '../../src/channels/channel.ts';
import type { ActionOutcome, Draft, MessageRef, NewThread, Reaction } from '../../src/channels/channel-capabilities.ts';
import { replyTargetOf } from '../../src/channels/reply-target.ts';
import type { AttachmentRef } from '../../src/protocol/attachment.ts';
import type { Button } from '../../src/protocol/button.ts';
import type { Surface } from '../../src/protocol/inbound.ts';
import { isJsonObject, type JsonValue } from '../../src/protocol/json.ts';
import { clip } from '../../src/protocol/one-line.ts';
import type { TelegramAccount } from './account.ts';
import type { AccountMemory } from './account-memory.ts';
import type { AccountState } from './account-state.ts';
import { type ApiFailure, isMarkupRefused, isRefusal, readApiFailure } from './api-failure.ts';
import { formatButtonData } from './button-data.ts';
import type { KnownMessages } from './known-messages.ts';
import { telegramHtml } from './markup.ts';
import { chatIdOf, GENERAL_TOPIC, messageIdOf, threadOf } from './surface.ts';

export interface OutboundParts {
  readonly account: TelegramAccount;
  readonly api: Api;
  readonly state: AccountState;
  readonly memory: AccountMemory;
  readonly known: KnownMessages;
  readonly now: () => number;
  readonly readAttachment: ChannelPort['readAttachment'];
}

export const LONGEST_TEXT = 4_096;
const LONGEST_CAPTION = 1_024;
const LONGEST_TOPIC_NAME = 128;
/** How many parts that were sent by halves are remembered. */
const MOST_UNFINISHED = 200;

const GONE = /message to (edit|delete|be replied|react) not found|message can't be edited|MESSAGE_ID_INVALID/i;
const NOT_MODIFIED = /message is not modified/i;
const NO_TEXT = /there is no text in the message/i;
/** Telegram could not make a picture, an animation or a sound of the file. */
const NOT_THIS_KIND =
  /IMAGE_PROCESS_FAILED|PHOTO_|wrong type of the web page|VOICE_MESSAGES_FORBIDDEN|WEBPAGE_|failed to get/i;

type Signal = Parameters<Api['getMe']>[0];
type ChatId = number | string;

/** One request of a part; it gives the id of the message. */
type Step = (chatId: ChatId) => Promise<number>;

interface Target {
  readonly chatId: ChatId;
  readonly thread: { readonly message_thread_id?: number };
}

export class Outbound {
  readonly #parts: OutboundParts;
  /** The messages of parts that were sent by halves, by key. */
  readonly #unfinished = new Map<string, readonly number[]>();
  /** Until when a chat must not be written to. */
  readonly #quiet = new Map<ChatId, number>();

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<SendOutcome> {
    const target = this.#targetOf(part.surface);
    if (!target) return { outcome: 'failed', reason: `Telegram has no chat ${part.surface.peer.id}` };
    const sent = [...(this.#unfinished.get(part.key) ?? [])];
    try {
      const steps = await this.#stepsOf(part, target, signal as Signal);
      for (const step of steps.slice(sent.length)) {
        const messageId = await this.#at(target, step);
        sent.push(messageId);
        this.#parts.known.note(target.chatId, messageId, { topic: target.thread.message_thread_id, isOwn: true });
        if (sent.length < steps.length) this.#remember(part.key, sent);
      }
      this.#unfinished.delete(part.key);
      const [first = 0, ...more] = sent.map(String);
      return {
        outcome: 'sent',
        receipt: { messageId: String(first), ...(more.length > 0 && { messageIds: sent.map(String) }) },
      };
    } catch (error) {
      return this.#sendFailure(this.#noted(error, target.chatId));
    }
  }

  edit(
    { surface, messageId, text }: MessageRef & { readonly text: string },
    signal: AbortSignal,
  ): Promise<ActionOutcome> {
    const off = this.#switchedOff('editMessage');
    if (off) return Promise.resolve(off);
    return this.#act(surface, messageId, async (target, id) => {
      await this.#at(target, (chatId) => this.#change(chatId, id, text, undefined, signal as Signal));
    });
  }

  delete(message: MessageRef, signal: AbortSignal): Promise<ActionOutcome> {
    const off = this.#switchedOff('deleteMessage');
    return off ? Promise.resolve(off) : this.#remove(message, signal);
  }

  react({ surface, messageId, emoji, isRemoved }: Reaction, signal: AbortSignal): Promise<ActionOutcome> {
    const { api, known } = this.#parts;
    const off = this.#switchedOff('reactions');
    if (off) return Promise.resolve(off);
    // Telegram writes its signs without the mark that asks for a coloured picture.
    const sign = emoji.replaceAll('\ufe0f', '');
    return this.#act(surface, messageId, async (target, id) => {
      const own = known.find(target.chatId, id)?.reaction;
      // A bot has one reaction at most, so taking back another one than it has changes nothing.
      if (isRemoved && own !== undefined && own !== sign) return;
      const reaction = isRemoved ? [] : [{ type: 'emoji' as const, emoji: sign as '👍' }];
      await this.#at(target, (chatId) => api.setMessageReaction(chatId, id, reaction, {}, signal as Signal));
      known.note(target.chatId, id, { reaction: isRemoved ? undefined : sign });
    });
  }

  async createThread({ surface, name, key }: NewThread, signal: AbortSignal): Promise<ActionOutcome<Surface>> {
    const { memory, api } = this.#parts;
    const off = this.#switchedOff('createForumTopic');
    if (off) return off;
    if (surface.threadId !== undefined) return { outcome: 'failed', reason: 'a topic of Telegram has no topics' };
    const target = this.#targetOf(surface);
    if (!target) return { outcome: 'failed', reason: `Telegram has no chat ${surface.peer.id}` };
    const { id } = surface.peer;
    const before = memory.thread(key);
    if (before && before.chatId === id) return done({ ...surface, threadId: String(before.topic) });
    try {
      const title = clip(name.trim() || 'Topic', LONGEST_TOPIC_NAME);
      const topic = await this.#at(target, (chatId) => api.createForumTopic(chatId, title, {}, signal as Signal));
      memory.noteThread(key, id, topic.message_thread_id);
      return done({ ...surface, threadId: String(topic.message_thread_id) });
    } catch (error) {
      return actionFailure(this.#noted(error, target.chatId));
    }
  }

  async showDraft({ surface, text, handle }: Draft, signal: AbortSignal): Promise<ActionOutcome<JsonValue>> {
    const target = this.#targetOf(surface);
    if (!target) return { outcome: 'failed', reason: `Telegram has no chat ${surface.peer.id}` };
    const { known, now } = this.#parts;
    if ((this.#quiet.get(target.chatId) ?? 0) > now()) {
      return { outcome: 'retry', reason: 'Telegram asked to write less' };
    }
    try {
      const shown = handleId(handle);
      const isShown = shown !== undefined && (await this.#replace(target, shown, text, undefined, signal as Signal));
      if (isShown) return done({ messageId: String(shown) });
      const messageId = await this.#at(target, (chatId) => this.#write(chatId, target, text, {}, signal as Signal));
      known.note(target.chatId, messageId, { topic: target.thread.message_thread_id, isOwn: true });
      return done({ messageId: String(messageId) });
    } catch (error) {
      return actionFailure(this.#noted(error, target.chatId));
    }
  }

  withdrawDraft({ surface, handle }: Pick<Draft, 'surface' | 'handle'>, signal: AbortSignal): Promise<ActionOutcome> {
    const messageId = handleId(handle);
    if (messageId === undefined) return Promise.resolve(done(null));
    return this.#remove({ surface, messageId: String(messageId) }, signal);
  }

  showTyping(surface: Surface, isForum: boolean): void {
    const target = this.#targetOf(surface);
    if (!target || this.#parts.state.isFailed) return;
    // Here, and only here, General is named by its number.
    const thread = isForum && surface.threadId === undefined ? { message_thread_id: GENERAL_TOPIC } : target.thread;
    this.#parts.api.sendChatAction(target.chatId, 'typing', thread).catch(() => {});
  }

  #remove({ surface, messageId }: MessageRef, signal: AbortSignal): Promise<ActionOutcome> {
    const { api } = this.#parts;
    return this.#act(surface, messageId, async (target, id) => {
      await this.#at(target, (chatId) => api.deleteMessage(chatId, id, signal as Signal)).catch(ignore(GONE));
    });
  }

  async #act(
    surface: Surface,
    messageId: string,
    act: (target: Target, messageId: number) => Promise<void>,
  ): Promise<ActionOutcome> {
    const target = this.#targetOf(surface);
    const id = messageIdOf(messageId);
    if (!target || id === undefined) return { outcome: 'failed', reason: `there is no message ${messageId} here` };
    try {
      await act(target, id);
      return done(null);
    } catch (error) {
      return actionFailure(this.#noted(error, target.chatId));
    }
  }

  #switchedOff(
    action: keyof TelegramAccount['allows'],
  ): { readonly outcome: 'failed'; readonly reason: string } | undefined {
    const { allows, path } = this.#parts.account;
    if (allows[action]) return undefined;
    return { outcome: 'failed', reason: `the operator has switched this off with ${path}.actions.${action}` };
  }

  #targetOf(surface: Surface): Target | undefined {
    const id = this.#parts.memory.currentId(surface.peer.id);
    const chatId = chatIdOf({ peer: { ...surface.peer, id } });
    return chatId === undefined ? undefined : { chatId, thread: threadOf(surface) };
  }

  /** A group that has moved is written to at its new place. */
  async #at<Value>({ chatId }: Target, request: (chatId: ChatId) => Promise<Value>): Promise<Value> {
    try {
      return await request(chatId);
    } catch (error) {
      const failure = readApiFailure(error);
      if (failure.kind !== 'moved') throw error;
      this.#parts.memory.noteMove(String(chatId), String(failure.chatId));
      return request(failure.chatId);
    }
  }

  async #stepsOf(part: OutboundPart, target: Target, signal: Signal): Promise<readonly Step[]> {
    const { text, attachments = [], buttons = [], replaces } = part;
    const { showsButtons } = this.#parts.account;
    const hasButtons = part.surface.peer.kind === 'direct' ? showsButtons.direct : showsButtons.shared;
    const more = { ...this.#replyOf(part), ...keyboardOf(hasButtons ? buttons : [], this.#parts.memory) };
    const [only] = attachments;
    const hasText = text.trim() !== '';
    // The text must also fit when it has to be sent without its markup.
    const isCaption = text.length <= LONGEST_CAPTION && replaces === undefined;
    if (only && attachments.length === 1 && isCaption) {
      return [(chatId) => this.#writeFile(chatId, target, only, text, more, signal)];
    }
    const draft = handleId(replaces);
    const first: Step = async (chatId) => {
      const isReplaced = draft !== undefined && (await this.#replace(target, draft, text, more.reply_markup, signal));
      return isReplaced ? draft : this.#write(chatId, target, text, more, signal);
    };
    const files = attachments.map(
      (file): Step =>
        (chatId) =>
          this.#writeFile(chatId, target, file, '', {}, signal),
    );
    return hasText || files.length === 0 ? [first, ...files] : files;
  }

  async #write(chatId: ChatId, { thread }: Target, text: string, more: object, signal: Signal): Promise<number> {
    const { api, account } = this.#parts;
    const preview = account.showsLinkPreviews ? {} : { link_preview_options: { is_disabled: true } };
    const options = { ...thread, ...preview, ...more };
    const message = await withMarkup(text, LONGEST_TEXT, (given, markup) =>
      api.sendMessage(chatId, given, { ...options, ...markup }, signal),
    );
    return message.message_id;
  }

  /** False when the message is gone. */
  async #replace(
    target: Target,
    messageId: number,
    text: string,
    keyboard: InlineKeyboardMarkup | undefined,
    signal: Signal,
  ): Promise<boolean> {
    try {
      await this.#at(target, (chatId) => this.#change(chatId, messageId, text, keyboard, signal));
      return true;
    } catch (error) {
      if (isRefusal(error, GONE)) return false;
      throw error;
    }
  }

  async #change(
    chatId: ChatId,
    messageId: number,
    text: string,
    keyboard: InlineKeyboardMarkup | undefined,
    signal: Signal,
  ): Promise<void> {
    const { api, account } = this.#parts;
    const preview = account.showsLinkPreviews ? {} : { link_preview_options: { is_disabled: true } };
    const more = keyboard ? { reply_markup: keyboard } : {};
    try {
      await withMarkup(text, LONGEST_TEXT, (given, markup) =>
        api.editMessageText(chatId, messageId, given, { ...preview, ...more, ...markup }, signal),
      );
    } catch (error) {
      if (isRefusal(error, NOT_MODIFIED)) return;
      if (!isRefusal(error, NO_TEXT)) throw error;
      await withMarkup(text, LONGEST_CAPTION, (caption, markup) =>
        api.editMessageCaption(chatId, messageId, { caption, ...more, ...markup }, signal),
      ).catch(ignore(NOT_MODIFIED));
    }
  }

  async #writeFile(
    chatId: ChatId,
    target: Target,
    file: AttachmentRef,
    text: string,
    more: object,
    signal: Signal,
  ): Promise<number> {
    const bytes = await this.#parts.readAttachment(file.hash);
    if (!bytes) {
      const lost = `[The file ${file.name} is no longer there.]`;
      return this.#write(chatId, target, text.trim() === '' ? lost : `${text}\n\n${lost}`, more, signal);
    }
    const options = { ...target.thread, ...more };
    const write = (kind: FileKind) =>
      withMarkup(text, LONGEST_CAPTION, (caption, markup) => {
        const said = caption === '' ? {} : { caption, ...markup };
        return this.#upload(kind, chatId, new InputFile(bytes, safeName(file.name)), { ...options, ...said }, signal);
      });
    const kind = kindOf(file);
    try {
      return (await write(kind)).message_id;
    } catch (error) {
      if (kind === 'document' || !isRefusal(error, NOT_THIS_KIND)) throw error;
      return (await write('document')).message_id;
    }
  }

  #upload(kind: FileKind, chatId: ChatId, file: InputFile, options: object, signal: Signal): Promise<Message> {
    const { api } = this.#parts;
    if (kind === 'photo') return api.sendPhoto(chatId, file, options, signal);
    if (kind === 'animation') return api.sendAnimation(chatId, file, options, signal);
    if (kind === 'audio') return api.sendAudio(chatId, file, options, signal);
    if (kind === 'voice') return api.sendVoice(chatId, file, options, signal);
    if (kind === 'video') return api.sendVideo(chatId, file, options, signal);
    return api.sendDocument(chatId, file, { ...options, disable_content_type_detection: true }, signal);
  }

  #replyOf(part: OutboundPart): object {
    const replyToId = replyTargetOf(part, this.#parts.account.replyToMode);
    const messageId = replyToId === undefined ? undefined : messageIdOf(replyToId);
    if (messageId === undefined) return {};
    return { reply_parameters: { message_id: messageId, allow_sending_without_reply: true } };
  }

  #remember(key: string, sent: readonly number[]): void {
    this.#unfinished.delete(key);
    this.#unfinished.set(key, [...sent]);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > MOST_UNFINISHED && oldest !== undefined) this.#unfinished.delete(oldest);
  }

  /** What a failed request says about the account and the chat. */
  #noted(error: unknown, chatId: ChatId): ApiFailure {
    const { state, now } = this.#parts;
    const failure = readApiFailure(error);
    if (failure.kind === 'revoked') state.failed(failure);
    if (failure.kind === 'limited') {
      state.limited(failure.afterMs);
      for (const [chat, until] of this.#quiet) if (until <= now()) this.#quiet.delete(chat);
      this.#quiet.set(chatId, now() + failure.afterMs);
    }
    return failure;
  }

  #sendFailure(failure: ApiFailure): SendOutcome {
    const reason = failure.words;
    if (failure.kind === 'limited') return { outcome: 'retry', reason, afterMs: failure.afterMs };
    if (failure.kind === 'unreachable') {
      return { outcome: 'retry', reason, ...(failure.mayHaveArrived && { mayHaveArrived: true }) };
    }
    // With a new token it can be sent.
    if (failure.kind === 'revoked') return { outcome: 'retry', reason };
    return { outcome: 'failed', reason };
  }
}

type FileKind = 'photo' | 'animation' | 'audio' | 'voice' | 'video' | 'document';

/** The client library writes the name into the head of the upload as it is. */
function safeName(name: string): string {
  return name.replace(/[\p{Cc}";\\]/gu, '_') || 'file';
}

/** Telegram takes a photo up to 10 MB, and other files up to its limit. */
function kindOf({ mime, size }: AttachmentRef): FileKind {
  if (['image/jpeg', 'image/png', 'image/webp'].includes(mime) && size < 10_000_000) return 'photo';
  if (mime === 'image/gif') return 'animation';
  if (mime === 'audio/ogg') return 'voice';
  if (mime === 'audio/mpeg' || mime === 'audio/mp4') return 'audio';
  return mime === 'video/mp4' ? 'video' : 'document';
}

/** Sends a text with its markup, and as it is written when Telegram does not take the markup. */
async function withMarkup<Result>(
  text: string,
  longest: number,
  request: (text: string, markup: { readonly parse_mode?: 'HTML' }) => Promise<Result>,
): Promise<Result> {
  const html = telegramHtml(text, longest);
  if (html !== undefined) {
    try {
      return await request(html, { parse_mode: 'HTML' });
    } catch (error) {
      if (!isMarkupRefused(error)) throw error;
    }
  }
  return request(text, {});
}

function keyboardOf(
  buttons: readonly Button[],
  memory: AccountMemory,
): { readonly reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {};
  const keys = buttons.map(({ label, value }) => ({
    text: clip(label.trim() || '…', 60),
    callback_data: formatButtonData(value, memory),
  }));
  const perRow = keys.every(({ text }) => text.length <= 14) ? 3 : 1;
  const rows = keys.flatMap((_, index) => (index % perRow === 0 ? [keys.slice(index, index + perRow)] : []));
  return { reply_markup: { inline_keyboard: rows } };
}

function handleId(handle: JsonValue | undefined): number | undefined {
  return handle !== undefined && isJsonObject(handle) ? messageIdOf(String(handle.messageId)) : undefined;
}

function ignore(words: RegExp): (error: unknown) => void {
  return (error) => {
    if (!isRefusal(error, words)) throw error;
  };
}

function done<Value>(value: Value): ActionOutcome<Value> {
  return { outcome: 'done', value };
}

function actionFailure<Value>(failure: ApiFailure): ActionOutcome<Value> {
  const isFinal = failure.kind === 'refused' || failure.kind === 'moved';
  return { outcome: isFinal ? 'failed' : 'retry', reason: failure.words };
}
