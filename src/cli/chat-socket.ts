// A terminal's connection to the gateway: says who it is, passes frames on, and comes back by itself when the connection
// breaks, asking for what it missed. Messages that were not acknowledged are said again under the same id, which the
// gateway accepts once.

import type WebSocket from 'ws';
import type { ClientFrame } from '../channels/client-frame.ts';
import type { ServerFrame } from '../channels/server-frame.ts';

export interface ChatSocketSettings {
  readonly url: string;
  readonly token: string;
  readonly hello: {
    readonly session?: string | undefined;
    readonly agent?: string | undefined;
    readonly surface?: string | undefined;
  };
  /** The last part that was shown. */
  readonly after: () => number;
}

type Accepted = Extract<ServerFrame, { type: 'accepted' }>;
type Ready = Extract<ServerFrame, { type: 'ready' }>;

const RECONNECTS = 20;
const RECONNECT_MS = 500;

export class ChatSocket {
  readonly #settings: ChatSocketSettings;
  readonly #frames = new Set<(frame: ServerFrame) => void>();
  /** Said, and not acknowledged yet. */
  readonly #unanswered = new Map<string, { text: string; settle: (accepted: Accepted | undefined) => void }>();
  #socket: WebSocket | undefined;
  #ready: Ready | undefined;
  #lost: (error: Error) => void = () => {};
  #isClosed = false;

  constructor(settings: ChatSocketSettings) {
    this.#settings = settings;
  }

  /** Who the gateway says we are; known once `open` has resolved. */
  get ready(): Ready {
    return this.#ready ?? { type: 'ready', surface: '', last: 0 };
  }

  onFrame(listener: (frame: ServerFrame) => void): void {
    this.#frames.add(listener);
  }

  /** The connection is gone for good. */
  onLost(listener: (error: Error) => void): void {
    this.#lost = listener;
  }

  async open(): Promise<void> {
    const { default: Socket } = await import('ws');
    const { url, token, hello, after } = this.#settings;
    const socket = new Socket(`${url.replace(/^http/, 'ws')}/ws?channel=cli`, {
      headers: { authorization: `Bearer ${token}` },
    });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () => {
        // What was said before this terminal came is not repeated; what it missed after a break is.
        const isReturning = this.#ready !== undefined;
        const frame = { type: 'hello' as const, ...hello, surface: this.#ready?.surface ?? hello.surface };
        socket.send(JSON.stringify(isReturning ? { ...frame, after: after() } : frame));
      });
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as ServerFrame;
        if (frame.type === 'ready') {
          this.#ready = frame;
          resolve();
        }
        this.#take(frame);
      });
    });
    socket.on('error', () => {});
    socket.on('close', () => void this.#comeBack());
    for (const [id, { text }] of this.#unanswered) this.send({ type: 'message', id, text });
  }

  /** Resolves when the gateway has the message, with undefined when it refuses it. */
  say(id: string, text: string): Promise<Accepted | undefined> {
    return new Promise((settle) => {
      this.#unanswered.set(id, { text, settle });
      this.send({ type: 'message', id, text });
    });
  }

  send(frame: ClientFrame): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#socket?.close();
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'accepted' || (frame.type === 'error' && frame.id !== undefined)) {
      const said = this.#unanswered.get(frame.id ?? '');
      this.#unanswered.delete(frame.id ?? '');
      said?.settle(frame.type === 'accepted' ? frame : undefined);
    }
    if (frame.type === 'part') this.send({ type: 'ack', seq: frame.seq });
    for (const listener of this.#frames) listener(frame);
  }

  async #comeBack(): Promise<void> {
    for (let tries = 1; !this.#isClosed; tries++) {
      try {
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
        return await this.open();
      } catch (error) {
        if (tries >= RECONNECTS) return this.#lost(error as Error);
      }
    }
  }
}
