// Slack as a server on loopback, for the real client libraries: its Web API over HTTP, its files, and Socket Mode over a
// WebSocket. A test plays the people with it and says what goes wrong. People, conversations and messages stay when the
// server is stopped and started again on the same port.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import {
  changedEvent,
  deletedEvent,
  mentionEvent,
  messageEvent,
  messageJson,
  reactionEvent,
  shownText,
} from './slack-event.ts';
import { SlackSockets } from './slack-sockets.ts';
import { SLACK_METHODS, SlackRefusal } from './slack-web-api.ts';
import {
  type SlackApp,
  type SlackConversation,
  type SlackMessage,
  type SlackUser,
  SlackWorkspace,
} from './slack-workspace.ts';

export interface FakeSlackSettings {
  /** After this time without an acknowledgement an event is sent again. Slack's own is the default, 3 seconds. */
  readonly ackWithinMs?: number | undefined;
  /** How often an event is sent again. The default is 3. */
  readonly resends?: number | undefined;
}

/** Where people read: a conversation by its id, and a thread in it. */
export interface SlackPlace {
  readonly channel: string;
  readonly thread?: string | undefined;
}

export interface SlackWords {
  /** The name of the person. The default is the other person of a direct conversation, else `owner`. */
  readonly from?: string | undefined;
  /** The same name means the same event: it is sent again, as Slack does. */
  readonly eventId?: string | undefined;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
  /** More fields of the event, such as `bot_id`. */
  readonly fields?: JsonObject | undefined;
}

/** Something that a person did: its message, and whether the app has acknowledged it. */
export interface SlackDeed {
  readonly ts: string;
  readonly isAcked: Promise<boolean>;
}

/** What becomes of a call of the Web API. */
export type SlackFault =
  /** 429 with `Retry-After`. */
  | { readonly limitSeconds: number }
  | { readonly status: number }
  /** An answer with this error, and more facts about it. */
  | { readonly error: string; readonly facts?: JsonObject | undefined }
  /** The call is done, and the connection breaks before the answer. */
  | 'withhold'
  /** The connection breaks, and nothing is done. */
  | 'cut'
  | { readonly delayMs: number };

interface ScriptedFault {
  readonly method: string;
  readonly fault: SlackFault;
  times: number;
}

export class FakeSlack {
  readonly workspace = new SlackWorkspace();
  /** The app that is there from the beginning. */
  readonly app: SlackApp;
  /** Every call of the Web API, in order. */
  readonly calls: { readonly method: string; readonly args: Readonly<Record<string, string>> }[] = [];
  readonly #settings: Required<FakeSlackSettings>;
  readonly #sockets = new Map<SlackApp, SlackSockets>();
  readonly #faults: ScriptedFault[] = [];
  /** What was delivered under a name, to be delivered again. */
  readonly #events = new Map<string, { ts: string; attempt: number; again: (attempt: number) => Promise<boolean> }>();
  #server: Server | undefined;
  #port = 0;
  #refusedSockets = 0;
  #triggers = 0;

  constructor({ ackWithinMs = 3_000, resends = 3 }: FakeSlackSettings = {}) {
    this.#settings = { ackWithinMs, resends };
    this.app = this.addApp('atrium');
  }

  static async start(settings?: FakeSlackSettings): Promise<FakeSlack> {
    const slack = new FakeSlack(settings);
    await slack.start();
    return slack;
  }

  /** The value of `channels.slack.apiRoot`. */
  get apiRoot(): string {
    return `${this.#root}api/`;
  }

