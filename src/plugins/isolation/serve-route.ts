// The worker's side of a plugin's HTTP route: a connection that the gateway opens is given to Node's HTTP server, so that
// the plugin's handler gets a real request and a real response. The call lasts until the response is over, so that the
// gateway knows which plugin is at work, and an open response ends when the plugin or its worker does.

import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isLeftAlone } from '../catch-all-route.ts';
import type { RouteRegistration } from '../registration.ts';
import { CrossingSocket, type FarEnd, type SocketAddresses } from './crossing-socket.ts';

/** What the gateway hands over for one request. */
export interface RouteLink {
  readonly addresses: SocketAddresses;
  /** Gives the gateway's end. The gateway begins to send the request then. */
  readonly connect: (workersEnd: FarEnd) => FarEnd | Promise<FarEnd>;
}

/** The handler as it crosses. It answers false when the plugin left the request alone, and else when the response is over. */
export type CrossingRoute = (link: RouteLink) => Promise<boolean>;

export function serveRoute(route: RouteRegistration): CrossingRoute {
  return async ({ addresses, connect }) => {
    const server = await httpServer();
    const socket = new CrossingSocket(addresses);
    const took = new Promise<boolean>((resolve, reject) => {
      socket.once('close', () => resolve(true));
      const answer = async (request: IncomingMessage, response: ServerResponse) => {
        const said = await route.handler(request, response);
        if (isLeftAlone(route, said) && !response.headersSent) resolve(false);
      };
      // What the handler does counts for this call, and not for the one that brought the bytes.
      answers.set(
        socket,
        AsyncResource.bind((request: IncomingMessage, response: ServerResponse) => {
          answer(request, response).catch(reject);
        }),
      );
    });
    took.catch(() => {});
    server.emit('connection', socket);
    try {
      socket.connect(await connect(socket.near));
      return await took;
    } finally {
      socket.destroy();
    }
  };
}

/** What becomes of the request that comes over a connection. */
const answers = new WeakMap<object, (request: IncomingMessage, response: ServerResponse) => void>();

let opened: Promise<Server> | undefined;

/** It listens nowhere. Most plugins have no routes, so that it is made with the first request. */
function httpServer(): Promise<Server> {
  opened ??= import('node:http').then(({ createServer }) =>
    createServer((request, response) => answers.get(request.socket)?.(request, response)),
  );
  return opened;
}
