// A gateway that listens: the parts of `main.ts` behind HTTP and WebSocket, from the token to the graceful stop.

import { configuredTokenOf } from '../config/configured-token.ts';
import { configuredPort } from '../config/gateway-port.ts';
import { LEAST_OPEN_FILES, readOpenFileLimit } from '../config/open-file-limit.ts';
import type { Config } from '../config/schema.ts';
import { TooFewFilesError } from './errors.ts';
import type { StopReason } from './gateway-part.ts';
import { answerWithError } from './http/answer-with-error.ts';
import { DEFAULT_PORT, isLoopbackHost, resolveBindAddress } from './http/bind-address.ts';
import type { HttpAppOptions } from './http/create-http-app.ts';
import { createDirectRoutes } from './http/direct-routes.ts';
import { CHAT_PATH, METRICS_PATH, RESPONSES_PATH } from './http/endpoint-paths.ts';
import { type Listening, listen } from './http/listen.ts';
import { loadOnce } from './http/load-once.ts';
import { securityHeaders } from './http/security-headers.ts';
import { ensureToken } from './http/token.ts';
import { refuseGatewayToken, TokenGuard } from './http/token-guard.ts';
import { type GatewayOptions, type OpenedGateway, openGateway } from './main.ts';
import { refuseUnprotected } from './settings/load-startable-config.ts';

export interface StartOptions extends GatewayOptions {
  /** Wins over the configuration; with 0 the system picks a free port. */
  readonly port?: number | undefined;
  /** Wins over the configuration: `loopback`, `lan` or an address. */
  readonly bind?: string | undefined;
}

export interface StartedGateway extends Pick<OpenedGateway, 'services' | 'hooks'> {
  readonly url: string;
  readonly token: string;
  readonly tokenSource: string;
  /** Other machines can connect to it. */
  readonly isReachable: boolean;
  /** Accepts no more messages, finishes running work within the budget, and leaves the rest for the next start. */
  stop(budgetMs?: number, reason?: StopReason): Promise<void>;
}

const DRAIN_SECONDS = 20;
const WARM_UP_AFTER_MS = 100;
/** Connections leave these for the gateway itself: what it loads later, its store, its plugins and its commands. */
const RESERVED_FILES = 160;

export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  const { environment, loaded, warn, now = Date.now } = options;
  const { config } = loaded;
  const settings = config.gateway ?? {};
  let state: 'starting' | 'ready' | 'draining' = 'starting';

  // What is loaded only with the first message opens a hundred files at once, and Node never tries again to load an ES module that
  // it could not load. So the limit is checked before anything depends on it.
  const openFiles = await readOpenFileLimit();
  if (openFiles !== undefined && openFiles < LEAST_OPEN_FILES)
    throw new TooFewFilesError({ limit: openFiles, least: LEAST_OPEN_FILES });

  refuseUnprotected(loaded);
  const configured = configuredTokenOf(config, environment.variables);
  const { token, source, warnings } = await ensureToken(environment.stateDir, configured);
  for (const warning of warnings) warn(warning);
  const host = resolveBindAddress(
    options.bind ?? (settings.bind === 'custom' ? settings.customBindHost : settings.bind),
    token,
  );
  const opened = await openGateway({ ...options, token });
  const { services, sockets } = opened;
  const http: HttpAppOptions = {
    services,
    token,
    allowedHosts: [],
    // The list may change while the gateway runs.
    get allowedOrigins() {
      const { allowedOrigins = [], controlUi } = opened.config.gateway ?? {};
      return [...allowedOrigins, ...(controlUi?.allowedOrigins ?? [])];
    },
    get pictureHosts() {
      return opened.config.gateway?.pictureHosts ?? [];
    },
    hasPage: settings.controlUi?.enabled !== false,
    closedPaths: [
      ...(settings.http?.endpoints?.chatCompletions?.enabled === false ? [CHAT_PATH] : []),
      ...(settings.http?.endpoints?.responses?.enabled === false ? [RESPONSES_PATH] : []),
      ...(config.diagnostics?.prometheus?.enabled === true ? [] : [METRICS_PATH]),
    ],
    strictTransportSecurity: strictTransportSecurityOf(settings),
    agentIds: opened.agentIds,
    state: () => state,
    pluginHttp: opened.plugins.http,
    webhooks: opened.services.webhooks,
    now,
    warn,
  };
  const guard = new TokenGuard(token, now, { refusal: refuseGatewayToken(source === 'config') });
  // A gateway is ready without its routes, except for those that are answered directly.
  const shown = securityHeaders(http);
  const loadApp = loadOnce(async () => (await import('./http/create-http-app.ts')).createHttpApp(http, guard));
  let listening: Listening;
  try {
    listening = await listen({
      app: loadApp,
      direct: createDirectRoutes(http, guard),
      failed: (incoming, outgoing, error) => answerWithError(incoming, outgoing, error, { shown, warn }),
      host,
      port: options.port ?? configuredPort(config, environment.variables) ?? DEFAULT_PORT,
      maxConnections: openFiles === undefined ? undefined : openFiles - RESERVED_FILES,
      attach: (socket, client) => sockets[client.channel].attach(socket, client),
    });
  } catch (error) {
    await opened.close(0);
    throw error;
  }
  await opened.listensAt(listening.url);
  state = 'ready';
  // Warming up keeps the process busy for a moment, so callers that wait for the gateway to be ready are answered first.
  const warming = setTimeout(
    () =>
      void Promise.all([opened.warm(), loadApp()]).catch((error) =>
        warn(`Warming up failed: ${(error as Error).message}`),
      ),
    WARM_UP_AFTER_MS,
  );

  let stopping: Promise<void> | undefined;
  const stop = async (budgetMs: number, reason: StopReason) => {
    state = 'draining';
    clearTimeout(warming);
    // Clients that wait for an answer keep their connections while runs finish; nothing new is accepted meanwhile.
    const closed = opened.close(budgetMs, reason);
    await closed;
    await listening.close(1_000);
  };
  return {
    services,
    hooks: opened.hooks,
    url: listening.url,
    token,
    tokenSource: source,
    isReachable: !isLoopbackHost(host),
    stop: (budgetMs = (opened.config.gateway?.drainSeconds ?? DRAIN_SECONDS) * 1_000, reason = 'shutdown') => {
      stopping ??= stop(budgetMs, reason);
      return stopping;
    },
  };
}

function strictTransportSecurityOf({ http }: NonNullable<Config['gateway']>): string | undefined {
  const header = http?.securityHeaders?.strictTransportSecurity;
  return header === false || header === undefined || header.trim() === '' ? undefined : header.trim();
}
