// Adds the routes to the app: it reads and checks a request, calls the handler, and sends the result. A body that is
// too long is refused before it is held in memory.

import type { Context } from 'hono';
import type { z } from 'zod';
import { GatewayNotReadyError } from '../../protocol/errors.ts';
import { BodyTooLargeError, RequestInvalidError } from '../errors.ts';
import { describeProblem } from './request-problem.ts';
import type { ApiParts, HttpApp, HttpEnv, Route, Zod } from './route.ts';

export function addRoutes(app: HttpApp, routes: readonly Route[], parts: ApiParts): void {
  const { services, agentIds, state, now } = parts;
  for (const route of routes) {
    const query = route.query && parserOf(route.query);
    const body = route.body && parserOf(route.body);
    app.on(route.method.toUpperCase(), honoPath(route), async (c) => {
      if (route.access === 'ready') checkReady(parts);
      const checkedBody = body && (await body(await readJson(c.req.raw, route.bodyLimit ?? BODY_LIMIT)));
      const answer = await route.handle({
        services,
        agentIds,
        state,
        now,
        params: c.req.param(),
        query: (query && (await query(c.req.query()))) as never,
        body: checkedBody as never,
        header: (name) => c.req.header(name),
        signal: c.req.raw.signal,
      });
      return answer instanceof Response ? answer : answerOf(c, answer, route.status);
    });
  }
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

/** An accepted message must be answered, so no message is accepted while no run would take it up. */
function checkReady({ state }: ApiParts): void {
  const current = state();
  if (current !== 'ready') throw new GatewayNotReadyError({ state: current });
}

/** Most bodies are short, but a chat client sends its whole history. */
const BODY_LIMIT = 1_048_576;

/** The schema is built when the first value is checked. */
function parserOf(schemaOf: (z: Zod) => z.ZodType): (value: unknown) => Promise<unknown> {
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

/** Gives `{}` for an empty body. */
async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const text = await readText(request, limitBytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestInvalidError({ problem: `The body is not JSON: ${brief(error)}.` });
  }
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw new BodyTooLargeError({ limitBytes });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limitBytes) throw new BodyTooLargeError({ limitBytes });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RequestInvalidError({ problem: 'The body is not UTF-8 text.' });
  }
}

/** The parser's message quotes the body, which may be long and contain anything, so it is shortened. */
function brief(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, 120);
}
