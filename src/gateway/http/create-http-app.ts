// The gateway's HTTP interface: the checks for every request, and then the routes. It knows no sockets: a test calls it
// without listening.

import type { Context, MiddlewareHandler, Next } from 'hono';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { UnknownPathError, WrongMethodError } from '../errors.ts';
import { isPagePath } from '../page/is-page-path.ts';
import { REMOTE_PICTURE_PATH } from '../page/remote-picture.ts';
import { addRoutes, methodsOf } from './add-routes.ts';
import { type CallerRules, checkHost, checkOrigin, isAllowedOrigin } from './check-caller.ts';
import { isClosedPath } from './endpoint-paths.ts';
import { errorReply } from './error-reply.ts';
import { answerOtherPaths, answerPluginPaths, type PluginHttpPort } from './plugin-http-routes.ts';
import type { ApiParts, HttpApp, HttpEnv } from './route.ts';
import { ROUTES } from './routes/all-routes.ts';
import { securityHeaders } from './security-headers.ts';
import { TokenGuard, tokenOf } from './token-guard.ts';
import { answerWebhookPaths, type WebhookPaths } from './webhook-paths.ts';

export interface HttpAppOptions extends ApiParts, CallerRules {
  readonly token: string;
  /** False when the operator wants no page. Default true. */
  readonly hasPage?: boolean | undefined;
  /** Hosts whose pictures the page loads without asking the person. Default none. */
  readonly pictureHosts?: readonly string[] | undefined;
  /** Paths of endpoints that are switched off; they answer as paths that do not exist. */
  readonly closedPaths?: readonly string[] | undefined;
  /** The header Strict-Transport-Security of every answer. Without it, the header is not sent. */
  readonly strictTransportSecurity?: string | undefined;
  /** The paths that plugins answer; without it plugins answer none. */
  readonly pluginHttp?: PluginHttpPort | undefined;
  /** The paths of webhooks; without it there are none. */
  readonly webhooks?: WebhookPaths | undefined;
  /** For unexpected errors, which the caller is not told. */
  readonly warn: (text: string) => void;
}

export function createHttpApp(options: HttpAppOptions, guard = new TokenGuard(options.token, options.now)): HttpApp {
  const app: HttpApp = new Hono<HttpEnv>();
  const shown = securityHeaders(options);

  app.onError((error, c) => answerError(c, error, options.warn));
  const tokenRoutes = TOKEN_ROUTES.filter(({ path }) => !isClosedPath(path, options.closedPaths));

  app.notFound((c) => {
    const path = c.req.path.slice(0, 200);
    const allowed = methodsOf([...OPEN_ROUTES, ...tokenRoutes], c.req.path);
    const { method } = c.req;
    const error =
      allowed.length > 0 ? new WrongMethodError({ method, path, allowed }) : new UnknownPathError({ method, path });
    return answerError(c, error, options.warn);
  });

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(shown)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
  });

  app.use(async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    const origin = c.req.header('origin');
    checkHost(host, options);
    // The page and the health of the gateway are not secret; a link from another site may lead to the page.
    if (!OPEN_PATHS.has(c.req.path) && !isPageRequest(c)) checkOrigin(origin, host, options);
    const mayRead = origin !== undefined && isAllowedOrigin(origin, options);
    if (c.req.method === 'OPTIONS' && mayRead) return allowOrigin(c.body(null, 204), origin);
    await next();
    if (mayRead) allowOrigin(c.res, origin);
  });

  addRoutes(app, OPEN_ROUTES, options);
  if (options.hasPage !== false) app.use(answerPage(options));

  const checkToken = (c: Context<HttpEnv>) =>
    guard.check(tokenOf(c.req.raw.headers, c.req.path === '/ws'), c.env?.incoming?.socket.remoteAddress ?? 'unknown');
  if (options.webhooks) app.use(answerWebhookPaths(options.webhooks, options));
  if (options.pluginHttp) app.use(answerPluginPaths(options.pluginHttp, checkToken));
  if (options.hasPage !== false) app.use(answerLostBrowser(options));
  app.use(async (c, next) => {
    checkToken(c);
    await next();
  });

  app.get('/ws', (c) => (c.env?.isUpgrade ? c.body(null, 204) : c.text('Connect with a WebSocket.\n', 426)));
  app.get('/openapi.json', async (c) => c.json((await import('./openapi.ts')).buildOpenApi()));
  addRoutes(app, tokenRoutes, options);
  if (options.pluginHttp) app.use(answerOtherPaths(options.pluginHttp));
  return app;
}

