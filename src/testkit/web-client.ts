// A page's side of the WebSocket: one surface, which it keeps when the connection breaks. It reconnects by itself, asks
// for the parts that it missed, and repeats under the same id the messages that were not acknowledged. It keeps every
// part that it receives, also repeated ones, so that a test sees what a person would.

import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import type { ServerFrame } from '../channels/server-frame.ts';
import type { GatewayProcess } from './gateway-process.ts';

export type ShownPart = Extract<ServerFrame, { type: 'part' }>;
type Accepted = Extract<ServerFrame, { type: 'accepted' }>;

const PAUSE_MS = 25;

export class WebClient {
  readonly surface: string;
  /** The parts in the order of arrival. */
  readonly parts: ShownPart[] = [];
  /** Every frame that is not a part. */
  readonly frames: ServerFrame[] = [];
  readonly accepted = new Map<string, Accepted>();
  /** The gateway's refusal, by the id of the message. */
  readonly refused = new Map<string, string>();
  readonly #gateway: GatewayProcess;
  /** The messages that are not acknowledged yet, in order. */
  readonly #unanswered = new Map<string, string>();
  readonly #watchers = new Set<() => void>();
  readonly #life: Promise<void>;
  #socket: WebSocket | undefined;
  #isClosed = false;

  constructor(gateway: GatewayProcess, surface: string) {
    this.#gateway = gateway;
    this.surface = surface;
    this.#life = this.#live();
  }

  /** Sends the message now, or as soon as there is a connection. */
  say(id: string, text: string): void {
    this.#unanswered.set(id, text);
    if (this.isReady) this.#send({ type: 'message', id, text });
  }

  isReady = false;

  get texts(): readonly string[] {
    return this.parts.map(({ text }) => text);
  }

  /** The numbers of parts that came more than once. */
  get repeated(): readonly number[] {
    return this.parts.map(({ seq }) => seq).filter((seq, index, all) => all.indexOf(seq) !== index);
  }

  /** Resolves when the condition holds. */
  async until(holds: (client: this) => boolean, what: string, patienceMs = 30_000): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!holds(this)) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`${this.surface} waited in vain ${what}. It was shown: ${JSON.stringify(this.texts)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#watchers.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#socket?.terminate();
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isClosed) {
      const { url } = this.#gateway;
      if (url !== undefined) await this.#connect(url);
      await sleep(PAUSE_MS);
    }
  }

  /** Resolves when the connection is over. */
  #connect(url: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, {
        headers: { authorization: `Bearer ${this.#gateway.token}` },
      });
      this.#socket = socket;
      socket.on('error', () => {});
      socket.on('close', () => {
        this.isReady = false;
        this.#tell();
        resolve();
      });
      socket.on('open', () => {
        const after = this.parts.reduce((last, { seq }) => Math.max(last, seq), 0);
        this.#send({ type: 'hello', surface: this.surface, after });
      });
      socket.on('message', (data) => this.#take(JSON.parse(String(data)) as ServerFrame));
    });
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'part') this.parts.push(frame);
    else this.frames.push(frame);
    if (frame.type === 'ready') {
      this.isReady = true;
      for (const [id, text] of this.#unanswered) this.#send({ type: 'message', id, text });
    }
    if (frame.type === 'accepted') {
      this.accepted.set(frame.id, frame);
      this.#unanswered.delete(frame.id);
    }
    if (frame.type === 'error' && frame.id !== undefined) {
      // A refused message is not lost: it is sent again over the next connection, as a person would do.
      this.refused.set(frame.id, frame.message);
    }
    this.#tell();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }
}
