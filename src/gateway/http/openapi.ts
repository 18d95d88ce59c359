// The OpenAPI document, made from the list of routes and the schemas that requests are checked with.

import { z } from 'zod';
import { VERSION } from '../../protocol/version.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes/all-routes.ts';

export function buildOpenApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) paths[route.path] = { ...paths[route.path], [route.method]: describeRoute(route) };
  return {
    openapi: '3.1.0',
    info: { title: 'Atrium', version: VERSION, description: 'The API of a gateway. Live events are at /ws.' },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function describeRoute({ path, summary, detail, query, body, answer, status = 200, access }: Route): object {
  const error = path.startsWith('/v1/') ? openAiErrorAnswer : errorAnswer;
  return {
    summary,
    ...(detail !== undefined && { description: detail }),
    ...(access === 'open' && { security: [] }),
    parameters: [...pathParameters(path), ...queryParameters(query?.(z))],
    ...(body && { requestBody: { required: true, content: asJson(body(z), 'input') } }),
    responses: {
      [status]: { description: 'The answer.', content: asJson(answer(z), 'output') },
      default: { description: 'An error, with a stable code and a sentence.', content: asJson(error, 'output') },
    },
  };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject | undefined): object[] {
  const { properties = {}, required = [] } = query ? toSchema(query, 'input') : {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function asJson(schema: z.ZodType, io: 'input' | 'output'): object {
  return { 'application/json': { schema: toSchema(schema, io) } };
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

const errorAnswer = z.object({
  error: z.object({ code: z.string(), message: z.string(), param: z.string().optional() }),
});

const openAiErrorAnswer = z.object({
  error: z.object({ message: z.string(), type: z.string(), code: z.string(), param: z.string().nullable() }),
});
