// The OpenAPI document, made from the list of operations and the schemas that requests are checked with.

import { z } from 'zod';
import { VERSION } from '../../protocol/version.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { errorAnswer, openAiErrorAnswer } from './schemas.ts';

export function buildOpenApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of OPERATIONS) {
    const entry = paths[operation.path] ?? {};
    paths[operation.path] = { ...entry, [operation.method]: describeOperation(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Atrium', version: VERSION, description: 'The API of a gateway. Live events are at /ws.' },
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

function describeOperation({ path, summary, query, body, answer, status = 200, isPrivate }: Operation): object {
  const error = path.startsWith('/v1/') ? openAiErrorAnswer : errorAnswer;
  return {
    summary,
    ...(isPrivate === false && { security: [] }),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body && { requestBody: { required: true, content: asJson(body, 'input') } }),
    responses: {
      [status]: { description: 'The answer.', content: asJson(answer, 'output') },
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