  get #root(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    const sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      const app = this.#appOfSocket(request.url ?? '');
      if (!app || this.#refusedSockets > 0) {
        this.#refusedSockets = Math.max(0, this.#refusedSockets - 1);
        socket.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.socketsOf(app).add(webSocket, { type: 'hello', connection_info: { app_id: app.appId } });
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Everything that is open breaks. What the workspace holds stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const sockets of this.#sockets.values()) sockets.cut();
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  /** Stops for good, and leaves no timer behind. */
  async remove(): Promise<void> {
    for (const sockets of this.#sockets.values()) sockets.giveUp();
    await this.stop();
  }

  // The workspace

  addApp(name: string): SlackApp {
    const app = this.workspace.addApp(name);
    this.#sockets.set(app, new SlackSockets(this.#settings));
    return app;
  }

  socketsOf(app: SlackApp = this.app): SlackSockets {
    const sockets = this.#sockets.get(app);
    if (!sockets) throw new Error(`There is no app ${app.appId} here.`);
    return sockets;
  }

  person(name: string): SlackUser {
    return this.workspace.addPerson(name);
  }

  direct(name: string, app: SlackApp = this.app): SlackPlace {
    return { channel: this.workspace.openDirect(app.user.id, this.person(name).id).id };
  }

  /** A channel with all apps and these people. */
  channel(name: string, { people = ['owner'], isPrivate = false } = {}): SlackPlace {
    return { channel: this.#addShared(isPrivate ? 'private' : 'channel', name, people) };
  }

  groupDirect(people: readonly string[]): SlackPlace {
    return { channel: this.#addShared('mpim', `mpdm-${people.join('--')}-1`, people) };
  }

  /** A thread from a new message of a person, of which the app is not told. */
  thread({ channel }: SlackPlace, text: string, from = 'owner'): SlackPlace {
    const root = this.workspace.post(this.#conversation(channel), { user: this.person(from).id, text });
    return { channel, thread: root.ts };
  }

  // What people do

  says(place: SlackPlace, text: string, { from, eventId, files = [], fields = {} }: SlackWords = {}): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(place.channel);
      const user = from === undefined ? this.#speaker(conversation) : this.person(from).id;
      const kept = files.map(({ name, bytes }) => this.workspace.addFile(name, bytes, true));
      const message = this.workspace.post(conversation, {
        user,
        text,
        threadTs: place.thread,
        files: kept,
        ...(kept.length > 0 && { subtype: 'file_share' }),
      });
      const json = { ...this.#json(message), ...this.#parentOf(conversation, place), ...fields };
      return { ts: message.ts, deliver: (attempt) => this.#tellMessage(json, conversation, attempt) };
    });
  }

  /** A message that the app is not told about, because nothing of it was connected. */
  saysUnheard(place: SlackPlace, text: string, { from }: Pick<SlackWords, 'from'> = {}): string {
    const conversation = this.#conversation(place.channel);
    const user = from === undefined ? this.#speaker(conversation) : this.person(from).id;
    return this.workspace.post(conversation, { user, text, threadTs: place.thread }).ts;
  }

  edits({ channel }: SlackPlace, ts: string, text: string, { eventId }: Pick<SlackWords, 'eventId'> = {}): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(channel);
      const message = this.#message(conversation, ts);
      const before = this.#json(message);
      message.text = text;
      message.editedTs = this.workspace.newTs();
      const event = changedEvent(this.#json(message), before, conversation, message.editedTs);
      return { ts, deliver: (attempt) => this.#tell(event, conversation, attempt) };
    });
  }

  deletes({ channel }: SlackPlace, ts: string, { eventId }: Pick<SlackWords, 'eventId'> = {}): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(channel);
      const message = this.#message(conversation, ts);
      conversation.messages.splice(conversation.messages.indexOf(message), 1);
      const event = deletedEvent(this.#json(message), conversation, this.workspace.newTs());
      return { ts, deliver: (attempt) => this.#tell(event, conversation, attempt) };
    });
  }

  reacts(
    { channel }: SlackPlace,
    ts: string,
    reaction: string,
    { from, eventId, isRemoved = false }: Pick<SlackWords, 'from' | 'eventId'> & { isRemoved?: boolean } = {},
  ): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(channel);
      const message = this.#message(conversation, ts);
      const user = from === undefined ? this.#speaker(conversation) : this.person(from).id;
      const users = message.reactions.get(reaction) ?? new Set<string>();
      message.reactions.set(reaction, users);
      if (isRemoved) users.delete(user);
      else users.add(user);
      const who = { user, reaction, itemUser: message.user };
      const type = isRemoved ? 'reaction_removed' : 'reaction_added';
      const event = reactionEvent(type, who, { channel, ts }, this.workspace.newTs());
      return { ts, deliver: (attempt) => this.#tell(event, conversation, attempt) };
    });
  }

