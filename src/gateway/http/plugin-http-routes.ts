// Lets plugins answer the paths that they registered. Stands before the product's token check, because a plugin may check
// for itself; a plugin that registered a path behind the gateway's token is asked only after it.

import type { Context, MiddlewareHandler } from 'hono';
import type { PluginHttp, PluginRoute } from '../plugins/plugin-http.ts';
import type { HttpEnv } from './route.ts';

export type PluginHttpPort = Pick<PluginHttp, 'find' | 'catchAll'>;

/** Paths that plugins have to themselves. `checkToken` throws. */
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

/** Paths that no route and no plugin has; the token was checked. */
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
  // A socket is no request that could be answered, and a test without a server has none either.
  if (isUpgrade) return c.text('Plugins answer no WebSockets here.\n', 426);
  if (!incoming || !outgoing || !('writeHead' in outgoing)) return undefined;
  const isTaken = await route.answer(incoming as Parameters<PluginRoute['answer']>[0], outgoing as never);
  return isTaken ? new Response(null, { headers: { [ALREADY_SENT]: 'true' } }) : undefined;
}

/** What tells the server that somebody else answers, or has. */
const ALREADY_SENT = 'x-hono-already-sent';
