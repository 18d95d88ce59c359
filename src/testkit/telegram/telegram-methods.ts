// The methods of the Bot API that the Telegram of the tests has, one function each. They refuse what Telegram refuses,
// in its words, so that a client that would fail there fails here too.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { TelegramBot } from './telegram-bot.ts';
import type { TelegramChat, TelegramFile, TelegramMessage } from './telegram-chat.ts';
import { HtmlRefusedError, readTelegramHtml } from './telegram-html.ts';

/** A call as it came over the wire; files stand in `files` under the names of their fields. */
export interface MethodCall {
  readonly method: string;
  readonly bot: TelegramBot;
  readonly payload: JsonObject;
  readonly files: ReadonlyMap<string, TelegramFile>;
}

/** What the methods may look at and change. */
export interface TelegramWorld {
  now(): number;
  findChat(bot: TelegramBot, chatId: JsonValue | undefined): TelegramChat | undefined;
  findFile(fileId: string): { readonly path: string; readonly size: number } | undefined;
  keepFile(file: TelegramFile): string;
}

export class MethodRefusedError extends Error {
  readonly status: number;
  readonly parameters: JsonObject | undefined;

  constructor(status: number, description: string, parameters?: JsonObject) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

type Method = (call: MethodCall, world: TelegramWorld) => JsonValue;

const LONGEST_TEXT = 4_096;
const LONGEST_CAPTION = 1_024;
const REACTIONS = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 👀 💯 🤣 ⚡ 🏆 💔 😴 😭 🤓 👻 👨‍💻 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷 😡'.split(
    ' ',
  ),
);

