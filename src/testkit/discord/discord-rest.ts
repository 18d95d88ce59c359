// The REST side of the fake Discord, version 10: the routes that a bot needs, with Discord's own error codes and its
// headers about limits. It changes the world and tells the gateway what happened.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DiscordFaults } from './discord-faults.ts';
import type { DiscordJson } from './discord-json.ts';
import { CHANNEL_TYPES, type DiscordWorld, type FakeBot, type FakeChannel, type FakeMessage } from './discord-world.ts';
import { isSnowflake } from './snowflakes.ts';

type Json = Record<string, unknown>;

export interface RestPorts {
  readonly world: DiscordWorld;
  readonly json: DiscordJson;
  readonly faults: DiscordFaults;
  readonly gatewayUrl: () => string;
  /** Tells every bot that sees the channel. */
  readonly tell: (channel: FakeChannel, event: string, data: Json) => void;
  /** The answer of a bot to a command or a press; false when it came too late. */
  readonly answerInteraction: (token: string, answer: InteractionAnswer) => boolean;
  readonly changed: () => void;
}

export interface InteractionAnswer {
  readonly type: number;
  readonly content?: string | undefined;
  readonly isEphemeral: boolean;
}

interface Call {
  readonly bot: FakeBot;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly isOpen?: boolean | undefined;
  readonly answer: (call: Call) => Answer;
}

/** How many requests of one route a bot may make in a second. */
export interface RouteLimit {
  readonly requests: number;
  readonly perMs: number;
}

export class DiscordRest {
  /** The default is so wide that only tests that want to meet it do. */
  limit: RouteLimit = { requests: 1_000, perMs: 1_000 };
  readonly typing: { readonly channelId: string; readonly botId: string; readonly at: number }[] = [];
  /** The native commands of each application, and of each application in one server. */
  readonly commands = new Map<string, readonly Json[]>();
  /** Every request, such as `POST /channels/1/messages`. */
  readonly requests: string[] = [];
  readonly #ports: RestPorts;
  readonly #routes: readonly Route[];
  readonly #used = new Map<string, { count: number; until: number }>();

