// Serves the app on a port, with its WebSocket. An upgrade goes through the app like every other request, so that the
// same rules decide; only then is the socket created and handed on. This file does not know the frames.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { ListenFailedError, PortInUseError } from '../errors.ts';
import { formatUrl } from './bind-address.ts';
import type { DirectListener } from './direct-routes.ts';
import { loadOnce } from './load-once.ts';
import type { HttpApp } from './route.ts';
import { SOCKET_PROTOCOL } from './token-guard.ts';

export interface ListenOptions {
  /** Asked for by the first request that needs it, and again after it failed. */
  readonly app: () => HttpApp | Promise<HttpApp>;
  /** Asked first; what it does not answer goes to the app. */
  readonly direct?: DirectListener | undefined;
  /** Answers a request when the app cannot be loaded. */
  readonly failed?: ((incoming: IncomingMessage, outgoing: ServerResponse, error: unknown) => void) | undefined;
  readonly host: string;
  /** With 0 the system picks a free port. */
  readonly port: number;
  /** Further connections are closed at once. The default is no limit. */
  readonly maxConnections?: number | undefined;
  /** Receives a socket whose client has shown the token. */
  readonly attach: (socket: WebSocket, client: SocketClient) => void;
}

export interface SocketClient {
  readonly clientId: string;
  /** `/ws?channel=cli` is a terminal; every other client is a browser. */
  readonly channel: 'web' | 'cli';
}

export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Accepts no new connection; requests that are being answered have this long to finish. */
  close(graceMs: number): Promise<void>;
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const { app, direct, failed = answerPlainly, host, port, maxConnections, attach } = options;
  const loadApp = loadOnce(app);
  const loadServing = loadOnce(async () => serverOf(await loadApp()));
  const server = createServer((incoming, outgoing) => {
    if (direct?.(incoming, outgoing)) return;
    loadServing().then(
      (serve) => serve(incoming, outgoing),
      (error: unknown) => failed(incoming, outgoing, error),
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  const upgrades = new Upgrades(loadApp, attach);
  server.on('upgrade', (request, socket, head) => void upgrades.accept(request, socket, head));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  await startListening(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    url: formatUrl(host, address.port),
    host,
    port: address.port,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      upgrades.close(graceMs);
      server.closeIdleConnections();
      // A client that is still being answered keeps its connection, but only for a limited time.
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
    },
  };
}

function answerPlainly(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(500).end();
}

/** Loaded with the first request that needs it, because it makes Node load its `fetch`; a gateway is ready without it. */
async function serverOf(app: HttpApp) {
  const { getRequestListener } = await import('@hono/node-server');
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

const SWEEP_MS = 50;
/**
 * A connection without requests is kept for this long. Proxies keep theirs for sixty seconds; a server that gives up sooner
 * now and then closes one at the moment in which it is used again, and that request fails.
 */
const KEEP_ALIVE_MS = 75_000;
/** Far above what a frame may have, so that a client with a long message is told so instead of being disconnected. */
const MAX_FRAME_BYTES = 16 * 1_048_576;

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new PortInUseError({ host, port }, { cause: error })
          : new ListenFailedError({ host, port, reason: error.code ?? error.message }, { cause: error }),
      );
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

class Upgrades {
  readonly #app: () => Promise<HttpApp>;
  readonly #attach: ListenOptions['attach'];
  #sockets: Promise<WebSocketServer> | undefined;
  #isClosed = false;

  constructor(app: () => Promise<HttpApp>, attach: ListenOptions['attach']) {
    this.#app = app;
    this.#attach = attach;
  }

  async accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // No other code listens for errors of a connection that breaks before it is a WebSocket.
    const ignore = () => {};
    socket.on('error', ignore);
    try {
      const { response, channel } = await this.#ask(request);
      if (response.status !== 204 || this.#isClosed) return await refuse(socket, response);
      const sockets = await this.#server();
      socket.off('error', ignore);
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', ignore);
        this.#attach(webSocket, { clientId: randomUUID(), channel });
      });
    } catch {
      socket.destroy();
    }
  }

  close(graceMs: number): void {
    this.#isClosed = true;
    void this.#sockets?.then((sockets) => {
      for (const client of sockets.clients) client.close(1001, 'The gateway is stopping.');
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate();
      }, graceMs).unref();
    });
  }

  async #ask(incoming: IncomingMessage): Promise<{ response: Response; channel: SocketClient['channel'] }> {
    const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`);
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const app = await this.#app();
    const response = await app.fetch(new Request(url, { headers }), { incoming, isUpgrade: true });
    return { response, channel: url.searchParams.get('channel') === 'cli' ? 'cli' : 'web' };
  }

  /** Loaded when the first client opens a WebSocket. */
  #server(): Promise<WebSocketServer> {
    this.#sockets ??= import('ws').then(
      ({ WebSocketServer: Server }) =>
        new Server({
          noServer: true,
          maxPayload: MAX_FRAME_BYTES,
          perMessageDeflate: false,
          handleProtocols: (protocols) => (protocols.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false),
        }),
    );
    return this.#sockets;
  }
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  const status = response.status === 204 ? 503 : response.status;
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status} Refused\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n`,
      ),
      body,
    ]),
  );
}