  presses(
    { channel }: SlackPlace,
    ts: string,
    label: string,
    { from, eventId }: Pick<SlackWords, 'from' | 'eventId'> = {},
  ): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(channel);
      const message = this.#message(conversation, ts);
      const button = buttonsOf(message).find(({ text }) => isJsonObject(text) && text.text === label);
      if (!button) throw new Error(`There is no button ${JSON.stringify(label)} below ${ts}.`);
      const user = from === undefined ? this.#speaker(conversation) : this.person(from).id;
      const payload = {
        type: 'block_actions',
        trigger_id: this.#newTrigger(),
        team: { id: this.workspace.teamId },
        user: { id: user, username: this.workspace.users.get(user)?.name ?? '' },
        channel: { id: channel, name: conversation.name },
        container: { type: 'message', message_ts: ts, channel_id: channel },
        message: this.#json(message),
        actions: [{ ...button, action_ts: this.workspace.newTs() }],
      };
      const app = this.workspace.apps.find((each) => each.user.id === message.user) ?? this.app;
      return { ts, deliver: (attempt) => this.socketsOf(app).deliver('interactive', payload, attempt) };
    });
  }

  /** A person uses a slash command, such as `/atrium` with the text `new`. */
  uses(
    { channel }: SlackPlace,
    command: string,
    text: string,
    { from, eventId }: Pick<SlackWords, 'from' | 'eventId'> = {},
  ): SlackDeed {
    return this.#once(eventId, () => {
      const conversation = this.#conversation(channel);
      const user = from === undefined ? this.#speaker(conversation) : this.person(from).id;
      const payload = {
        command,
        text,
        team_id: this.workspace.teamId,
        channel_id: channel,
        channel_name: conversation.kind === 'im' ? 'directmessage' : conversation.name,
        user_id: user,
        user_name: this.workspace.users.get(user)?.name ?? '',
        trigger_id: this.#newTrigger(),
      };
      return { ts: '', deliver: (attempt) => this.socketsOf().deliver('slash_commands', payload, attempt) };
    });
  }

  // What people see

  /** The messages of bots at a place, in order. A thread has its replies, and a channel has what is not in a thread. */
  messages({ channel, thread }: SlackPlace): readonly SlackMessage[] {
    return this.#conversation(channel).messages.filter(
      ({ botId, threadTs }) => botId !== undefined && threadTs === thread,
    );
  }

  /** The texts of bots at a place; a file without words has none. */
  shown(place: SlackPlace): readonly string[] {
    return this.messages(place)
      .map(shownText)
      .filter((text) => text !== '');
  }

  filesShown(place: SlackPlace): readonly { readonly name: string; readonly bytes: Uint8Array }[] {
    return this.messages(place)
      .flatMap(({ files }) => files)
      .map(({ name, bytes }) => ({ name, bytes }));
  }

  /** The names of the reactions that the app has set. */
  reactionsTo({ channel }: SlackPlace, ts: string, app: SlackApp = this.app): readonly string[] {
    const { reactions } = this.#message(this.#conversation(channel), ts);
    return [...reactions].filter(([, users]) => users.has(app.user.id)).map(([name]) => name);
  }

  // What goes wrong

  /** The next calls of the method meet with this. `*` is any method. */
  fault(method: string, fault: SlackFault, times = 1): void {
    this.#faults.push({ method, fault, times });
  }

  /** From now on Slack refuses the tokens of the app, and its connections are closed. */
  revoke(app: SlackApp = this.app, error = 'token_revoked'): void {
    app.refusal = error;
    this.socketsOf(app).cut();
  }

  refuseSockets(count: number): void {
    this.#refusedSockets = count;
  }

  // The server

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.#root);
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const [, kind, name = ''] = pathname.split('/');
    if (kind === 'upload') this.#takeUpload(name, body, response);
    else if (kind === 'files') this.#sendFile(name, request, response);
    else if (kind === 'api') await this.#answerCall(name, request, body.toString('utf8'), response);
    else response.writeHead(404).end();
  }

  async #answerCall(method: string, request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const args = Object.fromEntries(new URLSearchParams(body));
    this.calls.push({ method, args });
    const fault = this.#nextFault(method);
    if (fault === 'cut') {
      response.destroy();
      return;
    }
    if (typeof fault === 'object' && 'delayMs' in fault) await sleep(fault.delayMs);
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status).end('the server is ill');
      return;
    }
    if (typeof fault === 'object' && 'limitSeconds' in fault) {
      response.writeHead(429, { 'retry-after': String(fault.limitSeconds) }).end('{"ok":false,"error":"ratelimited"}');
      return;
    }
    const refused = typeof fault === 'object' && 'error' in fault ? fault : undefined;
    const app = this.#appOfToken(request, method);
    const answer = refused ? { ok: false, error: refused.error, ...refused.facts } : this.#call(app, method, args);
    if (fault === 'withhold') {
      response.destroy();
      return;
    }
    const scopes = app ? { 'x-oauth-scopes': [...app.scopes].join(',') } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...scopes }).end(JSON.stringify(answer));
  }

  #call(app: SlackApp | undefined, name: string, args: Readonly<Record<string, string>>): JsonObject {
    try {
      if (!app) throw new SlackRefusal('invalid_auth');
      if (app.refusal !== undefined) throw new SlackRefusal(app.refusal);
      const method = SLACK_METHODS[name];
      if (!method) throw new SlackRefusal('unknown_method');
      const told: (() => void)[] = [];
      const answer = method({
        app,
        args,
        workspace: this.workspace,
        fileRoot: this.#root,
        tell: (event, conversation) => told.push(() => void this.#tell(event, conversation, 0)),
        socketUrl: () => `${this.#root.replace('http', 'ws')}link/?ticket=${app.appId}`,
      });
      for (const tell of told) tell();
      return { ok: true, ...answer };
    } catch (error) {
      if (error instanceof SlackRefusal) return { ok: false, error: error.code, ...error.facts };
      throw error;
    }
  }

  #takeUpload(id: string, bytes: Uint8Array, response: ServerResponse): void {
    const file = this.workspace.files.get(id);
    if (file) file.bytes = bytes;
    response.writeHead(file ? 200 : 404).end(file ? `OK - ${bytes.length}` : '');
  }

  #sendFile(id: string, request: IncomingMessage, response: ServerResponse): void {
    const app = this.#appOfToken(request, 'files');
    const file = this.workspace.files.get(id);
    // Without a good token Slack answers with the page on which people sign in.
    if (!app?.scopes.has('files:read'))
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    else if (file) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes);
    else response.writeHead(404).end();
  }

  #nextFault(method: string): SlackFault | undefined {
    const scripted = this.#faults.find((each) => each.method === method || each.method === '*');
    if (!scripted) return undefined;
    scripted.times -= 1;
    if (scripted.times <= 0) this.#faults.splice(this.#faults.indexOf(scripted), 1);
    return scripted.fault;
  }

  #appOfToken({ headers }: IncomingMessage, method: string): SlackApp | undefined {
    const token = headers.authorization?.replace(/^Bearer /, '');
    const isSocket = method === 'apps.connections.open';
    return this.workspace.apps.find(({ botToken, appToken }) => token === (isSocket ? appToken : botToken));
  }

  #appOfSocket(url: string): SlackApp | undefined {
    const ticket = new URL(url, this.#root).searchParams.get('ticket');
    return this.workspace.apps.find(({ appId, refusal }) => appId === ticket && refusal === undefined);
  }

  // Events

  /** Resolves with whether the apps in the conversation have acknowledged. */
  async #tell(event: JsonObject, { members }: SlackConversation, attempt: number): Promise<boolean> {
    const apps = this.workspace.apps.filter(({ user }) => members.has(user.id));
    const acked = await Promise.all(
      apps.map((app) => this.socketsOf(app).deliver('events_api', this.#callback(event, app), attempt)),
    );
    return acked.every((each) => each);
  }

  async #tellMessage(json: JsonObject, conversation: SlackConversation, attempt: number): Promise<boolean> {
    const told = this.#tell(messageEvent(json, conversation), conversation, attempt);
    const mentioned = this.workspace.apps.filter(
      ({ user }) => conversation.members.has(user.id) && String(json.text).includes(`<@${user.id}`),
    );
    if (conversation.kind === 'im') return told;
    const mention = mentionEvent(json, conversation);
    const others = mentioned.map((app) =>
      this.socketsOf(app).deliver('events_api', this.#callback(mention, app), attempt),
    );
    return (await Promise.all([told, ...others])).every((each) => each);
  }

  #callback(event: JsonObject, app: SlackApp): JsonObject {
    return {
      type: 'event_callback',
      team_id: this.workspace.teamId,
      api_app_id: app.appId,
      event_id: `Ev${app.appId}${event.type}${event.event_ts}`,
      event_time: Math.floor(Number(event.event_ts)),
      authorizations: [{ team_id: this.workspace.teamId, user_id: app.user.id, is_bot: true }],
      event,
    };
  }

  /** Does something, or delivers it again when it was done under this name before. */
  #once(
    name: string | undefined,
    act: () => { readonly ts: string; readonly deliver: (attempt: number) => Promise<boolean> },
  ): SlackDeed {
    const known = name === undefined ? undefined : this.#events.get(name);
    if (known) {
      known.attempt += 1;
      return { ts: known.ts, isAcked: known.again(known.attempt) };
    }
    const { ts, deliver } = act();
    if (name !== undefined) this.#events.set(name, { ts, attempt: 0, again: deliver });
    return { ts, isAcked: deliver(0) };
  }

  #addShared(kind: 'channel' | 'private' | 'mpim', name: string, people: readonly string[]): string {
    const members = [...this.workspace.apps.map(({ user }) => user.id), ...people.map((each) => this.person(each).id)];
    return this.workspace.addConversation(kind, name, members).id;
  }

  #conversation(id: string): SlackConversation {
    const conversation = this.workspace.conversations.get(id);
    if (!conversation) throw new Error(`There is no conversation ${id} here.`);
    return conversation;
  }

  #message({ messages, id }: SlackConversation, ts: string): SlackMessage {
    const message = messages.find((each) => each.ts === ts);
    if (!message) throw new Error(`There is no message ${ts} in ${id}.`);
    return message;
  }

  #speaker({ kind, members }: SlackConversation): string {
    const [other] = [...members].filter((id) => this.workspace.users.get(id)?.botId === undefined);
    return kind === 'im' && other !== undefined ? other : this.person('owner').id;
  }

  /** Slack names the author of the first message in every reply. */
  #parentOf({ messages }: SlackConversation, { thread }: SlackPlace): JsonObject {
    const parent = messages.find(({ ts }) => ts === thread);
    return parent ? { parent_user_id: parent.user } : {};
  }

  #json(message: SlackMessage): JsonObject {
    return messageJson(message, this.workspace, this.#root);
  }

  #newTrigger(): string {
    this.#triggers += 1;
    return `trigger.${this.#triggers}`;
  }
}

/** The labels of the buttons below a message. */
export function slackButtonLabels(message: SlackMessage): readonly string[] {
  return buttonsOf(message).flatMap(({ text }) =>
    isJsonObject(text) && typeof text.text === 'string' ? [text.text] : [],
  );
}

function buttonsOf({ attachments = [], blocks = [] }: SlackMessage): readonly JsonObject[] {
  const inAttachments = attachments.flatMap((each) => (isJsonObject(each) ? listOf(each.blocks) : []));
  return [...blocks, ...inAttachments]
    .flatMap((block) => (isJsonObject(block) && block.type === 'actions' ? listOf(block.elements) : []))
    .filter(isJsonObject);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
