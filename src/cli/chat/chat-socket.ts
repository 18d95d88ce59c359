// A terminal's connection to the gateway: it introduces itself, passes frames on, and reconnects by itself when the
// connection breaks, asking for what it missed. Messages that were not acknowledged are sent again under the same id,
// which the gateway accepts once.
// Errors: `open` rejects when the gateway refuses the terminal or cannot be reached. Later, when a connection stays
// broken for too long, `onLost` is called once.

import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type WebSocket from 'ws';
import type { ClientFrame } from '../../channels/client-frame.ts';
import { LARGEST_FRAME } from '../../channels/parse-client-frame.ts';
import type { ServerFrame } from '../../channels/server-frame.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { GatewayGoneError, GatewayRefusedError, GatewayTokenChangedError } from '../errors.ts';
import type { GatewayAddress } from '../gateway/gateway-client.ts';

export interface ChatSocketSettings {
  /** Finds the current address of the gateway. */
  readonly find: () => Promise<GatewayAddress>;
  readonly hello: {
    readonly session?: string | undefined;
    readonly agent?: string | undefined;
    readonly surface?: string | undefined;
  };
  /** The last part that was shown. */
  readonly after: () => number;
  /** How long a broken connection is tried again. Default 20 seconds. */
  readonly patienceMs?: number | undefined;
}

type Accepted = Extract<ServerFrame, { type: 'accepted' }>;
type Ready = Extract<ServerFrame, { type: 'ready' }>;

const PATIENCE_MS = 20_000;
const RECONNECT_MS = 250;
const HANDSHAKE_MS = 4_000;

export class ChatSocket {
  readonly #settings: ChatSocketSettings;
  readonly #frames = new Set<(frame: ServerFrame) => void>();
  /** Messages that were sent and not acknowledged yet. */
  readonly #unanswered = new Map<string, { text: string; settle: (accepted: Accepted | undefined) => void }>();
  #socket: WebSocket | undefined;
  #ready: Ready | undefined;
  #broken: (isBroken: boolean) => void = () => {};
  #lost: (error: Error) => void = () => {};
  #isClosed = false;

  constructor(settings: ChatSocketSettings) {
    this.#settings = settings;
  }

  /** The name and session that the gateway gave this terminal; known once `open` has resolved. */
  get ready(): Ready {
    return this.#ready ?? { type: 'ready', surface: '', last: 0 };
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === OPEN;
  }

  /** True while a message was sent that the gateway has not acknowledged. */
  get hasUnanswered(): boolean {
    return this.#unanswered.size > 0;
  }

  onFrame(listener: (frame: ServerFrame) => void): void {
    this.#frames.add(listener);
  }

  /** Called with true when the connection breaks, and with false when it is back. */
  onBroken(listener: (isBroken: boolean) => void): void {
    this.#broken = listener;
  }

  /** The connection is gone for good. */
  onLost(listener: (error: Error) => void): void {
    this.#lost = listener;
  }

  async open(): Promise<void> {
    const { url, token } = await this.#settings.find();
    const { default: Socket } = await import('ws');
    const socket = new Socket(`${url.replace(/^http/, 'ws')}/ws?channel=cli`, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.#socket = socket;
    await this.#greet(socket);
    if (this.#isClosed) socket.close();
    for (const [id, { text }] of this.#unanswered) this.send({ type: 'message', id, text });
  }

  /** Resolves when the gateway has accepted the message, with undefined when it refuses it. */
  say(id: string, text: string): Promise<Accepted | undefined> {
    const frame = { type: 'message', id, text } as const;
    if (Buffer.byteLength(JSON.stringify(frame)) > LARGEST_FRAME) {
      const message = `This message was not sent: it is longer than the ${LARGEST_FRAME} bytes that one may have.`;
      this.#take({ type: 'error', id, message });
      return Promise.resolve(undefined);
    }
    return new Promise((settle) => {
      this.#unanswered.set(id, { text, settle });
      this.send(frame);
    });
  }

  send(frame: ClientFrame): void {
    if (this.isConnected) this.#socket?.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#socket?.close();
  }

  #greet(socket: WebSocket): Promise<void> {
    return new Promise((resolve, reject) => {
      let isGreeted = false;
      socket.on('error', (error: NodeJS.ErrnoException) =>
        reject(new GatewayGoneError({ detail: error.code ?? error.message })),
      );
      socket.on('unexpected-response', (_request, response: IncomingMessage) => {
        void refusalOf(response).then((refusal) => {
          reject(refusal);
          socket.terminate();
        });
      });
      socket.on('open', () => {
        const { hello, after } = this.#settings;
        const frame = { type: 'hello' as const, ...hello, surface: this.#ready?.surface ?? hello.surface };
        // Parts from before this terminal connected are not repeated; parts that it missed after a break are.
        socket.send(JSON.stringify(this.#ready ? { ...frame, after: after() } : frame));
      });
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as ServerFrame;
        if (frame.type === 'ready') {
          this.#ready = frame;
          isGreeted = true;
          resolve();
        } else if (!isGreeted) {
          // The only frame before the greeting is an error that says why there is none.
          if (frame.type === 'error')
            reject(new GatewayRefusedError({ httpStatus: 400, refusal: '', sentence: frame.message }));
          socket.close();
          return;
        }
        this.#take(frame);
      });
      socket.on('close', (code) => {
        reject(new GatewayGoneError({ detail: `it hung up, code ${code}` }));
        if (isGreeted) void this.#comeBack();
      });
    });
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'part') this.send({ type: 'ack', seq: frame.seq });
    for (const listener of this.#frames) listener(frame);
    if (frame.type === 'accepted' || (frame.type === 'error' && frame.id !== undefined)) {
      const said = this.#unanswered.get(frame.id ?? '');
      this.#unanswered.delete(frame.id ?? '');
      said?.settle(frame.type === 'accepted' ? frame : undefined);
    }
  }

  async #comeBack(): Promise<void> {
    if (this.#isClosed) return;
    this.#broken(true);
    const { patienceMs = PATIENCE_MS } = this.#settings;
    const brokenAt = performance.now();
    while (!this.#isClosed) {
      await sleep(RECONNECT_MS);
      try {
        await this.open();
        this.#broken(false);
        return;
      } catch (error) {
        const isRefused = error instanceof GatewayRefusedError && error.httpStatus !== 503;
        const isHopeless = isRefused || !isAtriumError(error) || performance.now() - brokenAt >= patienceMs;
        if (isRefused && error.httpStatus === 401) return this.#lost(new GatewayTokenChangedError());
        if (isHopeless) return this.#lost(error as Error);
      }
    }
  }
}

/** `WebSocket.OPEN`. */
const OPEN = 1;
const LONGEST_REFUSAL = 10_000;

async function refusalOf(response: IncomingMessage): Promise<GatewayRefusedError> {
  const status = response.statusCode ?? 0;
  let text = '';
  try {
    for await (const chunk of response) if (text.length < LONGEST_REFUSAL) text += chunk;
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new GatewayRefusedError({ httpStatus: status, refusal: error.code, sentence: error.message });
  } catch {
    return new GatewayRefusedError({
      httpStatus: status,
      refusal: '',
      sentence: `The gateway refused the connection with status ${status}.`,
    });
  }
}
