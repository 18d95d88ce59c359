// The paths that plugins answer. A route has its own path and never one of the product's; the longest that fits answers.
// Its handler is given Node's request and response. It has a time limit until it begins to answer, and none after that.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isCatchAll, isLeftAlone } from '../../plugins/catch-all-route.ts';
import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { Say } from '../../protocol/log.ts';
import { reasonOf, withinOwnTime } from './ask-plugin.ts';
import { type ClaimedNames, claimNames, type RefusedName } from './claim-names.ts';

export interface PluginHttpParts {
  readonly registry: PluginRegistry;
  readonly warn: Say;
  readonly timeoutMs?: number | undefined;
}

export interface PluginRoute {
  readonly pluginId: string;
  /** `gateway`: a caller needs the gateway's token. */
  readonly auth: 'gateway' | 'plugin';
  /** Resolves when the request is answered; false when the plugin did not take it. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

const TIMEOUT_MS = 30_000;
const PATH = /^\/[\w\-.~:@+/]{0,199}$/;
const OWN_PATHS = ['/api', '/v1', '/ws', '/healthz', '/readyz', '/openapi.json', '/assets'] as const;

export class PluginHttp {
  readonly #parts: PluginHttpParts;

  constructor(parts: PluginHttpParts) {
    this.#parts = parts;
  }

  /** Undefined for paths that no plugin has. */
  find(path: string): PluginRoute | undefined {
    const routes = [...this.#claimed().byName.values()];
    const exact = routes.find(({ registration }) => registration.match === 'exact' && registration.path === path);
    const prefixes = routes
      .filter(({ registration }) => registration.match === 'prefix' && isBelow(path, registration.path))
      .sort((a, b) => b.registration.path.length - a.registration.path.length);
    const found = exact ?? prefixes[0];
    return found && this.#route(found);
  }

  /** The handlers that are asked for paths without a route. They are of the older kind: they look at every request and answer some of them. */
  catchAll(): readonly PluginRoute[] {
    return this.#parts.registry
      .registered('route')
      .filter(({ registration }) => isCatchAll(registration))
      .map((each) => this.#route(each));
  }

  refused(): readonly RefusedName[] {
    return this.#claimed().refused;
  }

  #claimed(): ClaimedNames<'route'> {
    return claimNames(
      this.#parts.registry.registered('route').filter(({ registration }) => !isCatchAll(registration)),
      ({ path, match }) => (match === 'prefix' ? `${path}/*` : path),
      (name) => objectionTo(name.replace(/\/\*$/, '')),
    );
  }

  #route({ pluginId, registration }: Registered<'route'>): PluginRoute {
    return {
      pluginId,
      auth: registration.auth,
      answer: (request, response) => this.#answer({ pluginId, registration }, request, response),
    };
  }

  async #answer(
    { pluginId, registration }: Pick<Registered<'route'>, 'pluginId' | 'registration'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const { warn, timeoutMs = TIMEOUT_MS } = this.#parts;
    const path = registration.path === '' ? '/' : registration.path;
    const begun = () => response.headersSent || response.writableEnded || response.destroyed;
    let clear = () => {};
    const cleared = new Promise<void>((resolve) => {
      clear = resolve;
    });
    void withinOwnTime(timeoutMs, cleared, registration.isHeldUp).then((isInTime) => {
      // Only the beginning of an answer has a limit.
      if (isInTime || begun()) return;
      warn(`The plugin "${pluginId}" did not answer a request to ${path} within ${timeoutMs} ms.`, { pluginId });
      end(response, 504, 'The plugin did not answer in time.');
    });
    response.once('close', clear);
    try {
      const took: unknown = await registration.handler(request, response);
      if (isLeftAlone(registration, took) && !begun()) {
        clear();
        return false;
      }
      await over(response);
      return true;
    } catch (error) {
      clear();
      warn(`The plugin "${pluginId}" failed at a request to ${path}: ${reasonOf(error)}`, { pluginId });
      if (begun()) response.destroy();
      else end(response, 500, 'The plugin failed. The log of the gateway has the details.');
      return true;
    }
  }
}

function isBelow(path: string, prefix: string): boolean {
  const folder = prefix.replace(/\/+$/, '');
  return path === folder || path.startsWith(`${folder}/`);
}

function objectionTo(path: string): string | undefined {
  const segments = path.split('/').slice(1);
  if (!PATH.test(path) || segments.some((each, at) => each === '.' || each === '..' || (each === '' && at === 0))) {
    return path === '/' ? "it is one of Atrium's own" : 'a path begins with a slash and has plain characters';
  }
  const lower = path.toLowerCase();
  return OWN_PATHS.some((own) => isBelow(lower, own)) ? "it is one of Atrium's own" : undefined;
}

/** The server must not close the request while a plugin still reads or answers it. */
function over(response: ServerResponse): Promise<void> {
  if (response.destroyed || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.once('finish', resolve);
  });
}

function end(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: { code: 'plugin_error', message } }));
}
