// The socket of one conversation, or of the watch over the gateway, which reconnects by itself when it breaks. A connection that was closed on purpose
// stays closed and delivers nothing more.

import type { ClientFrame } from '../../src/channels/client-frame.ts';
import type { ServerFrame } from '../../src/channels/server-frame.ts';

export interface ConnectionPorts {
  openSocket(): WebSocket;
  /** The first frame that the client sends each time that the socket opens. */
  hello(): Extract<ClientFrame, { type: 'hello' | 'watch' }>;
  receive(frame: ServerFrame): void;
  showLink(link: Link): void;
  /**
   * Called when a socket could not be opened. A browser does not say why; when this resolves with false, it is not tried
   * again, because a gateway that is asked with a wrong token again and again answers no client for a while.
   */
  mayTryAgain(): Promise<boolean>;
}

/** The state of the connection, in words for people. */
export interface Link {
  readonly state: 'off' | 'wait' | 'on';
  readonly text: string;
}

export class Connection {
  readonly #ports: ConnectionPorts;
  #socket: WebSocket;
  #wasOpen = false;
  #isClosed = false;
  #pauseMs = SHORTEST_PAUSE_MS;

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.#socket = this.#connect();
  }

  /** Does nothing while the socket is not open. */
  send(frame: ClientFrame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  #connect(): WebSocket {
    this.#ports.showLink({ state: 'wait', text: this.#wasOpen ? 'Reconnecting' : 'Connecting' });
    const socket = this.#ports.openSocket();
    let heardAt = Date.now();
    const pulse = setInterval(() => {
      if (Date.now() - heardAt > SILENCE_MS) socket.close();
      else this.send({ type: 'ping' });
    }, PING_MS);
    let isOpened = false;
    socket.onopen = () => {
      isOpened = true;
      this.#wasOpen = true;
      socket.send(JSON.stringify(this.#ports.hello()));
    };
    socket.onmessage = ({ data }) => {
      heardAt = Date.now();
      if (this.#isClosed) return;
      const frame = JSON.parse(data) as ServerFrame;
      if (frame.type === 'ready' || frame.type === 'watching') {
        this.#pauseMs = SHORTEST_PAUSE_MS;
        this.#ports.showLink({ state: 'on', text: 'Connected' });
      }
      this.#ports.receive(frame);
    };
    socket.onclose = () => {
      clearInterval(pulse);
      if (this.#isClosed) return;
      this.#ports.showLink({ state: 'wait', text: 'Reconnecting' });
      setTimeout(() => void this.#reconnect(isOpened), this.#pauseMs * (0.7 + Math.random() * 0.6));
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    };
    return socket;
  }

  async #reconnect(wasOpened: boolean): Promise<void> {
    const mayTry = wasOpened || (await this.#ports.mayTryAgain());
    if (this.#isClosed) return;
    if (mayTry) this.#socket = this.#connect();
    else this.#ports.showLink({ state: 'off', text: 'Not connected' });
  }
}

const PING_MS = 20_000;
const SILENCE_MS = 45_000;
const SHORTEST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 8_000;
