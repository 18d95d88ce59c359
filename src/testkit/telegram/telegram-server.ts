// Telegram for tests: a real HTTP server on loopback that speaks the Bot API, so that a real client library runs against
// it unchanged. A test plays the people: they write, send files, edit, react and press buttons, and it reads what they
// see. Faults come on demand. What was said stays when the server is stopped and started again, on the same port.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { readMultipart } from './read-multipart.ts';
import { TelegramBot, type TelegramUpdate } from './telegram-bot.ts';
import { TelegramChat, type TelegramFile, type TelegramMessage, type TelegramPerson } from './telegram-chat.ts';
import { type TelegramFault, TelegramFaults } from './telegram-faults.ts';
import { type MethodCall, MethodRefusedError, TELEGRAM_METHODS, type TelegramWorld } from './telegram-methods.ts';

/** Where a person is on the platform. */
export interface TelegramPlace {
  readonly chat: TelegramChat;
  /** In a direct chat it is the person of the chat; in a channel there is none. */
  readonly sender?: TelegramPerson | TelegramBot | undefined;
  readonly topic?: number | undefined;
}

export interface TelegramDetails {
  readonly replyTo?: number | undefined;
  /** Further fields of the message, as the Bot API has them. */
  readonly fields?: JsonObject | undefined;
}

/** What a person did, and the update that told each bot of it. */
export interface TelegramEvent {
  readonly messageId: number;
  readonly updates: ReadonlyMap<TelegramBot, number>;
  /** Whether the only bot took it; see `TelegramBot.isTaken`. */
  isTaken(): Promise<boolean>;
  confirmed(): Promise<void>;
}

export type TelegramFileKind = 'document' | 'photo' | 'voice' | 'audio' | 'video' | 'animation' | 'sticker';

export interface TelegramCall {
  readonly method: string;
  readonly token: string;
  readonly payload: JsonObject;
}

/** How long an expectation waits by default; long enough for a busy machine. */
const PATIENCE_MS = 45_000;

export class TelegramServer {
  /** Every call of the Bot API, in order, also those that met a fault. */
  readonly calls: TelegramCall[] = [];
  readonly #bots: TelegramBot[] = [];
  readonly #people: TelegramPerson[] = [];
  readonly #chats: TelegramChat[] = [];
  readonly #files = new Map<string, TelegramFile>();
  readonly #faults = new TelegramFaults();
  readonly #pushed = new Map<string, TelegramUpdate>();
  readonly #watchers = new Set<() => void>();
  readonly #world: TelegramWorld;
  #server: Server | undefined;
  #port = 0;