export const TELEGRAM_METHODS: Readonly<Record<string, Method>> = {
  getMe: ({ bot }) => ({
    ...bot.raw,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    has_topics_enabled: bot.hasTopics,
  }),
  getWebhookInfo: ({ bot }, world) => ({
    url: bot.webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: bot.pending,
    ...(bot.webhookError !== undefined && {
      last_error_date: Math.floor(world.now() / 1_000),
      last_error_message: bot.webhookError,
    }),
  }),
  setWebhook: ({ bot, payload }) => {
    const secret = textOf(payload.secret_token);
    if (!/^[\w-]{0,256}$/.test(secret)) throw refused('secret token contains illegal characters');
    bot.allowedUpdates = namesOf(payload.allowed_updates) ?? bot.allowedUpdates;
    bot.setWebhook({ url: textOf(payload.url), secret });
    return true;
  },
  deleteWebhook: ({ bot }) => {
    bot.setWebhook(undefined);
    return true;
  },
  setMyCommands: ({ bot, payload }) => {
    const commands = Array.isArray(payload.commands) ? payload.commands : [];
    if (commands.length > 100) throw refused('BOT_COMMANDS_TOO_MUCH');
    bot.commands = commands.map((each) => {
      const { command = '', description = '' } = each as JsonObject;
      if (!/^[a-z0-9_]{1,32}$/.test(textOf(command))) throw refused('BOT_COMMAND_INVALID');
      if (textOf(description).length < 1 || textOf(description).length > 256) {
        throw refused('BOT_COMMAND_DESCRIPTION_INVALID');
      }
      return { command: textOf(command), description: textOf(description) };
    });
    return true;
  },
  sendMessage: (call, world) => {
    const text = readText(call.payload, 'text', LONGEST_TEXT);
    if (text === '') throw refused('message text is empty');
    return write(call, world, { text, content: { text } });
  },
  sendDocument: (call, world) => writeFile(call, world, 'document'),
  sendPhoto: (call, world) => writeFile(call, world, 'photo'),
  sendAnimation: (call, world) => writeFile(call, world, 'animation'),
  sendAudio: (call, world) => writeFile(call, world, 'audio'),
  sendVoice: (call, world) => writeFile(call, world, 'voice'),
  sendVideo: (call, world) => writeFile(call, world, 'video'),
  editMessageText: (call, world) => {
    const { chat, message } = ownMessage(call, world, 'edit');
    if (typeof message.raw.text !== 'string') throw refused('there is no text in the message to edit');
    const text = readText(call.payload, 'text', LONGEST_TEXT);
    if (text === '') throw refused('message text is empty');
    return change(call, chat, message, text, { text });
  },
  editMessageCaption: (call, world) => {
    const { chat, message } = ownMessage(call, world, 'edit');
    const text = readText(call.payload, 'caption', LONGEST_CAPTION);
    return change(call, chat, message, text, { caption: text });
  },
  deleteMessage: (call, world) => {
    const chat = chatOf(call, world);
    if (!chat.remove(Number(call.payload.message_id))) throw refused('message to delete not found');
    return true;
  },
  setMessageReaction: (call, world) => {
    const chat = chatOf(call, world);
    const messageId = Number(call.payload.message_id);
    if (!chat.find(messageId)) throw refused('message to react not found');
    const [first, second] = Array.isArray(call.payload.reaction) ? call.payload.reaction : [];
    if (second !== undefined) throw refused('REACTIONS_TOO_MANY');
    const emoji = first === undefined ? undefined : textOf((first as JsonObject).emoji);
    if (emoji !== undefined && !REACTIONS.has(emoji)) throw refused('REACTION_INVALID');
    chat.react(call.bot, messageId, emoji);
    return true;
  },
  sendChatAction: (call, world) => {
    const chat = chatOf(call, world);
    const topic = Number(call.payload.message_thread_id ?? 0);
    chat.typing.add(chat.isForum && topic === 1 ? 0 : topic);
    return true;
  },
  createForumTopic: (call, world) => {
    const chat = chatOf(call, world);
    const name = textOf(call.payload.name);
    if (!(chat.isForum || (chat.type === 'private' && call.bot.hasTopics))) throw refused('the chat is not a forum');
    if (name.length < 1 || name.length > 128) throw refused('TOPIC_NAME_INVALID');
    return { message_thread_id: chat.openTopic(name), name, icon_color: 7322096 };
  },
  answerCallbackQuery: () => true,
  getFile: ({ payload }, world) => {
    const fileId = textOf(payload.file_id);
    const file = world.findFile(fileId);
    if (!file) throw refused('wrong file_id or the file is temporarily unavailable');
    if (file.size > 20 * 1024 * 1024) throw refused('file is too big');
    return { file_id: fileId, file_unique_id: fileId, file_size: file.size, file_path: file.path };
  },
};

function writeFile(call: MethodCall, world: TelegramWorld, kind: string): JsonValue {
  const [file] = [...call.files.values()];
  if (!file) throw refused(`there is no ${kind} in the request`);
  if (file.bytes.length === 0) throw refused('file must be non-empty');
  const isImage = ['89504e47', 'ffd8ff', '52494646'].some((start) => hexOf(file.bytes).startsWith(start));
  if (kind === 'photo' && !isImage) throw refused('IMAGE_PROCESS_FAILED');
  const text = readText(call.payload, 'caption', LONGEST_CAPTION);
  const about = { file_id: world.keepFile(file), file_unique_id: 'unique', file_size: file.bytes.length };
  const content = kind === 'photo' ? [{ ...about, width: 1, height: 1 }] : { ...about, file_name: file.name };
  return write(call, world, { text, file, content: { [kind]: content, ...(text !== '' && { caption: text }) } });
}

interface Content {
  readonly text: string;
  readonly file?: TelegramFile;
  readonly content: JsonObject;
}

function write(call: MethodCall, world: TelegramWorld, { text, file, content }: Content): JsonValue {
  const { bot, payload } = call;
  const chat = chatOf(call, world);
  const topic = payload.message_thread_id === undefined ? undefined : Number(payload.message_thread_id);
  if (topic !== undefined && !chat.topics.has(topic)) throw refused('message thread not found');
  const replyTo = replyOf(payload, chat);
  const messageId = chat.newId();
  const raw: JsonObject = {
    message_id: messageId,
    date: Math.floor(world.now() / 1_000),
    chat: chat.raw,
    ...(chat.type === 'channel' ? { sender_chat: chat.raw } : { from: bot.raw }),
    ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
    ...content,
  };
  const files = file ? [file] : [];
  const buttons = buttonsOf(payload);
  chat.put({ messageId, topic, bot, text, replyTo, files, buttons, edits: 0, raw: withKeyboard(raw, payload) });
  chat.typing.delete(topic ?? 0);
  return raw;
}

