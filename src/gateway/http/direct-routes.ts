// Answers the routes that are asked most without the framework: for a short answer, the objects that it makes for each
// request cost more than the route itself. Only a plain request is answered here: one without an origin, to a path that no
// plugin owns. Everything else goes through the app, which knows all rules; both share the checks, the handlers and
// the words, and a test asks both the same.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkReady, parserOf, whileMember } from './add-routes.ts';
import { checkHost } from './check-caller.ts';
import type { HttpAppOptions } from './create-http-app.ts';
import { isClosedPath } from './endpoint-paths.ts';
import { errorReply } from './error-reply.ts';
import { JsonReply } from './json-reply.ts';
import { readJson } from './read-json.ts';
import { BODY_LIMIT, type Route } from './route.ts';
import { FIRST_ROUTES } from './routes/first-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { sendReply } from './send-reply.ts';
import { bearerOf, type TokenGuard } from './token-guard.ts';

/** Returns false, and touches nothing, when the request is not for it. */
export type DirectListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export function createDirectRoutes(options: HttpAppOptions, guard: TokenGuard): DirectListener {
  const open = FIRST_ROUTES.filter(({ isDirect, path }) => isDirect && !isClosedPath(path, options.closedPaths));
  const routes = new Map(open.map((route) => [`${route.method.toUpperCase()} ${route.path}`, new Direct(route)]));
  const shown = securityHeaders(options);
  return (incoming, outgoing) => {
    const { host, origin } = incoming.headers;
    const direct = routes.get(`${incoming.method} ${incoming.url}`);
    if (!direct || host === undefined || origin !== undefined) return false;
    if (options.pluginHttp?.find(direct.route.path)) return false;
    void answer(direct, incoming, outgoing, { options, guard, shown });
    return true;
  };
}

class Direct {
  readonly route: Route;
  readonly parse: (value: unknown) => Promise<unknown>;

  constructor(route: Route) {
    this.route = route;
    this.parse = route.body ? parserOf(route.body) : async () => undefined;
  }
}

interface Around {
  readonly options: HttpAppOptions;
  readonly guard: TokenGuard;
  readonly shown: Readonly<Record<string, string>>;
}

async function answer(
  { route, parse }: Direct,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { options, guard, shown }: Around,
): Promise<void> {
  const client = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) client.abort();
  });
  // A connection that breaks is told by `close`.
  outgoing.on('error', () => {});
  const { headers } = incoming;
  try {
    checkHost(headers.host ?? '', options);
    if (route.access !== 'open')
      guard.check(bearerOf(headers.authorization), incoming.socket.remoteAddress ?? 'unknown');
    if (route.access === 'ready') checkReady(options);
    const source = { contentLength: headers['content-length'], chunks: incoming };
    const body = route.body && (await parse(await readJson(source, route.bodyLimit ?? BODY_LIMIT)));
    await whileMember(route, options, client.signal);
    const { services, agentIds, state, now } = options;
    const given = await route.handle({
      ...{ services, agentIds, state, now },
      params: {},
      query: undefined as never,
      body: body as never,
      header: (name) => headerOf(incoming, name),
      headers: () =>
        Object.fromEntries(Object.keys(incoming.headers).map((name) => [name, headerOf(incoming, name) ?? ''])),
      signal: client.signal,
    });
    if (isResponse(given)) await sendResponse(outgoing, given, shown);
    else sendReply(outgoing, given instanceof JsonReply ? given : new JsonReply(given as object, route), shown);
  } catch (error) {
    if (client.signal.aborted || outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    sendReply(
      outgoing,
      errorReply(error, { method: incoming.method ?? '', path: route.path, warn: options.warn }),
      shown,
    );
  }
}

/** Asked last, because naming the class makes Node load its `fetch`, which takes a tenth of the time that a start takes. */
function isResponse(given: unknown): given is Response {
  const isPlain = given instanceof JsonReply || Object.getPrototypeOf(given) === Object.prototype;
  return !isPlain && given instanceof Response;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A stream is passed on as it comes, as fast as the client reads it. */
async function sendResponse(outgoing: ServerResponse, response: Response, shown: Around['shown']): Promise<void> {
  outgoing.writeHead(response.status, { ...shown, ...Object.fromEntries(response.headers) });
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  const leave = () => void reader?.cancel().catch(() => {});
  outgoing.once('close', leave);
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    if (outgoing.destroyed) break;
    if (!outgoing.write(next.value)) await drained(outgoing);
  }
  outgoing.off('close', leave);
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}