  private constructor() {
    this.#world = {
      now: Date.now,
      findChat: (bot, chatId) => this.#findChat(bot, chatId),
      findFile: (fileId) => {
        const file = this.#files.get(fileId);
        return file && { path: `documents/${fileId}-${file.name}`, size: file.bytes.length };
      },
      keepFile: (file) => this.#keepFile(file),
    };
  }

  static async start(): Promise<TelegramServer> {
    const telegram = new TelegramServer();
    await telegram.start();
    return telegram;
  }

  get apiRoot(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    if (this.#server) return;
    const server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    for (const bot of this.#bots) bot.start();
  }

  /** Connections are cut, and nothing answers until `start`. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    for (const bot of this.#bots) bot.stop();
    await closed;
  }

  /** Cuts every connection; new ones are taken. */
  disconnect(): void {
    this.#server?.closeAllConnections();
  }

  /** The next calls of this method go wrong; see `TelegramFaults.plan`. */
  fault(method: string, fault: TelegramFault, times = 1): void {
    this.#faults.plan(method, fault, times);
  }

  addBot({
    username,
    hasTopics = false,
  }: {
    readonly username?: string;
    readonly hasTopics?: boolean;
  } = {}): TelegramBot {
    const number = this.#bots.length + 1;
    const name = username ?? `helper${number}_bot`;
    const bot = new TelegramBot({ id: 7_000 + number, username: name, name: `Helper ${number}`, hasTopics });
    this.#bots.push(bot);
    return bot;
  }

  addPerson(name: string, username?: string): TelegramPerson {
    const person = { id: 100 + this.#people.length + 1, name, username };
    this.#people.push(person);
    return person;
  }

  directChat(bot: TelegramBot, person: TelegramPerson): TelegramChat {
    const known = this.#chats.find((chat) => chat.person === person && chat.bots.has(bot));
    return known ?? this.#addChat(new TelegramChat({ id: person.id, type: 'private', person, bots: [bot] }));
  }

  addGroup(
    title: string,
    bots: readonly TelegramBot[],
    type: 'group' | 'supergroup' | 'forum' = 'group',
  ): TelegramChat {
    const number = this.#chats.length + 1;
    const id = type === 'group' ? -number : -1_000_000_000_000 - number;
    const isForum = type === 'forum';
    return this.#addChat(new TelegramChat({ id, type: isForum ? 'supergroup' : type, title, isForum, bots }));
  }

  addChannel(title: string, bots: readonly TelegramBot[]): TelegramChat {
    return this.#addChat(
      new TelegramChat({ id: -1_000_000_000_000 - this.#chats.length - 1, type: 'channel', title, bots }),
    );
  }

  /** The group becomes a supergroup with another id, and both tell it. */
  migrate(group: TelegramChat): TelegramChat {
    const supergroup = this.addGroup(group.title ?? '', [...group.bots], 'supergroup');
    const [sender] = this.#people;
    this.#write({ chat: group, sender }, {}, { fields: { migrate_to_chat_id: supergroup.id } });
    group.movedTo = supergroup;
    this.#write({ chat: supergroup, sender }, {}, { fields: { migrate_from_chat_id: group.id } });
    return supergroup;
  }

  /** A person writes. Mentions and commands get their entities, as a client of Telegram marks them. */
  says(place: TelegramPlace, text: string, details: TelegramDetails = {}): TelegramEvent {
    return this.#write(place, { text, ...entitiesOf(text, 'entities') }, details, text);
  }

  sends(
    place: TelegramPlace,
    file: TelegramFile,
    {
      kind = 'document',
      caption = '',
      ...details
    }: TelegramDetails & { kind?: TelegramFileKind; caption?: string } = {},
  ): TelegramEvent {
    const content = { ...this.#fileContent(file, kind), ...(caption !== '' && { caption }) };
    return this.#write(place, { ...content, ...entitiesOf(caption, 'caption_entities') }, details, caption, [file]);
  }

  /** Several photos that people see as one message; the caption stands below the first. */
  sendsAlbum(place: TelegramPlace, files: readonly TelegramFile[], caption = ''): readonly TelegramEvent[] {
    const album = `album-${this.#files.size}`;
    return files.map((file, index) =>
      this.sends(place, file, {
        kind: 'photo',
        caption: index === 0 ? caption : '',
        fields: { media_group_id: album },
      }),
    );
  }

  edits(place: TelegramPlace, messageId: number, text: string): TelegramEvent {
    const message = place.chat.find(messageId);
    if (!message || message.bot) throw new Error(`There is no message ${messageId} of a person.`);
    const isCaption = typeof message.raw.text !== 'string';
    const raw = { ...message.raw, [isCaption ? 'caption' : 'text']: text, edit_date: seconds() };
    place.chat.put({ ...message, text, edits: message.edits + 1, raw });
    const kind = place.chat.type === 'channel' ? 'edited_channel_post' : 'edited_message';
    return this.#push(place.chat, kind, raw, messageId);
  }

  /** Telegram tells no bot that a person deleted a message. */
  deletes(place: TelegramPlace, messageId: number): void {
    place.chat.remove(messageId);
    this.#changed();
  }

  /** A person sets one reaction, or takes all back. */
  reacts(place: TelegramPlace, messageId: number, emoji: string | undefined, before?: string): TelegramEvent {
    const reaction = (sign: string | undefined) => (sign === undefined ? [] : [{ type: 'emoji', emoji: sign }]);
    const user = this.#senderOf(place);
    const content = {
      chat: place.chat.raw,
      message_id: messageId,
      ...(user && { user: rawSender(user) }),
      date: seconds(),
      old_reaction: reaction(before),
      new_reaction: reaction(emoji),
    };
    return this.#push(place.chat, 'message_reaction', content, messageId);
  }

  /** A person presses the button with this label. */
  presses(place: TelegramPlace, messageId: number, label: string): TelegramEvent {
    const message = place.chat.find(messageId);
    const button = message?.buttons.find((each) => each.label === label);
    const sender = this.#senderOf(place);
    if (!message?.bot || !button || !sender) throw new Error(`There is no button ${JSON.stringify(label)} to press.`);
    const content = {
      id: `press-${this.#pushed.size + 1}`,
      from: rawSender(sender),
      message: message.raw,
      chat_instance: String(place.chat.id),
      data: button.data,
    };
    return this.#push(place.chat, 'callback_query', content, messageId, [message.bot]);
  }

  /** Telegram hands out an update of this event once more, although it may be confirmed. */
  repeats(event: TelegramEvent): void {
    for (const [bot, updateId] of event.updates) {
      const update = this.#pushed.get(`${bot.id} ${updateId}`);
      if (update) bot.repeat(update);
    }
  }

  /** The texts of what bots wrote there, as people see them, oldest first. A text may be empty below a file. */
  shown(place: TelegramPlace): readonly string[] {
    return this.messages(place).map(({ text }) => text);
  }

  /** What bots wrote there, oldest first. */
  messages({ chat, topic }: TelegramPlace): readonly TelegramMessage[] {
    return chat.list(topic ?? (chat.isForum || chat.topics.size > 0 ? 0 : undefined)).filter(({ bot }) => bot);
  }

  reactionsTo({ chat }: TelegramPlace, messageId: number): readonly string[] {
    return [...chat.bots].map((bot) => chat.reactionOf(bot, messageId)).filter((emoji) => emoji !== undefined);
  }

  isTyping({ chat, topic = 0 }: TelegramPlace): boolean {
    return chat.typing.has(topic);
  }

  /** The calls of one method. */
  callsOf(method: string): readonly TelegramCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Waits until `look` gives something. It is asked again whenever something happens here. */
  until<Value>(look: () => Value | undefined | false, what: string, patienceMs = PATIENCE_MS): Promise<Value> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        clearInterval(tick);
        this.#watchers.delete(check);
      };
      const check = () => {
        const value = look();
        if (value === undefined || value === false) return;
        end();
        resolve(value);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`It did not come true: ${what}.`));
      }, patienceMs);
      const tick = setInterval(check, 20);
      this.#watchers.add(check);
      check();
    });
  }

  #addChat(chat: TelegramChat): TelegramChat {
    this.#chats.push(chat);
    return chat;
  }

  #findChat(bot: TelegramBot, chatId: JsonValue | undefined): TelegramChat | undefined {
    const known = this.#chats.filter(({ id }) => id === Number(chatId));
    return known.find((chat) => chat.bots.has(bot)) ?? known.find((chat) => chat.type !== 'private');
  }

  #keepFile(file: TelegramFile): string {
    const fileId = `file-${this.#files.size + 1}`;
    this.#files.set(fileId, file);
    return fileId;
  }

  #fileContent(file: TelegramFile, kind: TelegramFileKind): JsonObject {
    const about = { file_id: this.#keepFile(file), file_unique_id: 'unique', file_size: file.bytes.length };
    if (kind === 'photo')
      return {
        photo: [
          { ...about, file_id: 'small', width: 1, height: 1, file_size: 1 },
          { ...about, width: 9, height: 9 },
        ],
      };
    if (kind === 'sticker')
      return { sticker: { ...about, emoji: '😀', type: 'regular', is_animated: false, is_video: false } };
    if (kind === 'voice') return { voice: { ...about, duration: 3, mime_type: 'audio/ogg' } };
    return { [kind]: { ...about, file_name: file.name } };
  }

  #senderOf({ chat, sender }: TelegramPlace): TelegramPerson | TelegramBot | undefined {
    return sender ?? chat.person;
  }

  #write(
    place: TelegramPlace,
    content: JsonObject,
    { replyTo, fields }: TelegramDetails,
    text = '',
    files: readonly TelegramFile[] = [],
  ): TelegramEvent {
    const { chat, topic } = place;
    const sender = this.#senderOf(place);
    const messageId = chat.newId();
    const answered = replyTo === undefined ? undefined : chat.find(replyTo)?.raw;
    const raw: JsonObject = {
      message_id: messageId,
      date: seconds(),
      chat: chat.raw,
      ...(chat.type === 'channel' || !sender ? { sender_chat: chat.raw } : { from: rawSender(sender) }),
      ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true }),
      ...(answered && { reply_to_message: answered }),
      ...content,
      ...fields,
    };
    chat.put({ messageId, topic, text, replyTo, files, buttons: [], edits: 0, raw });
    return this.#push(chat, chat.type === 'channel' ? 'channel_post' : 'message', raw, messageId);
  }

  #push(
    chat: TelegramChat,
    kind: string,
    content: JsonObject,
    messageId: number,
    bots: readonly TelegramBot[] = [...chat.bots],
  ): TelegramEvent {
    const updates = new Map<TelegramBot, number>();
    for (const bot of bots) {
      const updateId = bot.push(kind, content, chat.id);
      if (updateId === undefined) continue;
      updates.set(bot, updateId);
      this.#pushed.set(`${bot.id} ${updateId}`, {
        updateId,
        body: { update_id: updateId, [kind]: content },
        queue: chat.id,
      });
    }
    this.#changed();
    const all = () => [...updates];
    return {
      messageId,
      updates,
      isTaken: async () => (await Promise.all(all().map(([bot, id]) => bot.isTaken(id)))).every((taken) => taken),
      confirmed: async () => {
        await Promise.all(all().map(([bot, id]) => bot.confirmed(id)));
      },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.apiRoot);
    const [, isFile, token = '', rest = ''] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(decodeURIComponent(pathname)) ?? [];
    const body = await bodyOf(request);
    const bot = this.#bots.find((each) => each.token === token);
    const method = isFile ? 'file' : rest;
    const { payload, files } = isFile ? { payload: {}, files: new Map() } : readCall(request, body);
    this.calls.push({ method, token, payload });
    const fault = this.#faults.take(method);
    if (fault === 'cut') return void response.destroy();
    if (fault === 'hang') return;
    if (fault === 'bad-gateway') return answerPage(response);
    if (typeof fault === 'object' && 'status' in fault) return answerFault(response, fault);
    if (!bot || bot.isRevoked) return answer(response, refusal(401, 'Unauthorized'));
    if (isFile) return this.#serveFile(rest, response);
    const result = await this.#call({ method, bot, payload, files }, response);
    this.#changed();
    if (fault === 'answer-lost') return void response.destroy();
    if (typeof fault === 'object' && 'slowMs' in fault) {
      await new Promise((resolve) => setTimeout(resolve, fault.slowMs).unref());
    }
    answer(response, result);
  }

  async #call(call: MethodCall, response: ServerResponse): Promise<JsonObject> {
    try {
      if (call.method === 'getUpdates') return await this.#getUpdates(call, response);
      const method = TELEGRAM_METHODS[call.method];
      if (!method) return refusal(404, 'Not Found');
      return { ok: true, result: method(call, this.#world) };
    } catch (error) {
      if (!(error instanceof MethodRefusedError)) throw error;
      return refusal(error.status, error.message, error.parameters);
    }
  }

  async #getUpdates({ bot, payload }: MethodCall, response: ServerResponse): Promise<JsonObject> {
    if (bot.webhook) {
      const why = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      return refusal(409, `Conflict: ${why}`);
    }
    if (Array.isArray(payload.allowed_updates)) bot.allowedUpdates = payload.allowed_updates.map(String);
    const { offset = 0, limit = 100, timeout = 0 } = payload;
    const poll = bot.poll(Number(offset), Number(limit), Number(timeout) * 1_000);
    response.once('close', () => poll.cancel());
    const result = await poll.result;
    if (bot.isRevoked) return refusal(401, 'Unauthorized');
    if (result !== 'conflict') return { ok: true, result: [...result.updates] };
    return refusal(
      409,
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    );
  }

  #serveFile(path: string, response: ServerResponse): void {
    const [, fileId = ''] = /^documents\/(file-\d+)-/.exec(path) ?? [];
    const file = this.#files.get(fileId);
    if (!file) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length });
    response.end(file.bytes);
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function rawSender(sender: TelegramPerson | TelegramBot): JsonObject {
  if (sender instanceof TelegramBot) return sender.raw;
  const { id, name, username } = sender;
  return { id, is_bot: false, first_name: name, ...(username !== undefined && { username }) };
}

