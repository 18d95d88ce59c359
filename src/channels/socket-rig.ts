// For tests of socket channels: a real server that hands its sockets to a channel, and a client that does what the
// protocol asks of a page. The client keeps its surface and its place in the conversation, and reconnects when it is
// disconnected.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { AttachmentRef } from '../protocol/attachment.ts';
import type { ChannelRig } from './channel-suite.ts';
import type { Mailbox } from './mailbox.ts';
import type { ServerFrame } from './server-frame.ts';
import type { SocketChannel, SocketChannelPorts } from './socket-channel.ts';

export interface SocketServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveSockets(channel: SocketChannel): Promise<SocketServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  let clients = 0;
  sockets.on('connection', (socket) => channel.attach(socket, { clientId: `client-${++clients}` }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface PageOptions {
  readonly surface?: string | undefined;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly after?: number | undefined;
}

export class SocketPage {
  /** Every frame that came, over all connections. */
  readonly frames: ServerFrame[] = [];
  /** The texts that a person sees, in order. */
  readonly shown: string[] = [];
  /** The files that a person sees, in order. */
  readonly files: AttachmentRef[] = [];
  closeCode: number | undefined;
  surface: string | undefined;
  sessionKey: string | undefined;
  after: number | undefined;
  readonly #options: PageOptions;
  readonly #url: string;
  readonly #drafts = new Map<string, string>();
  readonly #watchers = new Set<() => void>();
  #socket: WebSocket | undefined;

  constructor(url: string, options: PageOptions = {}) {
    this.#url = url;
    this.#options = options;
    this.surface = options.surface;
    this.after = options.after;
  }

  static async open(url: string, options: PageOptions = {}): Promise<SocketPage> {
    const page = new SocketPage(url, options);
    await page.connect();
    return page;
  }

  /** Connects, or connects again, and resolves when the server is ready. */
  async connect(): Promise<void> {
    const before = this.count('ready');
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.closeCode = undefined;
    socket.on('error', () => {});
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#changed();
    });
    socket.on('message', (data) => {
      this.#take(JSON.parse(String(data)));
      this.#changed();
    });
    socket.on('open', () => {
      const { session, agent } = this.#options;
      this.send({ type: 'hello', session, agent, surface: this.surface, after: this.after });
    });
    await this.until(() => this.count('ready') > before || this.closeCode !== undefined);
  }

  send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  sendRaw(data: string | Buffer): void {
    this.#socket?.send(data);
  }

  /** Resolves with the server's answer to this message: accepted, or an error. */
  async says(text: string, id: string, attachments?: readonly { readonly id: string }[]): Promise<ServerFrame> {
    const from = this.frames.length;
    this.send({ type: 'message', id, text, attachments });
    const answer = () =>
      this.frames.slice(from).find((frame) => (frame.type === 'accepted' || frame.type === 'error') && frame.id === id);
    await this.until(() => answer() !== undefined || this.closeCode !== undefined);
    return answer() ?? { type: 'error', message: `closed with ${this.closeCode}` };
  }

  /** Returns what a running run has shown so far. */
  draft(runId: string): string | undefined {
    return this.#drafts.get(runId);
  }

  count(type: ServerFrame['type']): number {
    return this.frames.filter((frame) => frame.type === type).length;
  }

  of<Type extends ServerFrame['type']>(type: Type): (ServerFrame & { type: Type })[] {
    return this.frames.filter((frame): frame is ServerFrame & { type: Type } => frame.type === type);
  }

  /** Resolves when everything that the server sent before now has arrived. */
  async caughtUp(): Promise<void> {
    const before = this.count('pong');
    this.send({ type: 'ping' });
    await this.until(() => this.count('pong') > before || this.closeCode !== undefined);
  }

  until(holds: () => boolean, patienceMs = 10_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!holds()) return;
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(check);
        const last = JSON.stringify(this.frames.slice(-5)).slice(0, 2_000);
        reject(new Error(`The page waited for nothing. It is closed: ${this.closeCode}; last frames: ${last}`));
      }, patienceMs);
      this.#watchers.add(check);
      check();
    });
  }

  /** Stops reading, like a tab that the system has put to sleep. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Breaks the connection without a closing handshake. */
  async cut(): Promise<void> {
    this.#socket?.terminate();
    await this.until(() => this.closeCode !== undefined);
  }

  #take(frame: ServerFrame): void {
    this.frames.push(frame);
    switch (frame.type) {
      case 'ready':
        this.surface = frame.surface;
        this.sessionKey = frame.sessionKey;
        this.after = Math.min(this.after ?? frame.last, frame.last);
        this.#drafts.clear();
        return;
      case 'accepted':
        this.sessionKey = frame.sessionKey;
        return;
      case 'run-start':
        this.#drafts.set(frame.runId, '');
        return;
      case 'text-delta':
        this.#drafts.set(frame.runId, (this.#drafts.get(frame.runId) ?? '') + frame.text);
        return;
      case 'text-reset':
        this.#drafts.set(frame.runId, '');
        return;
      case 'run-end':
        this.#drafts.delete(frame.runId);
        return;
      case 'part':
        this.#drafts.delete(frame.runId);
        if (frame.seq <= (this.after ?? 0)) return;
        this.after = frame.seq;
        this.shown.push(frame.text);
        this.files.push(...(frame.attachments ?? []));
        this.send({ type: 'ack', seq: frame.seq });
        return;
    }
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/** Makes what the channel suite needs: one page on one surface, with an empty mailbox behind it. */
export async function socketChannelRig(make: (ports: SocketChannelPorts) => SocketChannel): Promise<ChannelRig> {
  const mailbox: Mailbox = { history: async () => [], last: async () => undefined, withMore: async () => [] };
  const channel = make({ mailbox, stop: () => {}, now: Date.now });
  const server = await serveSockets(channel);
  const page = new SocketPage(server.url, { surface: 'desk' });
  return {
    channel,
    surface: { channel: channel.id, accountId: 'default', peer: { kind: 'direct', id: 'desk' } },
    ready: () => page.connect(),
    says: async (text, eventId) => (await page.says(text, eventId)).type === 'accepted',
    // A page uploads a file before it names it in a message, and fetches a file that a part names.
    sends: async (text, file, eventId, port) => {
      const { id } = await port.upload(file);
      return (await page.says(text, eventId, [{ id }])).type === 'accepted';
    },
    filesShown: async (port) => {
      await page.caughtUp();
      const files = page.files.map(async ({ hash, name }) => {
        const bytes = await port.readAttachment(hash);
        return bytes ? [{ name, bytes }] : [];
      });
      return (await Promise.all(files)).flat();
    },
    shown: async () => {
      await page.caughtUp();
      return page.shown;
    },
    remove: () => server.close(),
  };
}