/** The document of the page at its paths, and the files that it names. Everything else is left to the routes. */
function answerPage(options: HttpAppOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const [, name] = (c.req.method === 'GET' && /^\/assets\/([^/]+)$/.exec(c.req.path)) || [];
    if (name !== undefined) {
      const file = await (await import('../page/page.ts')).readPageFile(name);
      if (!file) return next();
      const cache = file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
      const headers = { 'content-type': file.type, 'cache-control': cache, 'content-encoding': 'gzip' };
      return c.body(new Uint8Array(file.bytes), 200, headers);
    }
    if (c.req.path === REMOTE_PICTURE_PATH) return answerRemotePicture(c, next);
    if (!isPageRequest(c)) return next();
    return documentOf(c, 200, options);
  };
}

/** A person who followed an old or broken link sees the page, which says so. Programs are told the truth in JSON. */
function answerLostBrowser(options: HttpAppOptions): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { method, path } = c.req;
    const [, first = ''] = path.split('/');
    const isLost = method === 'GET' && wantsDocument(c) && !c.env?.isUpgrade && !PROGRAM_PATHS.has(first);
    if (!isLost || tokenOf(c.req.raw.headers, false) !== undefined) return next();
    return documentOf(c, 404, options);
  };
}

/** Another site cannot show it. Browsers that say where a request comes from are believed. */
async function answerRemotePicture(c: Context<HttpEnv>, next: Next): Promise<Response | undefined> {
  const site = c.req.header('sec-fetch-site') ?? 'same-origin';
  const { remotePicture } = await import('../page/remote-picture.ts');
  const picture = site === 'same-origin' ? remotePicture(c.req.query('address') ?? '') : undefined;
  if (picture) return c.html(picture.html, 200, picture.headers);
  await next();
  return undefined;
}

async function documentOf(c: Context<HttpEnv>, status: 200 | 404, options: HttpAppOptions): Promise<Response> {
  const page = await (await import('../page/page.ts')).readPage();
  if (!page) return c.text('The page is not built. Run "npm run build".\n', 503);
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const { pictureHosts = [] } = options;
  const policy = page.securityPolicy(host, pictureHosts);
  return c.html(page.document(pictureHosts), status, { 'content-security-policy': policy });
}

/** Below `/` the page is for browsers only, which say that they want a document. */
function isPageRequest(c: Context<HttpEnv>): boolean {
  const { method, path } = c.req;
  if (method !== 'GET' || !isPagePath(path)) return false;
  return path === '/' || wantsDocument(c);
}

function wantsDocument(c: Context<HttpEnv>): boolean {
  return (c.req.header('accept') ?? '').includes('text/html');
}

const OPEN_ROUTES = ROUTES.filter(({ access }) => access === 'open');
const TOKEN_ROUTES = ROUTES.filter(({ access }) => access === 'token' || access === 'ready');
const OPEN_PATHS: ReadonlySet<string> = new Set(['/', ...OPEN_ROUTES.map(({ path }) => path)]);

/** How the paths begin that are for programs. */
const PROGRAM_PATHS: ReadonlySet<string> = new Set([
  ...['ws', 'openapi.json', 'assets'],
  ...ROUTES.map(({ path }) => path.split('/')[1] ?? ''),
]);

function answerError(c: Context<HttpEnv>, error: unknown, warn: (text: string) => void): Response {
  if (error instanceof HTTPException) return error.getResponse();
  const { method, path } = c.req;
  return errorReply(error, { method, path, warn }).toResponse();
}

/** Adds the headers for pages of the origins that the operator allowed. */
function allowOrigin(response: Response, origin: string): Response {
  response.headers.set('access-control-allow-origin', origin);
  response.headers.set('access-control-allow-methods', 'GET, POST, DELETE');
  response.headers.set(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, x-openclaw-session-key',
  );
  response.headers.set('access-control-expose-headers', 'x-atrium-run-id, x-openclaw-session-key');
  response.headers.set('cross-origin-resource-policy', 'cross-origin');
  response.headers.append('vary', 'origin');
  return response;
}
