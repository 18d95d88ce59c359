// The gateway's side of a plugin's HTTP route in the worker: sends a request over a connection into the worker, and
// what comes back to the client, piece by piece as it comes. A client that leaves ends the connection; so does a worker
// that dies, and then the client's response is cut, which the caller does.
//
// Errors: rejects with what the plugin's handler threw, or with the reason why it could not answer.

import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { CrossingSocket } from './crossing-socket.ts';
import type { CrossingRoute, RouteLink } from './serve-route.ts';

/** False when the plugin left the request alone. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  ask: CrossingRoute,
): Promise<boolean> {
  let exchange: Exchange | undefined;
  const leave = () => exchange?.stop();
  const link: RouteLink = {
    addresses: addressesOf(request),
    connect: (workersEnd) => {
      const socket = new CrossingSocket();
      socket.connect(workersEnd);
      exchange = new Exchange(request, response, socket);
      if (response.destroyed) leave();
      return socket.near;
    },
  };
  response.once('close', leave);
  try {
    const took = await ask(link);
    if (!took) return false;
    // The plugin is done; the last of its response may still be on its way to the client.
    await exchange?.over;
    if (!response.headersSent) response.destroy();
    return true;
  } finally {
    response.off('close', leave);
    leave();
  }
}

/** One request on its way into the worker, and its response on the way back. */
class Exchange {
  readonly over: Promise<void>;
  readonly #socket: CrossingSocket;
  readonly #stopSending: () => void;

  constructor(request: IncomingMessage, response: ServerResponse, socket: CrossingSocket) {
    this.#socket = socket;
    const { method, url, rawHeaders } = request;
    const onward = httpRequest({
      method,
      path: url,
      headers: [...rawHeaders],
      createConnection: () => socket as never,
    });
    this.over = new Promise((resolve) => onward.once('close', resolve));
    // When the connection breaks, the call to the plugin ends as well and says why.
    onward.on('error', () => {});
    onward.on('response', (answer) => {
      if (response.headersSent || response.destroyed) {
        socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, ofResponse(answer.rawHeaders));
      response.flushHeaders();
      answer.pipe(response);
      answer.on('end', () => socket.destroy());
      answer.on('error', () => response.destroy());
    });
    // The plugin may answer before the client has sent anything else.
    onward.flushHeaders();
    this.#stopSending = sendBody(request, onward);
  }

  stop(): void {
    this.#stopSending();
    this.#socket.destroy();
  }
}

/** How much of a request is kept for the next handler, when one leaves it alone that has not read it. */
const KEPT_BYTES = 256 * 1024;

/** What has been read of a request and sent to a handler. */
const sent = new WeakMap<IncomingMessage, Buffer[]>();

/** A handler of the older kind may leave a request whose body is on its way to it; the next one gets all of it as well. */
function sendBody(request: IncomingMessage, onward: NodeJS.WritableStream): () => void {
  const kept = sent.get(request) ?? [];
  sent.set(request, kept);
  for (const chunk of kept) onward.write(chunk);
  let bytes = kept.reduce((sum, { length }) => sum + length, 0);
  const keep = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= KEPT_BYTES) kept.push(chunk);
  };
  if (request.readableEnded) onward.end();
  else request.on('data', keep).pipe(onward);
  return () => void request.off('data', keep).unpipe(onward).pause();
}

function addressesOf({ socket }: IncomingMessage): RouteLink['addresses'] {
  const { remoteAddress, remotePort, remoteFamily, localAddress, localPort } = socket;
  return { remoteAddress, remotePort, remoteFamily, localAddress, localPort };
}

/** These concern one connection, and the client's is another. */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'proxy-connection', 'upgrade']);

function ofResponse(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => !OF_CONNECTION.has((rawHeaders[index - (index % 2)] ?? '').toLowerCase()));
}
