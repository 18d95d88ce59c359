// Lets plugins answer the paths that they registered. This comes before the gateway's token check, because a plugin may
// check callers itself; a path that was registered behind the gateway's token is answered only after that check.

import type { Context, MiddlewareHandler } from 'hono';
import type { PluginHttp, PluginRoute } from '../plugins/plugin-http.ts';
import type { HttpEnv } from './route.ts';

export type PluginHttpPort = Pick<PluginHttp, 'find' | 'catchAll'>;

/** Paths that belong to a plugin alone. `checkToken` throws. */
export function answerPluginPaths(
  port: PluginHttpPort,
  checkToken: (c: Context<HttpEnv>) => void,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const route = port.find(c.req.path);
    if (!route) return next();
    if (route.auth === 'gateway') checkToken(c);
    return (await answer(c, route)) ?? next();
  };
}

/** Paths that no route and no plugin owns; the token was checked. */
export function answerOtherPaths(port: PluginHttpPort): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    for (const route of port.catchAll()) {
      const answered = await answer(c, route);
      if (answered) return answered;
    }
    return next();
  };
}

async function answer(c: Context<HttpEnv>, route: PluginRoute): Promise<Response | undefined> {
  const { incoming, outgoing, isUpgrade } = c.env ?? {};
  // A WebSocket upgrade cannot be answered like a request, and a test without a server has no request object either.
  if (isUpgrade) return c.text('Plugins answer no WebSockets here.\n', 426);
  if (!incoming || !outgoing || !('writeHead' in outgoing)) return undefined;
  const isTaken = await route.answer(incoming as Parameters<PluginRoute['answer']>[0], outgoing as never);
  return isTaken ? new Response(null, { headers: { [ALREADY_SENT]: 'true' } }) : undefined;
}

/** The header that tells the server that other code answers, or has answered, the request. */
const ALREADY_SENT = 'x-hono-already-sent';