/** What a client marks while a person types: mentions and commands. */
function entitiesOf(text: string, field: string): JsonObject {
  const found = [...text.matchAll(/(?<=^|\s)(?:@\w+|\/\w+(?:@\w+)?)/g)].map(({ 0: word, index }) => ({
    type: word.startsWith('@') ? 'mention' : 'bot_command',
    offset: index,
    length: word.length,
  }));
  return found.length === 0 ? {} : { [field]: found };
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readCall(
  request: IncomingMessage,
  body: Uint8Array,
): { payload: JsonObject; files: Map<string, TelegramFile> } {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) {
    const value: JsonValue = body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString('utf8'));
    return { payload: isJsonObject(value) ? value : {}, files: new Map() };
  }
  const files = new Map<string, TelegramFile>();
  const fields: [string, JsonValue][] = [];
  for (const { name, fileName, bytes } of readMultipart(body, type)) {
    if (fileName === undefined) fields.push([name, fieldOf(Buffer.from(bytes).toString('utf8'))]);
    else files.set(name, { name: fileName, bytes });
  }
  return { payload: Object.fromEntries(fields), files };
}

/** Fields of a form are texts; objects and lists are written as JSON. */
function fieldOf(text: string): JsonValue {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refusal(status: number, description: string, parameters?: JsonObject): JsonObject {
  return { ok: false, error_code: status, description, ...(parameters && { parameters }) };
}

function answer(response: ServerResponse, result: JsonObject): void {
  if (response.destroyed) return;
  const status = result.ok === true ? 200 : Number(result.error_code);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

function answerFault(response: ServerResponse, fault: Extract<TelegramFault, { readonly status: number }>): void {
  const { status, retryAfter, description } = fault;
  const words =
    description ?? (status === 429 ? `Too Many Requests: retry after ${retryAfter}` : 'Internal Server Error');
  answer(response, refusal(status, words, retryAfter === undefined ? undefined : { retry_after: retryAfter }));
}

function answerPage(response: ServerResponse): void {
  response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>502 Bad Gateway</body></html>');
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
