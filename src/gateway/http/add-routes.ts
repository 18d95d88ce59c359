// Adds the routes to the app: it reads and checks a request, calls the handler, and sends the result.

import type { Context } from 'hono';
import type { z } from 'zod';
import { GatewayNotReadyError } from '../../protocol/errors.ts';
import { RequestInvalidError } from '../errors.ts';
import { JsonReply } from './json-reply.ts';
import { type JsonSource, readJson } from './read-json.ts';
import { describeProblem } from './request-problem.ts';
import { type ApiParts, BODY_LIMIT, type HttpApp, type HttpEnv, type Route, type Zod } from './route.ts';

export function addRoutes(app: HttpApp, routes: readonly Route[], parts: ApiParts): void {
  for (const route of routes) {
    const answer = answererOf(route, parts);
    app.on(route.method.toUpperCase(), honoPath(route), (c) => answer(c, c.req.param()));
  }
}

export type Answerer = (
  c: Context<HttpEnv>,
  params: Readonly<Record<string, string>>,
  bodyLimit?: number,
) => Promise<Response>;

/** Checks a request by the schemas of the route, and lets the route answer it. */
export function answererOf(route: Route, parts: ApiParts): Answerer {
  const { services, agentIds, state, now } = parts;
  const query = route.query && parserOf(route.query);
  const body = route.body && parserOf(route.body);
  return async (c, params, bodyLimit = route.bodyLimit ?? BODY_LIMIT) => {
    if (route.access === 'ready' || route.access === 'webhook') checkReady(parts);
    const checkedBody = body && (await body(await readJson(sourceOf(c), bodyLimit)));
    await whileMember(route, parts, c.req.raw.signal);
    const answer = await route.handle({
      services,
      agentIds,
      state,
      now,
      params,
      query: (query && (await query(c.req.query()))) as never,
      body: checkedBody as never,
      header: (name) => c.req.header(name),
      headers: () => c.req.header(),
      signal: c.req.raw.signal,
    });
    if (answer instanceof JsonReply) return answer.toResponse();
    return answer instanceof Response ? answer : answerOf(c, answer, route.status);
  };
}

/** The methods of the routes that have this path. */
export function methodsOf(routes: readonly Route[], path: string): readonly string[] {
  const isThere = (route: Route) =>
    new RegExp(
      `^${route.path.replace(/\{(\w+)\}/g, (_, name: string) => `(?:${route.patterns?.[name] ?? '[^/]+'})`)}$`,
    ).test(path);
  return routes.filter(isThere).map(({ method }) => method.toUpperCase());
}

/** Turns `/api/runs/{run}` into `/api/runs/:run`, and `{name}` with a pattern into `:name{pattern}`. */
function honoPath({ path, patterns = {} }: Route): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `:${name}${patterns[name] ? `{${patterns[name]}}` : ''}`);
}

function answerOf(c: Context<HttpEnv>, answer: unknown, status = 200): Response {
  return c.json(answer as object, status as 200);
}

function sourceOf(c: Context<HttpEnv>): JsonSource {
  const { headers, body } = c.req.raw;
  return { contentLength: headers.get('content-length'), chunks: body ?? NO_CHUNKS };
}

const NO_CHUNKS: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
};

/** An accepted message must be answered, so no message is accepted while no run would take it up. */
export function checkReady({ state }: Pick<ApiParts, 'state'>): void {
  const current = state();
  if (current !== 'ready') throw new GatewayNotReadyError({ state: current });
}

/** A node that is no member of the cluster at the moment can change nothing, so a request that changes something waits until it is one again. */
export async function whileMember(
  { method }: Pick<Route, 'method'>,
  { services }: Pick<ApiParts, 'services'>,
  signal: AbortSignal,
): Promise<void> {
  if (method !== 'get') await services.nodes.whileMember(signal);
}

/** The schema is built when the first value is checked. */
export function parserOf(schemaOf: (z: Zod) => z.ZodType): (value: unknown) => Promise<unknown> {
  let schema: z.ZodType | undefined;
  return async (value) => {
    const { z } = await import('zod');
    schema ??= schemaOf(z);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const issues = result.error.issues.slice(0, MAX_ISSUES);
    const problem = issues.map((issue) => describeProblem(issue, described, value)).join(' ');
    throw new RequestInvalidError({
      problem: problem.slice(0, MAX_LENGTH),
      param: issues[0]?.path.join('.') || undefined,
    });
  };
}

const MAX_ISSUES = 3;
const MAX_LENGTH = 500;
