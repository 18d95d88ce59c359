// The WebSocket side of the fake Discord: hello, identify, resume, heartbeats, and events with sequence numbers. A
// session outlives its connection, and keeps what was sent, so that a client can resume. What a bot's sessions miss
// while it has none is gone, as on Discord.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { DiscordWorld, FakeBot } from './discord-world.ts';

interface GatewaySession {
  readonly id: string;
  readonly bot: FakeBot;
  readonly intents: number;
  readonly log: { readonly s: number; readonly t: string; readonly d: unknown }[];
  sequence: number;
  socket: WebSocket | undefined;
  isValid: boolean;
}

/** One event as one session was given it. */
export interface DispatchedEvent {
  readonly botId: string;
  readonly sessionId: string;
  readonly sequence: number;
  readonly isConnected: boolean;
}

export interface GatewayEvents {
  /** The payload of READY besides the session, and what follows it. */
  welcome(bot: FakeBot): readonly { readonly t: string; readonly d: unknown }[];
  url(): string;
}

const INTENTS = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 };

export class DiscordGateway {
  /** How often clients send a heartbeat. */
  heartbeatMs = 41_250;
  /** Whether heartbeats are answered. */
  answersHeartbeats = true;
  /** Whether clients that ask to resume may. */
  allowsResume = true;
  /** How many connections were made, and how many of them resumed. */
  readonly counts = { connections: 0, identified: 0, resumed: 0 };
  readonly #world: DiscordWorld;
  readonly #events: GatewayEvents;
  readonly #sessions = new Map<string, GatewaySession>();
  #server = new WebSocketServer({ noServer: true });
  #faults: ('duplicate' | 'hold')[] = [];
  #held: (() => void)[] = [];

  constructor(world: DiscordWorld, events: GatewayEvents) {
    this.#world = world;
    this.#events = events;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
  }

  /** Ends every connection, as when the process of the platform ends. Sessions stay. */
  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Closes the connections of one bot, or of all. */
  close(code: number, botId?: string): void {
    for (const { bot, socket } of this.#sessions.values())
      if (botId === undefined || bot.id === botId) socket?.close(code);
  }

  /** The next event is sent twice, or is sent after the one that follows it. */
  disturbNext(how: 'duplicate' | 'hold'): void {
    this.#faults.push(how);
  }

  /** Asks every client to come back and resume. */
  askToReconnect(): void {
    for (const socket of this.#server.clients) send(socket, { op: 7, d: null });
  }

  invalidate(isResumable: boolean): void {
    for (const session of this.#sessions.values()) {
      if (!isResumable) session.isValid = false;
      if (session.socket) send(session.socket, { op: 9, d: isResumable });
    }
  }

  isConnected(botId: string): boolean {
    return [...this.#sessions.values()].some(({ bot, socket }) => bot.id === botId && socket !== undefined);
  }

  dispatch(bot: FakeBot, t: string, d: Record<string, unknown>): readonly DispatchedEvent[] {
    const own = [...this.#sessions.values()].filter((session) => session.bot === bot && session.isValid);
    return own.flatMap((session) => {
      const seen = seenBy(session, t, d);
      return seen ? [this.#send(session, t, seen)] : [];
    });
  }

  #send(session: GatewaySession, t: string, d: unknown): DispatchedEvent {
    session.sequence += 1;
    const entry = { s: session.sequence, t, d };
    session.log.push(entry);
    const { socket } = session;
    const show = () => socket && send(socket, { op: 0, ...entry });
    const fault = this.#faults.shift();
    if (fault === 'hold') this.#held.push(show);
    else {
      show();
      if (fault === 'duplicate') show();
      for (const late of this.#held.splice(0)) late();
    }
    const isConnected = socket !== undefined && socket.readyState === socket.OPEN;
    return { botId: session.bot.id, sessionId: session.id, sequence: entry.s, isConnected };
  }

  #welcome(socket: WebSocket): void {
    this.counts.connections += 1;
    let session: GatewaySession | undefined;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: Record<string, unknown> & number };
      if (op === 1 && this.answersHeartbeats) send(socket, { op: 11 });
      if (op === 2) session = this.#identify(socket, d);
      if (op === 6) session = this.#resume(socket, d) ?? session;
    });
    socket.on('close', (code) => {
      if (!session || session.socket !== socket) return;
      session.socket = undefined;
      // A client that says goodbye ends its session.
      if (code === 1000 || code === 1001) session.isValid = false;
    });
    send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatMs } });
  }

  #identify(socket: WebSocket, { token, intents }: Record<string, unknown>): GatewaySession | undefined {
    const bot = this.#world.botOfToken(String(token));
    if (!bot) {
      socket.close(4004, 'Authentication failed.');
      return undefined;
    }
    if (Number(intents) & INTENTS.messageContent && !bot.mayReadContent) {
      socket.close(4014, 'Disallowed intent(s).');
      return undefined;
    }
    this.counts.identified += 1;
    const id = this.#world.newId();
    const session: GatewaySession = {
      id,
      bot,
      intents: Number(intents),
      log: [],
      sequence: 0,
      socket,
      isValid: true,
    };
    this.#sessions.set(id, session);
    const [ready, ...others] = this.#events.welcome(bot);
    const address = { session_id: id, resume_gateway_url: this.#events.url() };
    this.#send(session, 'READY', { ...(ready?.d as object), ...address });
    for (const { t, d } of others) this.#send(session, t, d);
    return session;
  }

  #resume(socket: WebSocket, { token, session_id, seq }: Record<string, unknown>): GatewaySession | undefined {
    const bot = this.#world.botOfToken(String(token));
    if (!bot) {
      socket.close(4004, 'Authentication failed.');
      return undefined;
    }
    const session = this.#sessions.get(String(session_id));
    if (!session?.isValid || session.bot !== bot || !this.allowsResume) {
      send(socket, { op: 9, d: false });
      return undefined;
    }
    this.counts.resumed += 1;
    session.socket = socket;
    for (const entry of session.log) if (entry.s > Number(seq)) send(socket, { op: 0, ...entry });
    this.#send(session, 'RESUMED', {});
    return session;
  }
}

/** What the session's intents let it see; undefined for nothing. */
function seenBy({ intents, bot }: GatewaySession, t: string, d: Record<string, unknown>): unknown {
  if (!t.startsWith('MESSAGE_')) return d;
  const isDirect = d.guild_id === undefined;
  if (!(intents & (isDirect ? INTENTS.directMessages : INTENTS.guildMessages))) return undefined;
  const author = d.author as { readonly id?: string } | undefined;
  const mentions = (d.mentions as readonly { readonly id: string }[] | undefined) ?? [];
  const isForBot = isDirect || author?.id === bot.id || mentions.some(({ id }) => id === bot.id);
  if (isForBot || intents & INTENTS.messageContent || d.content === undefined) return d;
  return { ...d, content: '', attachments: [], components: [] };
}

function send(socket: WebSocket, payload: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
}
