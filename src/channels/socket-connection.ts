// The socket of one client: it reads frames one after the other, and sends frames as long as the client keeps up. It
// knows the form of frames and the limits, but not what frames mean.
//
// Rules: a frame that is not understood is answered with an `error`, and too many of them end the connection with 1003.
// A client that does not read, or sends faster than it can be served, is disconnected with 1013; it reconnects and
// receives what it missed.

import { isAtriumError } from '../protocol/errors.ts';
import type { ClientFrame } from './client-frame.ts';
import { parseClientFrame } from './parse-client-frame.ts';
import type { ServerFrame } from './server-frame.ts';

/** The parts of a WebSocket that are used here. The sockets of `ws` fit. */
export interface WebSocketLike {
  readonly readyState: number;
  /** The number of bytes that are not sent yet. */
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: () => void): unknown;
}

export interface ConnectionSettings {
  readonly socket: WebSocketLike;
  readonly maxBufferedBytes: number;
  readonly handle: (frame: ClientFrame) => void | Promise<void>;
  readonly gone: () => void;
}

export class SocketConnection {
  readonly #settings: ConnectionSettings;
  /** Frames are handled in the order in which they came. */
  #handling: Promise<void> = Promise.resolve();
  #waiting = 0;
  #faults = 0;
  #open = true;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    const { socket, gone } = settings;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', () => {
      this.#open = false;
      gone();
    });
    // A `close` event follows. Without this listener the process would end.
    socket.on('error', () => {});
  }

  get isOpen(): boolean {
    return this.#open && this.#settings.socket.readyState === OPEN;
  }

  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  /** Sends text that was made once for many clients. */
  sendText(text: string): void {
    const { socket, maxBufferedBytes } = this.#settings;
    if (!this.isOpen) return;
    if (socket.bufferedAmount > maxBufferedBytes) {
      this.end(1013, 'too slow: come back and catch up');
      return;
    }
    try {
      socket.send(text);
    } catch {
      this.end(1011, 'the connection broke');
    }
  }

  /** Waits until the client has read most of what it was sent. False when it does not read, or has disconnected. */
  async caughtUp(patienceMs: number): Promise<boolean> {
    const { socket, maxBufferedBytes } = this.#settings;
    for (let waited = 0; this.isOpen && socket.bufferedAmount > maxBufferedBytes / 2; waited += POLL_MS) {
      if (waited >= patienceMs) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return this.isOpen;
  }

  /** Resolves when every frame that was received is handled. */
  get settled(): Promise<void> {
    return this.#handling;
  }

  end(code: number, reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    const { socket, gone } = this.#settings;
    gone();
    socket.close(code, reason);
    // A client that does not read does not answer the closing handshake either.
    setTimeout(() => socket.terminate(), CLOSING_MS).unref();
  }

  #receive(data: unknown, isBinary: boolean): void {
    if (!this.#open) return;
    const frame = parseClientFrame(data, isBinary);
    if ('problem' in frame) {
      this.send({ type: 'error', message: frame.problem, id: frame.id });
      if (++this.#faults >= MOST_FAULTS) this.end(1003, 'too many frames that make no sense');
      return;
    }
    this.#faults = Math.max(0, this.#faults - 1);
    if (++this.#waiting > MOST_WAITING) {
      this.end(1013, 'too fast: come back and send again what was not accepted');
      return;
    }
    this.#handling = this.#handling.then(() => this.#handle(frame)).finally(() => this.#waiting--);
  }

  async #handle(frame: ClientFrame): Promise<void> {
    if (!this.#open) return;
    try {
      await this.#settings.handle(frame);
    } catch (error) {
      const message = isAtriumError(error) ? error.message : 'Something went wrong on this side. Please try again.';
      this.send({ type: 'error', message, id: frame.type === 'message' ? frame.id : undefined });
    }
  }
}

/** `WebSocket.OPEN`. */
const OPEN = 1;
const MOST_FAULTS = 10;
const MOST_WAITING = 64;
const POLL_MS = 20;
const CLOSING_MS = 2_000;