function change(
  { payload }: MethodCall,
  chat: TelegramChat,
  message: TelegramMessage,
  text: string,
  content: JsonObject,
): JsonValue {
  const buttons = buttonsOf(payload);
  if (text === message.text && JSON.stringify(buttons) === JSON.stringify(message.buttons)) {
    throw refused('message is not modified: specified new message content and reply markup are exactly the same');
  }
  const raw = withKeyboard({ ...message.raw, ...content }, payload);
  chat.put({ ...message, text, buttons, edits: message.edits + 1, raw });
  return raw;
}

function ownMessage(call: MethodCall, world: TelegramWorld, verb: string) {
  const chat = chatOf(call, world);
  const message = chat.find(Number(call.payload.message_id));
  if (!message) throw refused(`message to ${verb} not found`);
  if (message.bot !== call.bot) throw refused(`message can't be ${verb}ed`);
  return { chat, message };
}

function chatOf({ bot, payload }: MethodCall, world: TelegramWorld): TelegramChat {
  const chat = world.findChat(bot, payload.chat_id);
  if (!chat) throw refused('chat not found');
  if (chat.movedTo) {
    const parameters = { migrate_to_chat_id: chat.movedTo.id };
    throw new MethodRefusedError(400, 'Bad Request: group chat was upgraded to a supergroup chat', parameters);
  }
  if (!chat.bots.has(bot)) throw new MethodRefusedError(403, 'Forbidden: bot is not a member of the chat');
  return chat;
}

/** The text that people see, trimmed as Telegram trims it. */
function readText(payload: JsonObject, field: 'text' | 'caption', longest: number): string {
  const given = textOf(payload[field]);
  const isHtml = textOf(payload.parse_mode).toUpperCase() === 'HTML';
  try {
    const text = (isHtml ? readTelegramHtml(given).text : given).trim();
    if (text.length > longest) throw refused(field === 'text' ? 'message is too long' : 'message caption is too long');
    return text;
  } catch (error) {
    if (error instanceof HtmlRefusedError) throw new MethodRefusedError(400, error.message);
    throw error;
  }
}

function replyOf({ reply_parameters: given }: JsonObject, chat: TelegramChat): number | undefined {
  if (given === undefined || !isJsonObject(given)) return undefined;
  const messageId = Number(given.message_id);
  if (chat.find(messageId)) return messageId;
  if (given.allow_sending_without_reply === true) return undefined;
  throw refused('message to be replied not found');
}

function withKeyboard(raw: JsonObject, { reply_markup: markup }: JsonObject): JsonObject {
  const { reply_markup: _, ...rest } = raw;
  return markup === undefined ? rest : { ...rest, reply_markup: markup };
}

function buttonsOf({ reply_markup: markup }: JsonObject): TelegramMessage['buttons'] {
  const rows = (markup as JsonObject | undefined)?.inline_keyboard;
  if (!Array.isArray(rows)) return [];
  return rows.flat().map((each) => {
    const { text, callback_data: data } = each as JsonObject;
    const size = Buffer.byteLength(textOf(data));
    if (size < 1 || size > 64) throw refused('BUTTON_DATA_INVALID');
    if (textOf(text) === '') throw refused('text buttons are unallowed in the inline keyboard');
    return { label: textOf(text), data: textOf(data) };
  });
}

function refused(description: string): MethodRefusedError {
  return new MethodRefusedError(400, description.startsWith('Bad') ? description : `Bad Request: ${description}`);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : String(value);
}

function namesOf(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.map(textOf) : undefined;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 4)).toString('hex');
}