  constructor(ports: RestPorts) {
    this.#ports = ports;
    this.#routes = this.#allRoutes();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults } = this.#ports;
    const url = new URL(request.url ?? '/', 'http://discord');
    const path = url.pathname.replace(/^\/api\/v10/, '');
    const name = `${request.method} ${path}`;
    this.requests.push(name);
    const { body, files } = await readBody(request);
    const fault = faults.take(name);
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'status')
      return reply(response, { status: fault.status, body: { message: 'It failed.', code: 0 } });
    if (fault?.kind === 'limit') return limited(response, fault.retryAfterMs, fault.isGlobal === true);
    const bucket = this.#bucketOf(request.method ?? '', path);
    if (bucket.isOver) return limited(response, bucket.resetMs, false, bucket.headers);
    const answer = this.#answerOf(request, path, url.searchParams, body, files);
    if (fault?.kind === 'no-answer') return void request.socket.destroy();
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    reply(response, answer, bucket.headers);
  }

  #answerOf(request: IncomingMessage, path: string, query: URLSearchParams, body: Json, files: Call['files']): Answer {
    for (const { method, pattern, isOpen, answer } of this.#routes) {
      const match = request.method === method ? pattern.exec(path) : null;
      if (!match) continue;
      const token = (request.headers.authorization ?? '').replace(/^Bot /, '');
      const bot = this.#ports.world.botOfToken(token);
      if (!bot && !isOpen) return { status: 401, body: { message: '401: Unauthorized', code: 0 } };
      const params = match.slice(1).map(decodeURIComponent);
      return answer({ bot: bot as FakeBot, params, query, body, files });
    }
    return { status: 404, body: { message: '404: Not Found', code: 0 } };
  }

  #bucketOf(method: string, path: string) {
    const name = `${method} ${path.replace(/(?<=\/messages\/)\d+/, ':id')}`;
    const now = Date.now();
    const known = this.#used.get(name);
    const bucket = known && known.until > now ? known : { count: 0, until: now + this.limit.perMs };
    this.#used.set(name, bucket);
    const isOver = bucket.count >= this.limit.requests;
    if (!isOver) bucket.count += 1;
    const resetMs = bucket.until - now;
    const headers = {
      'x-ratelimit-limit': String(this.limit.requests),
      'x-ratelimit-remaining': String(this.limit.requests - bucket.count),
      'x-ratelimit-reset': String(bucket.until / 1_000),
      'x-ratelimit-reset-after': String(resetMs / 1_000),
      'x-ratelimit-bucket': Buffer.from(name.replace(/\d{15,}/g, ':id'))
        .toString('hex')
        .slice(0, 32),
    };
    return { isOver, resetMs, headers };
  }

  #allRoutes(): readonly Route[] {
    const { world, json } = this.#ports;
    const route = (method: string, path: string, answer: Route['answer'], isOpen = false): Route => ({
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`),
      answer,
      isOpen,
    });
    const inChannel =
      (answer: (channel: FakeChannel, call: Call) => Answer) =>
      (call: Call): Answer => {
        const [id = ''] = call.params;
        if (!isSnowflake(id)) return invalid(`Value "${id}" is not snowflake.`);
        const channel = world.channels.get(id);
        if (!channel) return unknownThing(10003, 'Unknown Channel');
        if (!world.botsIn(channel).includes(call.bot))
          return { status: 403, body: { message: 'Missing Access', code: 50001 } };
        return answer(channel, call);
      };
    const ofMessage = (answer: (message: FakeMessage, channel: FakeChannel, call: Call) => Answer) =>
      inChannel((channel, call) => {
        const [, id = ''] = call.params;
        if (!isSnowflake(id)) return invalid(`Value "${id}" is not snowflake.`);
        const message = world.messages.get(id);
        if (message?.channelId !== channel.id) return unknownThing(10008, 'Unknown Message');
        return answer(message, channel, call);
      });
    return [
      route('GET', '/gateway/bot', () =>
        done({
          url: this.#ports.gatewayUrl(),
          shards: 1,
          session_start_limit: { total: 1000, remaining: 1000, reset_after: 3_600_000, max_concurrency: 50 },
        }),
      ),
      route('GET', '/users/@me', ({ bot }) => done(json.user(bot.id))),
      route('GET', '/applications/@me', ({ bot }) =>
        done({
          id: bot.applicationId,
          name: bot.name,
          flags: bot.mayReadContent ? 1 << 18 : 0,
        }),
      ),
      route('GET', '/users/@me/guilds', ({ bot }) =>
        done([...world.guilds.values()].filter(({ members }) => members.has(bot.id)).map((guild) => json.guild(guild))),
      ),
      route('POST', '/users/@me/channels', ({ bot, body }) => {
        const person = world.people.get(String(body.recipient_id));
        if (!person) return unknownThing(10013, 'Unknown User');
        return done(json.channel(world.dmOf(bot.id, person.id)));
      }),
      route('GET', '/guilds/:guild', ({ params: [id = ''] }) => {
        const guild = world.guilds.get(id);
        return guild ? done(json.guild(guild)) : unknownThing(10004, 'Unknown Guild');
      }),
      route('GET', '/guilds/:guild/channels', ({ bot, params: [id = ''] }) =>
        done(world.channelsOf(id).map((each) => json.channel(each, bot.id))),
      ),
      route('GET', '/guilds/:guild/threads/active', ({ bot, params: [id = ''] }) =>
        done({ threads: world.threadsOf(id).map((each) => json.channel(each, bot.id)), members: [] }),
      ),
      route('GET', '/guilds/:guild/members/:user', ({ params: [id = '', user = ''] }) => {
        const guild = world.guilds.get(id);
        if (!guild?.members.has(user)) return unknownThing(10007, 'Unknown Member');
        return done({ ...json.member(guild, user), user: json.user(user) });
      }),
      route(
        'GET',
        '/channels/:channel',
        inChannel((channel, { bot }) => done(json.channel(channel, bot.id))),
      ),
      route(
        'GET',
        '/channels/:channel/messages',
        inChannel((channel, { query }) => {
          const before = query.get('before');
          const after = query.get('after');
          const limit = Number(query.get('limit') ?? 50);
          if (!(limit >= 1 && limit <= 100)) return invalid('int value should be between 1 and 100.');
          const all = world
            .messagesIn(channel.id)
            .filter(
              ({ id }) =>
                (before === null || BigInt(id) < BigInt(before)) && (after === null || BigInt(id) > BigInt(after)),
            );
          const page = after === null ? all.slice(-limit) : all.slice(0, limit);
          return done([...page].reverse().map((message) => json.message(message)));
        }),
      ),
      route(
        'GET',
        '/channels/:channel/messages/:message',
        ofMessage((message) => done(json.message(message))),
      ),
      route(
        'POST',
        '/channels/:channel/messages',
        inChannel((channel, call) => this.#create(channel, call)),
      ),
      route(
        'PATCH',
        '/channels/:channel/messages/:message',
        ofMessage((message, channel, { bot, body, files }) => {
          if (message.authorId !== bot.id) {
            return { status: 403, body: { message: 'Cannot edit a message authored by another user', code: 50005 } };
          }
          const problem = problemOf(body);
          if (problem) return problem;
          if (typeof body.content === 'string') message.content = body.content.trim();
          if (Array.isArray(body.components)) message.components = body.components;
          if (files.length > 0) {
            message.files = files.map((file) => ({ id: world.newId(), ...file }));
            for (const file of message.files) world.files.set(file.id, file);
          }
          message.editedAt = Date.now();
          this.#ports.tell(channel, 'MESSAGE_UPDATE', json.message(message, { inEvent: true }));
          this.#ports.changed();
          return done(json.message(message));
        }),
      ),
      route(
        'DELETE',
        '/channels/:channel/messages/:message',
        ofMessage((message, channel) => {
          world.messages.delete(message.id);
          const guild = channel.guildId === undefined ? {} : { guild_id: channel.guildId };
          this.#ports.tell(channel, 'MESSAGE_DELETE', { id: message.id, channel_id: channel.id, ...guild });
          this.#ports.changed();
          return { status: 204 };
        }),
      ),
      route(
        'PUT',
        '/channels/:channel/messages/:message/reactions/:emoji/@me',
        ofMessage((message, _, { bot, params }) => {
          const emoji = params[2] ?? '';
          if (/^[a-z0-9]+$/i.test(emoji)) return { status: 400, body: { message: 'Unknown Emoji', code: 10014 } };
          message.reactions.set(emoji, new Set([...(message.reactions.get(emoji) ?? []), bot.id]));
          return { status: 204 };
        }),
      ),
      route(
        'DELETE',
        '/channels/:channel/messages/:message/reactions/:emoji/@me',
        ofMessage((message, _, { bot, params }) => {
          message.reactions.get(params[2] ?? '')?.delete(bot.id);
          return { status: 204 };
        }),
      ),
      route(
        'POST',
        '/channels/:channel/typing',
        inChannel(({ id }, { bot }) => {
          this.typing.push({ channelId: id, botId: bot.id, at: Date.now() });
          this.#ports.changed();
          return { status: 204 };
        }),
      ),
      route(
        'POST',
        '/channels/:channel/messages/:message/threads',
        ofMessage((message, channel, { bot, body }) => {
          if (world.channels.has(message.id)) {
            return {
              status: 400,
              body: { message: 'A thread has already been created for this message', code: 160004 },
            };
          }
          return this.#createThread(channel, bot, body, message.id);
        }),
      ),
      route(
        'POST',
        '/channels/:channel/threads',
        inChannel((channel, call) => {
          if (channel.parentId !== undefined || channel.recipients) {
            return { status: 400, body: { message: 'Cannot execute action on this channel type', code: 50024 } };
          }
          const isForum = channel.type === CHANNEL_TYPES.forum;
          if (isForum && !call.body.message) return invalid('message: This field is required');
          const created = this.#createThread(channel, call.bot, call.body);
          if (!isForum || created.status !== 201) return created;
          const thread = world.channels.get(String((created.body as Json).id)) as FakeChannel;
          const message = this.#create(thread, { ...call, body: { ...(call.body.message as Json), id: thread.id } });
          return { status: 201, body: { ...(created.body as Json), message: message.body } };
        }),
      ),
      route('PUT', '/applications/:application/commands', ({ params: [id = ''], body }) => this.#setCommands(id, body)),
      route('PUT', '/applications/:application/guilds/:guild/commands', ({ params: [id = '', guild = ''], body }) =>
        this.#setCommands(`${id}/${guild}`, body),
      ),
      route(
        'POST',
        '/interactions/:id/:token/callback',
        ({ params: [, token = ''], body }) => {
          const data = (body.data ?? {}) as Json;
          const answer = {
            type: Number(body.type),
            content: data.content as string | undefined,
            isEphemeral: Number(data.flags ?? 0) === 64,
          };
          return this.#ports.answerInteraction(token, answer)
            ? { status: 204 }
            : unknownThing(10062, 'Unknown interaction');
        },
        true,
      ),
      route(
        'PATCH',
        '/webhooks/:application/:token/messages/@original',
        ({ params: [, token = ''], body }) => {
          const answer = { type: 0, content: body.content as string | undefined, isEphemeral: true };
          return this.#ports.answerInteraction(token, answer)
            ? done({ id: world.newId() })
            : unknownThing(10015, 'Unknown Webhook');
        },
        true,
      ),
    ];
  }

  #create(channel: FakeChannel, { bot, body, files }: Call): Answer {
    const { world, json } = this.#ports;
    if (channel.type === CHANNEL_TYPES.forum) {
      return { status: 400, body: { message: 'Cannot send messages in a non-text channel', code: 50008 } };
    }
    const content = typeof body.content === 'string' ? body.content : '';
    const problem = problemOf(body);
    if (problem) return problem;
    if (content.trim() === '' && files.length === 0) {
      return { status: 400, body: { message: 'Cannot send an empty message', code: 50006 } };
    }
    const nonce = body.nonce === undefined ? undefined : String(body.nonce);
    const isSame = (each: FakeMessage) =>
      each.nonce === nonce && each.authorId === bot.id && each.channelId === channel.id;
    const known =
      body.enforce_nonce === true && nonce !== undefined && this.remembersNonces
        ? [...world.messages.values()].find(isSame)
        : undefined;
    if (known) return done(json.message(known, { withNonce: true }));
    const reference = body.message_reference as Json | undefined;
    const replied = world.messages.get(String(reference?.message_id));
    if (reference && replied?.channelId !== channel.id && reference.fail_if_not_exists !== false) {
      return invalid('message_reference: Unknown message');
    }
    const message = world.addMessage({
      // The first message of a post has the id of the post.
      ...(typeof body.id === 'string' && { id: body.id }),
      channelId: channel.id,
      authorId: bot.id,
      content,
      nonce,
      files,
      replyToId: replied?.channelId === channel.id ? replied.id : undefined,
      flags: Number(body.flags ?? 0),
      components: (body.components as readonly unknown[] | undefined) ?? [],
      pinged: pingedBy(content, body.allowed_mentions as Json | undefined, replied?.authorId),
    });
    this.#ports.tell(channel, 'MESSAGE_CREATE', json.message(message, { withNonce: true, inEvent: true }));
    this.#ports.changed();
    return done(json.message(message, { withNonce: true }));
  }

  /** Whether a nonce that was used before gives the message of then. Discord forgets one after some minutes. */
  remembersNonces = true;

  #createThread(parent: FakeChannel, bot: FakeBot, body: Json, id?: string): Answer {
    const { world, json } = this.#ports;
    const name = String(body.name ?? '');
    if (name.length < 1 || name.length > 100) return invalid('name: Must be between 1 and 100 in length.');
    const thread = world.addChannel({
      ...(id !== undefined && { id }),
      type: CHANNEL_TYPES.publicThread,
      name,
      guildId: parent.guildId,
      parentId: parent.id,
      ownerId: bot.id,
    });
    this.#ports.tell(thread, 'THREAD_CREATE', { ...json.channel(thread, bot.id), newly_created: true });
    this.#ports.changed();
    return { status: 201, body: json.channel(thread, bot.id) };
  }

  #setCommands(key: string, body: Json): Answer {
    const commands = Object.values(body) as Json[];
    const wrong = commands.find(
      ({ name, description }) =>
        !/^[-_\p{L}\p{N}]{1,32}$/u.test(String(name)) || !/^.{1,100}$/s.test(String(description)),
    );
    if (wrong) return invalid(`name: "${wrong.name}" is invalid`);
    this.commands.set(key, commands);
    this.#ports.changed();
    return done(commands);
  }
}

function problemOf({ content, nonce, components }: Json): Answer | undefined {
  if (typeof content === 'string' && [...content].length > 2_000) {
    return invalid('content: Must be 2000 or fewer in length.');
  }
  if (nonce !== undefined && String(nonce).length > 25) return invalid('nonce: Must be 25 or fewer in length.');
  const rows = (components as readonly { readonly components: readonly Json[] }[] | undefined) ?? [];
  const buttons = rows.flatMap((row) => row.components);
  const ids = buttons.map(({ custom_id }) => String(custom_id));
  const isWrong = rows.length > 5 || rows.some((row) => row.components.length > 5) || new Set(ids).size !== ids.length;
  const isTooLong = buttons.some(({ custom_id, label }) => String(custom_id).length > 100 || String(label).length > 80);
  return isWrong || isTooLong ? invalid('components: Invalid Form Body') : undefined;
}

/** Who is told, as Discord decides it: without `allowed_mentions` everybody whom the text names. */
function pingedBy(content: string, allowed: Json | undefined, repliedTo: string | undefined): readonly string[] {
  const named = [...content.matchAll(/<@[!&]?(\d+)>|@(everyone|here)/g)].map(([, id, mass]) => id ?? mass ?? '');
  const parse = allowed?.parse as readonly string[] | undefined;
  const replied = repliedTo !== undefined && allowed?.replied_user !== false ? [repliedTo] : [];
  return [...(parse && parse.length === 0 ? [] : named), ...replied];
}

function done(body: unknown): Answer {
  return { status: 200, body };
}

function unknownThing(code: number, message: string): Answer {
  return { status: 404, body: { message, code } };
}

function invalid(message: string): Answer {
  return { status: 400, body: { message: `Invalid Form Body: ${message}`, code: 50035 } };
}

function limited(response: ServerResponse, retryAfterMs: number, isGlobal: boolean, headers: object = {}): void {
  const seconds = retryAfterMs / 1_000;
  const own = {
    'retry-after': String(seconds),
    'x-ratelimit-scope': isGlobal ? 'global' : 'user',
    ...(isGlobal && { 'x-ratelimit-global': 'true' }),
  };
  const body = { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal };
  reply(response, { status: 429, body }, { ...headers, ...own });
}

function reply(response: ServerResponse, { status, body }: Answer, headers: object = {}): void {
  response.writeHead(status, { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Pick<Call, 'body' | 'files'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (bytes.length === 0) return { body: {}, files: [] };
  if (!type.startsWith('multipart/')) return { body: JSON.parse(bytes.toString()) as Json, files: [] };
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const files: { name: string; bytes: Uint8Array }[] = [];
  for (const value of form.values()) {
    if (typeof value === 'string') continue;
    files.push({ name: value.name, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { body: JSON.parse(String(form.get('payload_json') ?? '{}')) as Json, files };
}
