// An endpoint as one value: its name, its input, its output, its access rule and its handler. The router, the OpenAPI
// document and the table in docs/api.md are made from the list of these values in `routes/all-routes.ts`.
// Schemas are functions of zod, because zod is slow to load: it is loaded with the first request that has something to
// check, and not when the gateway starts.

import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { z } from 'zod';
import type { Services } from '../services/services.ts';

export type Zod = typeof z;

/** What every handler may use; it is handed in once. */
export interface ApiParts {
  readonly services: Services;
  /** Every agent by id, the default one first. */
  readonly agentIds: () => readonly string[];
  /** Messages are accepted only in the state `ready`. */
  readonly state: () => 'starting' | 'ready' | 'draining';
  readonly now: () => number;
}

/** A request as a handler gets it: parsed and checked. */
export interface ApiRequest<Params, Query, Body> extends ApiParts {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly header: (name: string) => string | undefined;
  /** All of them, by their names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** It aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

interface RouteText {
  readonly method: 'get' | 'post' | 'delete';
  /** One sentence. */
  readonly summary: string;
  /** More information for callers, as Markdown in one line. */
  readonly detail?: string | undefined;
  readonly answer: (z: Zod) => z.ZodType;
  /** The default is 200. */
  readonly status?: number | undefined;
  /**
   * `open` needs no token; `ready` needs the token, and answers only while messages are accepted. `webhook` is like `ready`
   * with the token, the body limit and the path of webhooks.
   */
  readonly access: 'open' | 'token' | 'ready' | 'webhook';
  /** A regular expression for each parameter of the path that may not be any text without a slash. */
  readonly patterns?: Readonly<Record<string, string>> | undefined;
  /** The default is 1 MB. */
  readonly bodyLimit?: number | undefined;
  /**
   * Set for a route whose plain requests are answered without the framework: it is asked often, or by those who wait for a
   * start, which then need not load what the framework needs.
   */
  readonly isDirect?: true | undefined;
}

/** Most bodies are short, but a chat client sends its whole history. */
export const BODY_LIMIT = 1_048_576;

export interface Route extends RouteText {
  /** Variable parts are written as `{name}`. */
  readonly path: string;
  readonly query?: ((z: Zod) => z.ZodObject) | undefined;
  readonly body?: ((z: Zod) => z.ZodType) | undefined;
  /**
   * Returns a value that is sent as JSON, alone or with a status and headers (`JsonReply`), or a whole response. The definition of an error says which answer it becomes.
   */
  readonly handle: (request: ApiRequest<Readonly<Record<string, string>>, never, never>) => unknown;
}

/** Checks that the handler and the schemas fit together. */
export function route<Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
  value: RouteText & {
    readonly path: Path;
    readonly query?: (z: Zod) => Query;
    readonly body?: (z: Zod) => Body;
    readonly handle: (
      request: ApiRequest<Readonly<Record<ParamsOf<Path>, string>>, z.infer<Query>, z.infer<Body>>,
    ) => object | Promise<object>;
  },
): Route {
  return value as unknown as Route;
}

type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;

/** Bindings are absent when a test calls the app without a server. */
export interface HttpEnv {
  readonly Bindings: Partial<HttpBindings> & { readonly isUpgrade?: boolean };
}

export type HttpApp = Hono<HttpEnv>;
